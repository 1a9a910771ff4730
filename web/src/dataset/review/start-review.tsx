import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { findNext } from '../../data/episodes/review-queue.ts'
import { createReview, reviewQuery } from '../../data/episodes/reviews.ts'
import { projectMembersQuery } from '../../data/organization.ts'
import { refresh } from '../../data/refresh.ts'
import { Button, Check, Field } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { useChange } from '../../parts/use-change.ts'
import { canEdit, useMe } from '../../session/workspace.ts'

/** Episodes to look at, and what the queue is called when it has no other name. */
export interface ReviewedList {
  name: string
  indices: readonly number[]
}

interface StartReviewProps {
  dataset: Manifest
  list: ReviewedList
  onClose(): void
}

/** A name and people, and the first episode opens. */
export function StartReview({ dataset, list, onClose }: StartReviewProps) {
  const me = useMe().data
  const navigate = useNavigate()
  const cache = useQueryClient()
  const members = useQuery(projectMembersQuery(dataset.org_slug, dataset.project_slug))
  const [name, setName] = useState(list.name)
  const [chosen, setChosen] = useState<readonly string[]>()
  const people = chosen ?? (me ? [me.id] : [])
  const others = members.data?.filter(({ user_id, role }) => user_id !== me?.id && canEdit(role)) ?? []
  const editors = [...(me ? [{ id: me.id, name: `${me.email} (you)` }] : []), ...others.map(toPerson)]
  const start = useChange(() => createReview(dataset, name.trim(), [...list.indices], [...people]), {
    showsFault: true,
    onDone: (review) => {
      cache.setQueryData(reviewQuery(dataset, review.id).queryKey, review)
      void refresh.reviews(dataset.id)
      onClose()
      const first = findNext(review, () => false, me?.id) ?? review.episodes[0]
      void navigate({
        to: '/datasets/$datasetId/episodes/$episode',
        params: { datasetId: dataset.id, episode: String(first) },
        search: { review: review.id },
      })
    },
  })
  const toggle = (id: string) => setChosen(people.includes(id) ? people.filter((one) => one !== id) : [...people, id])
  return (
    <Dialog title={`Review ${plural(list.indices.length, 'episode')}`} open onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() && !start.isPending) start.mutate()
        }}
      >
        <p className="mid below-12">
          One episode after the other by keys: K keeps, X leaves out, F flags. Nothing changes in the dataset; what is
          left out can become a version.
        </p>
        <Field
          label="Name of the review"
          showLabel
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          fault={start.error?.message}
          autoFocus
        />
        <fieldset className="above-12">
          <legend className="label">Dealt between</legend>
          {editors.map((person) => (
            <label className="row min-height-28" key={person.id}>
              <Check checked={people.includes(person.id)} onChange={() => toggle(person.id)} />
              <span className="clip">{person.name}</span>
            </label>
          ))}
          <p className="small dim above-4">
            {people.length === 0
              ? 'Nobody: whoever opens it takes the next one.'
              : people.length > 1
                ? `About ${formatCount(Math.ceil(list.indices.length / people.length))} each; who is done goes on with what others have left.`
                : 'Editors of the project can be added later.'}
          </p>
        </fieldset>
        <div className="row above-16">
          <Button type="submit" look="primary" className="end" disabled={!name.trim() || start.isPending}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const toPerson = ({ user_id, display_name, email }: { user_id: string; display_name: string; email: string }) => ({
  id: user_id,
  name: display_name || email,
})

interface ReviewButtonProps {
  dataset: Manifest
  name: string
  /** Of a list that only the server knows all of, they are asked for. */
  indices: readonly number[] | (() => Promise<readonly number[]>)
}

/** Beside any list of episodes. */
export function ReviewButton({ dataset, name, indices }: ReviewButtonProps) {
  const [opened, setOpened] = useState<ReviewedList>()
  const opening = useChange(async () =>
    setOpened({ name, indices: typeof indices === 'function' ? await indices() : indices }),
  )
  if (!canEdit(dataset.role)) return null
  return (
    <>
      <Button
        small
        icon="check"
        disabled={opening.isPending || (typeof indices !== 'function' && indices.length === 0)}
        title="Go through these one by one, by keys"
        onClick={() => opening.mutate()}
      >
        Review
      </Button>
      {opened && <StartReview dataset={dataset} list={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}
