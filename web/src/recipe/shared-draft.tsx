import { useQuery } from '@tanstack/react-query'
import { readSaved, sharedDraftQuery } from '../data/recipe/draft-sync.ts'
import { changeDraft, contentOf, getDraft } from '../data/recipe/recipe-draft.ts'
import { Button } from '../parts/controls.tsx'
import { Failure } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useMe } from '../session/workspace.ts'
import { RecipeWords } from '../version/recipe-words.tsx'
import './shared-draft.css'

interface SharedDraftProps {
  datasetId: string
  draftId: string
  onClose(): void
}

/** Somebody's draft, by its link: whose, of when, what it says; taken over by a press that can be undone. */
export function SharedDraft({ datasetId, draftId, onClose }: SharedDraftProps) {
  const me = useMe().data
  const draft = useQuery(sharedDraftQuery(draftId))
  if (draft.error)
    return (
      <div className="shared-draft">
        <Failure error={draft.error} what="The draft did not load" onRetry={() => void draft.refetch()} />
      </div>
    )
  if (!draft.data || !me) return null
  const { user_id: owner, user_name: who, updated_at: at } = draft.data
  if (owner === me.id) return null
  const given = readSaved(draft.data)
  const takeOver = () => {
    const before = getDraft(datasetId)
    changeDraft(datasetId, given)
    showToast(`${who}’s draft is yours now`, () => changeDraft(datasetId, contentOf(before)))
    onClose()
  }
  return (
    <section className="shared-draft" aria-label={`Draft of ${who}`}>
      <div className="row wrap">
        <span>
          <b>{who}</b> shares a draft, last changed <Time at={at} />
        </span>
        <span className="end row">
          <Button small look="ghost" onClick={onClose}>
            Keep mine
          </Button>
          <Button small look="primary" onClick={takeOver}>
            Take it over
          </Button>
        </span>
      </div>
      <RecipeWords recipe={given.recipe} />
      {given.merge && (
        <p className="above-4">
          Merged with {given.merge.others.map(({ title }) => title).join(', ')}; how their names and units become those
          of the first is in the draft.
        </p>
      )}
    </section>
  )
}
