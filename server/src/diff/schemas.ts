import { episodeChanges } from '@nmp/formats/diff/episode-diff'
import { Type } from 'typebox'
import { nullable, oneOf } from '../http/schemas.ts'

export const diffQuery = Type.Object({
  from: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The older side: id of a dataset, revision or version.',
  }),
  to: Type.String({ minLength: 1, maxLength: 100, description: 'The newer side.' }),
  kind: Type.Optional(
    oneOf(episodeChanges, { description: 'List episodes of this kind only; the counts are of all kinds.' }),
  ),
  offset: Type.Integer({ minimum: 0, maximum: 10_000_000, default: 0, description: 'Of each list of episodes.' }),
  limit: Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: 'Of each list of episodes.' }),
  again: Type.Optional(
    Type.Boolean({ description: 'Where taking the fingerprints of a side has failed: try once more.' }),
  ),
})

const side = Type.Object(
  {
    kind: oneOf(['revision', 'version']),
    dataset_id: Type.String({ description: 'Of the dataset, or the version itself.' }),
    revision_id: nullable(Type.String({ description: 'Null for a version.' })),
    number: Type.Integer({ description: 'Of the revision or version.' }),
    shown: Type.Boolean({ description: 'Its episodes are those that the pages of `dataset_id` show.' }),
    org_slug: Type.String(),
    project_slug: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    episode_count: Type.Integer(),
    frame_count: Type.Integer(),
    fps: Type.Number(),
    robot_type: nullable(Type.String()),
    total_sec: Type.Number(),
  },
  { $id: 'DiffSide' },
)

const episode = Type.Object(
  {
    from_episode: nullable(Type.Integer({ description: 'Its number on the older side; null where it is not there.' })),
    to_episode: nullable(Type.Integer()),
    from_frames: nullable(Type.Integer()),
    to_frames: nullable(Type.Integer()),
    from_tasks: Type.Array(Type.String()),
    to_tasks: Type.Array(Type.String()),
    from_poster_url: nullable(Type.String()),
    to_poster_url: nullable(Type.String()),
    kept_frames: nullable(
      Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
        description:
          'Of an episode that was cut: half-open ranges of frames of the longer side that the shorter one has; the first hundred.',
      }),
    ),
    relabelled: Type.Boolean({ description: 'Its tasks differ, whatever else does.' }),
    differs: Type.Array(Type.String(), {
      description:
        'Features and cameras, by their newer names, whose content is another. Empty where only frames were cut.',
    }),
  },
  { $id: 'DiffEpisode' },
)

const feature = Type.Object(
  {
    change: oneOf(['added', 'removed', 'renamed', 'reshaped']),
    kind: oneOf(['column', 'camera']),
    from: nullable(Type.String()),
    to: nullable(Type.String()),
    from_shape: nullable(Type.Array(Type.Integer())),
    to_shape: nullable(Type.Array(Type.Integer())),
  },
  { $id: 'DiffFeature' },
)

const figures = Type.Object({ mean: Type.Number(), std: Type.Number(), min: Type.Number(), max: Type.Number() })

const movedDimension = Type.Object(
  {
    feature: Type.String(),
    dimension: Type.Integer(),
    name: nullable(Type.String()),
    ks: nullable(
      Type.Number({
        description:
          'Kolmogorov-Smirnov distance, 0 to 1: an estimate from minimum, five quantiles and maximum of all rows.',
      }),
    ),
    shift_sigmas: nullable(
      Type.Number({
        description:
          'How far the mean moved, in standard deviations of both sides; exact. Null where nothing varies and the means differ.',
      }),
    ),
    from: figures,
    to: figures,
  },
  { $id: 'DiffStatistic' },
)

const lists = Object.fromEntries(episodeChanges.map((kind) => [kind, Type.Array(episode)])) as Record<
  (typeof episodeChanges)[number],
  ReturnType<typeof Type.Array<typeof episode>>
>
const counts = Object.fromEntries(episodeChanges.map((kind) => [kind, Type.Integer()])) as Record<
  (typeof episodeChanges)[number],
  ReturnType<typeof Type.Integer>
>

export const diffRecord = Type.Object(
  {
    from: side,
    to: side,
    state: oneOf(['ready', 'preparing', 'failed'], {
      description:
        '`preparing`: the rows and packets of a side are read by a job first, because it has no fingerprints; ask again. Until it is `ready`, `episodes`, `features` and `statistics` are null: nothing is called the same unread.',
    }),
    preparing: Type.Array(
      Type.Object({
        side: oneOf(['from', 'to']),
        state: oneOf(['queued', 'running', 'failed']),
        job_id: Type.String(),
        progress_pct: Type.Number(),
        message: Type.String(),
      }),
    ),
    counts: nullable(Type.Object(counts)),
    episodes: nullable(Type.Object(lists)),
    unsearched: Type.Integer({
      description: 'Episodes under `added` and `removed` that were too many to be looked at for cuts.',
    }),
    features: nullable(Type.Array(feature)),
    statistics: nullable(
      Type.Object({
        items: Type.Array(movedDimension, { description: 'The most moved first; at most 500.' }),
        total: Type.Integer(),
        unknown: Type.Array(Type.String(), {
          description: 'Features whose figures one side does not know yet: pictures that an export is still to encode.',
        }),
      }),
    ),
    tasks: Type.Object({
      from_total: Type.Integer(),
      to_total: Type.Integer(),
      added: Type.Integer(),
      removed: Type.Integer(),
      items: Type.Array(
        Type.Object({ task: Type.String(), from_episodes: Type.Integer(), to_episodes: Type.Integer() }),
        { description: 'New and gone ones first, then the most changed; at most 200.' },
      ),
    }),
    recipe: Type.Array(Type.Object({ key: Type.String(), from: Type.Unknown(), to: Type.Unknown() }), {
      description: 'Keys of the two recipes that differ, as in `trim.idle.threshold`. A dataset has none.',
    }),
  },
  { $id: 'Diff' },
)
