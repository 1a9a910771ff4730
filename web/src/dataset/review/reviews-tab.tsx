import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Manifest, useManifest } from '../../data/dataset.ts'
import { reviewsQuery } from '../../data/episodes/reviews.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount } from '../../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { canEdit } from '../../session/workspace.ts'
import '../dataset-frame.css'
import { ReviewRow } from './review-row.tsx'
import './reviews.css'
import { type ReviewedList, StartReview } from './start-review.tsx'
import { useReadyLists } from './use-ready-lists.ts'

const routeApi = getRouteApi('/datasets/$datasetId/reviews')

export function ReviewsTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  return dataset ? <Reviews dataset={dataset} /> : null
}

/** Queues of this dataset: how far each is, where one goes on, and what came of it. */
function Reviews({ dataset }: { dataset: Manifest }) {
  const reviews = useQuery(reviewsQuery(dataset))
  const ready = useReadyLists(dataset)
  const [list, setList] = useState<ReviewedList>()
  return (
    <div className="tab-page">
      <div className="reviews">
        {reviews.error && (
          <Failure error={reviews.error} what="The reviews did not load" onRetry={() => void reviews.refetch()} />
        )}
        {reviews.isPending && <Skeleton rows={3} height={56} />}
        {reviews.data?.length === 0 && (
          <Empty title="No review yet">
            A review is a queue of episodes that one or several people go through by keys: K keeps, X leaves out, F
            flags. It goes on where you stopped, and everybody sees how far it is.
          </Empty>
        )}
        {reviews.data?.map((review) => (
          <ReviewRow key={review.id} dataset={dataset} review={review} />
        ))}
        {canEdit(dataset.role) && reviews.data && (
          <section className="above-24" aria-label="Start a review">
            <h2 className="below-8">Start a review</h2>
            <div className="row wrap gap-8">
              {ready.map(({ key, name, indices }) => (
                <Button key={key} onClick={() => setList({ name, indices })}>
                  {name}
                  <span className="count">{formatCount(indices.length)}</span>
                </Button>
              ))}
            </div>
            <p className="small dim above-8">
              Or press Review beside any list: episodes that a search finds, what a rule of the checks found, a
              selection.
            </p>
          </section>
        )}
      </div>
      {list && <StartReview dataset={dataset} list={list} onClose={() => setList(undefined)} />}
    </div>
  )
}
