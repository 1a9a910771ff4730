import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../http/schemas.ts'
import { maxEpisodesPerReview, maxPeople, maxVerdictsPerRequest, type OpenedReview, type Review } from './service.ts'

const verdicts = ['keep', 'leave_out', 'flag'] as const
const episode = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const people = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: maxPeople,
  description:
    'Ids of editors of the project, between whom the queue is dealt: the first gets every first of n episodes, and so on. Empty: whoever comes.',
})

const reviewFields = {
  id: Type.String(),
  org_slug: Type.String(),
  project_slug: Type.String(),
  dataset_id: Type.String({ description: 'Of the dataset or version.' }),
  revision_number: Type.Integer(),
  is_current: Type.Boolean({
    description: 'False when the dataset shows another revision by now, with its own numbers.',
  }),
  name: Type.String(),
  total: Type.Integer(),
  decided: Type.Integer(),
  kept: Type.Integer(),
  left_out: Type.Integer(),
  flagged: Type.Integer(),
  people: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  created_by: nullable(Type.String()),
  created_by_name: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
}
export const review = Type.Object(reviewFields, { $id: 'Review' })

export const openedReview = Type.Object(
  {
    ...reviewFields,
    episodes: Type.Array(Type.Integer(), { description: 'In the order in which they are looked at.' }),
    verdicts: Type.Array(
      Type.Object({
        episode_index: Type.Integer(),
        verdict: oneOf(verdicts),
        decided_by: nullable(Type.String()),
        decided_by_name: nullable(Type.String()),
        decided_at: timestamp,
      }),
    ),
  },
  { $id: 'OpenedReview' },
)

export const presentReview = (row: Review) => ({
  id: row.id,
  org_slug: row.orgSlug,
  project_slug: row.projectSlug,
  dataset_id: row.datasetId,
  revision_number: row.revisionNumber,
  is_current: row.isCurrent,
  name: row.name,
  total: row.total,
  decided: row.kept + row.leftOut + row.flagged,
  kept: row.kept,
  left_out: row.leftOut,
  flagged: row.flagged,
  people: row.people,
  created_by: row.createdBy,
  created_by_name: row.createdByName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const presentOpenedReview = ({ review: row, episodes, verdicts: said }: OpenedReview) => ({
  ...presentReview(row),
  episodes,
  verdicts: said.map(({ episodeIndex, verdict, decidedBy, decidedByName, decidedAt }) => ({
    episode_index: episodeIndex,
    verdict,
    decided_by: decidedBy,
    decided_by_name: decidedByName,
    decided_at: decidedAt.toISOString(),
  })),
})

export const newReview = Type.Object({
  dataset_id: Type.String({ minLength: 1, maxLength: 100 }),
  name,
  episodes: Type.Array(episode, { minItems: 1, maxItems: maxEpisodesPerReview }),
  people: Type.Optional(people),
})
export const newReviewBounds = { mostBytes: 2 << 20, mostValues: maxEpisodesPerReview + 200 }

export const changedReview = Type.Object({ name: Type.Optional(name), people: Type.Optional(people) })

export const givenVerdicts = Type.Object({
  items: Type.Array(
    Type.Object({
      episode_index: episode,
      verdict: nullable(oneOf(verdicts, { description: '`null` takes the verdict back.' })),
    }),
    { minItems: 1, maxItems: maxVerdictsPerRequest },
  ),
})
export const verdictBounds = { mostBytes: 512 << 10, mostValues: 5 * maxVerdictsPerRequest }
