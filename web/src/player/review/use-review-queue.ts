import { useQuery } from '@tanstack/react-query'
import type { Manifest } from '../../data/dataset.ts'
import { findNext } from '../../data/episodes/review-queue.ts'
import {
  type Flagged,
  type OpenedReview,
  reviewQuery,
  useDeciding,
  type Verdict,
  verdictOf,
} from '../../data/episodes/reviews.ts'
import type { Walk } from '../../data/episodes/walk.ts'
import type { NewFlag } from '../../data/flags.ts'
import { nameCommand } from '../../parts/key-names.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useKeys } from '../../session/keys.ts'
import { createStoreByKey, useStore } from '../../session/store.ts'
import { canEdit, useMe } from '../../session/workspace.ts'

interface Step {
  episode: number
  before: Verdict | null
  flagged: Flagged
}

/** What this tab has decided, for the way back. */
const stepsOf = createStoreByKey<readonly Step[]>(() => [])

export interface ReviewQueue {
  review: OpenedReview
  walk: Walk
  verdict: Verdict | undefined
  mayDecide: boolean
  hasSteps: boolean
  /** Says it of the open episode, and goes on to the next that nobody has decided. */
  decide(verdict: Verdict): void
  undo(): void
}

interface Asked {
  dataset: Manifest
  reviewId: string | undefined
  index: number
  /** What F puts on the episode. */
  makeFlag(): NewFlag
  open(episode: number): void
}

/** The queue that an episode is looked at in: K keeps, X leaves out, F flags, and the next one opens. */
export function useReviewQueue({ dataset, reviewId, index, makeFlag, open }: Asked): ReviewQueue | undefined {
  const me = useMe().data?.id
  const { data: review } = useQuery(reviewQuery(dataset, reviewId))
  const steps = useStore(stepsOf(reviewId ?? ''))
  const change = useDeciding(dataset, reviewId, me)
  const mayDecide = canEdit(dataset.role) && review?.episodes.includes(index) === true
  const verdict = review && verdictOf(review, index)
  const decide = (next: Verdict) => {
    if (!review || !reviewId || !mayDecide) return
    const flagged: Flagged = { ids: [] }
    const store = stepsOf(reviewId)
    store.set([...store.get(), { episode: index, before: verdict ?? null, flagged }])
    change.mutate({ episode: index, verdict: next, ...(next === 'flag' ? { flags: [makeFlag()], flagged } : {}) })
    const decided = new Set([...review.verdicts.map(({ episode_index }) => episode_index), index])
    const after = findNext(review, (one) => decided.has(one), me, index)
    if (after !== undefined) open(after)
  }
  const undo = () => {
    if (!reviewId) return
    const store = stepsOf(reviewId)
    const last = store.get().at(-1)
    if (!last) return
    store.set(store.get().slice(0, -1))
    change.mutate({ episode: last.episode, verdict: last.before, unflag: last.flagged })
    showToast(`Episode ${last.episode} is ${last.before ? verdictWords[last.before] : 'undecided'} again`)
    open(last.episode)
  }
  if (!review) return undefined
  const walk = { indices: review.episodes, words: `of ${review.name}` }
  return { review, walk, verdict, mayDecide, hasSteps: steps.length > 0, decide, undo }
}

/** Called after the player's own keys: these come before them, also while the queue is not here yet. */
export const useReviewKeys = (queue: ReviewQueue | undefined, isReview: boolean): void =>
  useKeys(
    {
      k: () => queue?.decide('keep'),
      x: () => queue?.decide('leave_out'),
      f: () => queue?.decide('flag'),
      'mod+z': () => queue?.undo(),
    },
    isReview,
  )

export const verdictWords = { keep: 'kept', leave_out: 'left out', flag: 'flagged' }

export const undoKey = nameCommand('Z')
