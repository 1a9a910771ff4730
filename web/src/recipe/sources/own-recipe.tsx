import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ownRecipeQuery } from '../../data/recipe/draft-sync.ts'
import type { OtherSource } from '../../data/recipe/merge-draft.ts'
import { Button } from '../../parts/controls.tsx'
import { Failure } from '../../parts/states.tsx'
import { RecipeWords } from '../../version/recipe-words.tsx'

interface OwnRecipeProps {
  source: OtherSource
  onChange(change: Pick<OtherSource, 'recipe'>): void
}

/** What is done to a source before its map: as a draft of its own says, which is copied. */
export function OwnRecipe({ source, onChange }: OwnRecipeProps) {
  const draft = useQuery(ownRecipeQuery(source.dataset_id))
  return (
    <section aria-label="Its recipe" className="below-16">
      <div className="row wrap">
        <h3>Recipe</h3>
        <span className="mid small">applied to it before the map</span>
        <span className="end row">
          {source.recipe && (
            <Button small onClick={() => onChange({ recipe: null })}>
              Without
            </Button>
          )}
          {draft.data ? (
            <Button small onClick={() => onChange({ recipe: draft.data ?? null })}>
              Copy from my draft of it
            </Button>
          ) : (
            <Link className="link small" to="/datasets/$datasetId/recipe" params={{ datasetId: source.dataset_id }}>
              Make one in its builder
            </Link>
          )}
        </span>
      </div>
      {draft.error && <Failure error={draft.error} what="Your draft of it did not load" />}
      {source.recipe ? <RecipeWords recipe={source.recipe} /> : <p className="mid">Everything as in the source.</p>}
    </section>
  )
}
