import type { OpenedReview, Review } from '@nmp/sdk/generated/records'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { describe } from '../../parts/faults.ts'
import { useChange } from '../../parts/use-change.ts'
import { client } from '../../session/client.ts'
import { curationOf } from '../curation.ts'
import type { Manifest } from '../dataset.ts'
import type { NewFlag } from '../flags.ts'
import { refresh } from '../refresh.ts'

export type { OpenedReview, Review }
export type Verdict = OpenedReview['verdicts'][number]['verdict']

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug' | 'role'>
const placeOf = ({ org_slug, project_slug }: Place) => ({ org_slug, project_slug })

export const reviewsQuery = (dataset: Place) =>
  queryOptions({
    queryKey: ['reviews', dataset.id],
    queryFn: async ({ signal }) =>
      (await client.curation.listReviews({ ...placeOf(dataset), dataset_id: dataset.id }, { signal })).items,
    enabled: dataset.role !== null,
  })

/** Events say that it has moved; the interval is for a tab that follows the events of another project. */
const lookAgainMs = 20_000

export const reviewQuery = (dataset: Place, id: string | undefined) =>
  queryOptions({
    queryKey: ['review', id],
    queryFn: async ({ signal }) =>
      (await client.curation.getReview({ ...placeOf(dataset), review_id: id ?? '' }, { signal })).item,
    enabled: id !== undefined && dataset.role !== null,
    refetchInterval: lookAgainMs,
  })

export const createReview = async (dataset: Place, name: string, episodes: number[], people: string[]) =>
  (
    await client.curation.createReview({
      ...placeOf(dataset),
      body: { dataset_id: dataset.id, name, episodes, people },
    })
  ).item

export const deleteReview = (dataset: Place, id: string) =>
  client.curation.deleteReview({ ...placeOf(dataset), review_id: id })

export const verdictOf = (review: OpenedReview, episode: number): Verdict | undefined =>
  review.verdicts.find(({ episode_index }) => episode_index === episode)?.verdict

export const listLeftOut = (review: OpenedReview): number[] =>
  review.verdicts.filter(({ verdict }) => verdict === 'leave_out').map(({ episode_index }) => episode_index)

/** What is on its way: an answer that was asked for before it arrived would show the time before. */
const onTheWay = new Map<string, Promise<unknown>>()
export const isDeciding = (reviewId: string): boolean => onTheWay.has(reviewId)

export interface Decision {
  episode: number
  verdict: Verdict | null
  /** Put with it. */
  flags?: readonly NewFlag[]
  /** Taken away with it. */
  unflag?: Flagged
  /** Told of the flags that were not there before. */
  flagged?: Flagged
}

/** What one decision has flagged: known once it is sent, and asked for when the next one is. */
export interface Flagged {
  ids: readonly string[]
}

/** Drawn at once, sent one after the other: the last word on an episode is the last that arrives. */
export function useDeciding(dataset: Place, reviewId: string | undefined, me: string | undefined) {
  const cache = useQueryClient()
  const { queryKey } = reviewQuery(dataset, reviewId)
  const send = async (id: string, { episode, verdict, flags, unflag, flagged }: Decision) => {
    if (flags) {
      const { created_ids } = await curationOf(dataset).putFlags([...flags])
      if (flagged) flagged.ids = created_ids
    }
    if (unflag && unflag.ids.length > 0) await curationOf(dataset).deleteFlags([...unflag.ids])
    if (flags || unflag) void refresh.flags(dataset.id)
    const body = { items: [{ episode_index: episode, verdict }] }
    await client.curation.decideReview({ ...placeOf(dataset), review_id: id, body })
  }
  return useChange(async (decision: Decision) => {
    if (reviewId === undefined) return
    const { episode, verdict } = decision
    await cache.cancelQueries({ queryKey })
    const saved = cache.getQueryData<OpenedReview>(queryKey)?.verdicts.find((one) => one.episode_index === episode)
    const show = (said: Verdict | null) =>
      cache.setQueryData<OpenedReview>(queryKey, (old) => old && applyVerdict(old, episode, said, me))
    show(verdict)
    const before = onTheWay.get(reviewId) ?? Promise.resolve()
    const sent = before
      .catch(() => undefined)
      .then(() => send(reviewId, decision))
      .catch((error: unknown) => {
        show(saved?.verdict ?? null)
        // By now another episode is open: which one it was has to be said.
        throw new Error(`What you said of episode ${episode} was not saved. ${describe(error)}`)
      })
    onTheWay.set(reviewId, sent)
    await sent.finally(() => {
      if (onTheWay.get(reviewId) !== sent) return
      onTheWay.delete(reviewId)
      void refresh.review(reviewId)
    })
  })
}

function applyVerdict(
  review: OpenedReview,
  episode: number,
  verdict: Verdict | null,
  me: string | undefined,
): OpenedReview {
  const others = review.verdicts.filter(({ episode_index }) => episode_index !== episode)
  const said = verdict && {
    episode_index: episode,
    verdict,
    decided_by: me ?? null,
    decided_by_name: null,
    decided_at: new Date().toISOString(),
  }
  const verdicts = said ? [...others, said] : others
  const count = (one: Verdict) => verdicts.filter((two) => two.verdict === one).length
  return {
    ...review,
    verdicts,
    decided: verdicts.length,
    kept: count('keep'),
    left_out: count('leave_out'),
    flagged: count('flag'),
  }
}
