import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { findNext } from '../../data/episodes/review-queue.ts'
import { deleteReview, listLeftOut, type Review, reviewQuery } from '../../data/episodes/reviews.ts'
import { excludeEpisodes } from '../../data/recipe/recipe-draft.ts'
import { refresh } from '../../data/refresh.ts'
import { Button, IconButton } from '../../parts/controls.tsx'
import { ConfirmLoss } from '../../parts/dialog.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Time } from '../../parts/time.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useChange } from '../../parts/use-change.ts'
import { canEdit, useMe } from '../../session/workspace.ts'
import './reviews.css'

export function ReviewRow({ dataset, review }: { dataset: Manifest; review: Review }) {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const me = useMe().data?.id
  const [isLeaving, setLeaving] = useState(false)
  const read = () => cache.fetchQuery({ ...reviewQuery(dataset, review.id), staleTime: 0 })
  /** Where one stopped: the first of one's own that nobody has decided. */
  const goOn = useChange(async () => {
    const opened = await read()
    const decided = new Set(opened.verdicts.map(({ episode_index }) => episode_index))
    const next = findNext(opened, (episode) => decided.has(episode), me) ?? opened.episodes[0]
    await navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(next) },
      search: { review: review.id },
    })
  })
  const leaveOut = useChange(async () => {
    const out = listLeftOut(await read())
    const undo = excludeEpisodes(dataset.id, out)
    showToast(`The recipe leaves ${plural(out.length, 'episode')} out`, undo)
    await navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } })
  })
  const share = (count: number) => `${(count / review.total) * 100}%`
  const isDone = review.decided === review.total
  return (
    <article className="review-row" aria-label={review.name}>
      <div className="fill">
        <div className="row wrap">
          <b className="clip">{review.name}</b>
          <span className="small dim">
            {review.created_by_name && `${review.created_by_name}, `}
            <Time at={review.created_at} />
          </span>
        </div>
        <span className="rail block above-6" aria-hidden="true">
          <i className="done" style={{ width: share(review.decided) }} />
        </span>
        <div className="small mid above-4">
          {formatCount(review.decided)} of {formatCount(review.total)} decided: {formatCount(review.kept)} kept,{' '}
          {formatCount(review.left_out)} left out, {formatCount(review.flagged)} flagged
          {review.people.length > 0 && ` · ${review.people.map(({ name }) => name).join(', ')}`}
        </div>
      </div>
      <span className="row gap-6">
        {review.left_out > 0 && (
          <Button look={isDone ? 'primary' : 'default'} disabled={leaveOut.isPending} onClick={() => leaveOut.mutate()}>
            Leave these {formatCount(review.left_out)} out
          </Button>
        )}
        <Button look={isDone ? 'default' : 'primary'} disabled={goOn.isPending} onClick={() => goOn.mutate()}>
          {isDone ? 'Look again' : review.decided > 0 ? 'Go on' : 'Begin'}
        </Button>
        {canEdit(dataset.role) && (
          <Menu align="end" trigger={<IconButton icon="more" label={`Commands for ${review.name}`} look="ghost" />}>
            <MenuItem onSelect={() => setLeaving(true)}>Delete</MenuItem>
          </Menu>
        )}
      </span>
      <ConfirmLoss
        title={`Delete ${review.name}`}
        word="delete"
        verb="Delete"
        open={isLeaving}
        onClose={() => setLeaving(false)}
        onConfirm={() => deleteReview(dataset, review.id).then(() => refresh.reviews(dataset.id))}
      >
        {review.decided > 0
          ? `What was said of ${plural(review.decided, 'episode')} goes with it. Flags and recipes that came of it stay.`
          : 'Nothing was decided in it yet.'}
      </ConfirmLoss>
    </article>
  )
}
