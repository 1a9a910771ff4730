import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { useDraftState } from '../data/recipe/draft-sync.ts'
import { writeMerge } from '../data/recipe/merge-draft.ts'
import { changeDraft, emptyRecipe, useDraft } from '../data/recipe/recipe-draft.ts'
import { useRecipeTarget } from '../data/recipe/recipe-target.ts'
import { isVersionId } from '../data/version-id.ts'
import { Button } from '../parts/controls.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { formatRelative } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { RecipeJson } from './result/recipe-json.tsx'
import type { VersionCreation } from './result/use-version-creation.tsx'

interface RecipeBarProps {
  dataset: Manifest
  version: Pick<VersionCreation, 'slug' | 'number'>
  onStartOver(): void
}

/** Where one is, what is being made, and what can be done with the recipe as a whole. */
export function RecipeBar({ dataset, version, onStartOver }: RecipeBarProps) {
  const { recipe, merge, savedAt, id } = useDraft(dataset.id)
  const { source } = useRecipeTarget(dataset)
  const [isJsonOpen, setJsonOpen] = useState(false)
  const startOver = () => {
    changeDraft(dataset.id, { recipe: emptyRecipe, merge: null })
    onStartOver()
    showToast('The recipe is empty again', () => changeDraft(dataset.id, { recipe, merge }))
  }
  const copyLink = () =>
    void copyText(`${location.origin}/datasets/${dataset.id}/recipe?draft=${id}`).then(() =>
      showToast('Link to your draft copied. Whoever may read the dataset can open it, as it is then.'),
    )
  return (
    <div className="subbar">
      <span className="crumb">
        <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="clip max-width-220">
          {dataset.title}
        </Link>
        <i>/</i>
        <Link className="desktop-only" to="/datasets/$datasetId/versions" params={{ datasetId: dataset.id }}>
          Versions
        </Link>
        <i className="desktop-only">/</i>
      </span>
      <h1 className="clip">{version.slug}</h1>
      <span className="chip line desktop-only">draft of version {version.number}</span>
      <span className="dim desktop-only clip">
        source {isVersionId(dataset.id) ? 'version' : 'revision'} {dataset.revision_number}, never changed by a recipe
      </span>
      <span className="end row">
        <DraftMark datasetId={dataset.id} savedAt={savedAt} />
        {id && (
          <Button small icon="link" className="desktop-only" onClick={copyLink}>
            Share
          </Button>
        )}
        <Button small onClick={startOver}>
          Start over
        </Button>
        <Button small onClick={() => setJsonOpen(true)}>
          <span className="desktop-only">Recipe as </span>JSON
        </Button>
      </span>
      <RecipeJson
        value={merge ? writeMerge(source, recipe, merge) : recipe}
        open={isJsonOpen}
        onClose={() => setJsonOpen(false)}
      />
    </div>
  )
}

/** Saved is what the server has; what it has not is said to be so, and where it is meanwhile. */
function DraftMark({ datasetId, savedAt }: { datasetId: string; savedAt: number }) {
  const state = useDraftState(datasetId)
  if (state.kind === 'unsaved')
    return (
      <span className="chip flag" role="status" title={state.reason}>
        Not saved, kept in this browser
      </span>
    )
  return (
    <span className="small dim desktop-only nowrap" role="status">
      {state.kind === 'saving' && 'Saving …'}
      {state.kind === 'saved' && savedAt > 0 && `Saved ${formatRelative(new Date(savedAt))}`}
    </span>
  )
}
