import { Link, useNavigate } from '@tanstack/react-router'
import type { Manifest } from '../../data/dataset.ts'
import { countMine } from '../../data/episodes/review-queue.ts'
import { listLeftOut } from '../../data/episodes/reviews.ts'
import { excludeEpisodes } from '../../data/recipe/recipe-draft.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useMe } from '../../session/workspace.ts'
import { type ReviewQueue, undoKey, verdictWords } from './use-review-queue.ts'
import './review-bar.css'

/** How far the review is, and what can be said of the open episode. */
export function ReviewBar({ dataset, queue }: { dataset: Manifest; queue: ReviewQueue }) {
  const { review, verdict, mayDecide, hasSteps } = queue
  const me = useMe().data?.id
  const navigate = useNavigate()
  const decided = new Set(review.verdicts.map(({ episode_index }) => episode_index))
  const mine = countMine(review, (episode) => decided.has(episode), me)
  const isShared = review.people.length > 1 && review.people.some(({ id }) => id === me)
  const isDone = review.decided === review.total
  const out = listLeftOut(review)
  const toRecipe = () => {
    const undo = excludeEpisodes(dataset.id, out)
    showToast(`The recipe leaves ${plural(out.length, 'episode')} out`, undo)
    void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } })
  }
  return (
    <section className="review-bar" aria-label="Review">
      <Link className="link clip max-width-240" to="/datasets/$datasetId/reviews" params={{ datasetId: dataset.id }}>
        {review.name}
      </Link>
      <span className="rail review-rail" aria-hidden="true">
        <i className="done" style={{ width: `${(review.decided / review.total) * 100}%` }} />
      </span>
      <span className="nowrap" role="status">
        <b data-testid="review-decided">{formatCount(review.decided)}</b> of {formatCount(review.total)} decided
        <span className="mid desktop-only">
          {review.left_out > 0 && `, ${formatCount(review.left_out)} left out`}
          {review.flagged > 0 && `, ${formatCount(review.flagged)} flagged`}
          {isShared && `, ${formatCount(mine)} of yours to go`}
        </span>
      </span>
      {!review.is_current && <span className="chip line">of revision {review.revision_number}, no longer shown</span>}
      {verdict && <span className={`chip ${verdict === 'keep' ? 'line' : 'flag'}`}>{verdictWords[verdict]}</span>}
      <span className="end row review-verdicts">
        {mayDecide && (
          <>
            <Button small look="ghost" shortcut={undoKey} disabled={!hasSteps} onClick={queue.undo}>
              Undo
            </Button>
            <Button small shortcut="F" icon="flag" onClick={() => queue.decide('flag')}>
              Flag
            </Button>
            <Button small shortcut="X" onClick={() => queue.decide('leave_out')}>
              Leave out
            </Button>
            <Button small shortcut="K" look={isDone ? 'default' : 'primary'} onClick={() => queue.decide('keep')}>
              Keep
            </Button>
          </>
        )}
        {isDone && out.length > 0 && review.is_current && (
          <Button small look="primary" onClick={toRecipe}>
            Leave these {formatCount(out.length)} out
          </Button>
        )}
      </span>
    </section>
  )
}
