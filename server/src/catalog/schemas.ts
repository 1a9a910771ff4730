import { Type } from 'typebox'
import { projectRoles } from '../access/roles.ts'
import { losses } from '../datasets/losses.ts'
import { episodeSorts } from '../datasets/read-model/model.ts'
import { editedFields, languages, workFields } from '../datasets/schemas.ts'
import { nullable, oneOf, timestamp } from '../http/schemas.ts'
import { transformsRecord } from '../media/streams.ts'
import { versionRecord } from '../versions/record.ts'

/** Shapes of the spec's catalog answers; what is ours beyond them says so. */

const count = Type.Integer({ minimum: 0 })
const strings = Type.Array(Type.String())

export const datasetParams = Type.Object({ dataset_id: Type.String() })

/** Beyond the end is an empty page. */
export const offset = Type.Integer({ minimum: 0, default: 0, 'x-place': true })

export const episodeQuery = Type.Object({
  offset,
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  q: Type.Optional(Type.String({ minLength: 1, description: "Part of a task's text, or an episode's number." })),
  split: Type.Optional(Type.String({ minLength: 1, description: 'Only episodes of this split.' })),
  sort: Type.String({ pattern: `^(${episodeSorts.join('|')})$`, default: 'episode_index' }),
  order: oneOf(['asc', 'desc'], { default: 'asc', description: 'Ties are sorted by number, in the same direction.' }),
})

export const framesQuery = Type.Object({
  offset,
  limit: Type.Integer({ minimum: 1, maximum: 96, default: 24 }),
  view: Type.String({ pattern: '^(first|last)$', default: 'first' }),
  camera_key: Type.Optional(Type.String({ minLength: 1, description: 'One camera only; default: all.' })),
})

export const episodeRecord = Type.Object(
  {
    episode_index: count,
    length_frames: count,
    duration_sec: Type.Number(),
    dataset_from_index: count,
    dataset_to_index: count,
    tasks: strings,
    camera_keys: strings,
    splits: Type.Array(Type.String(), { description: 'Splits that the episode is in: none, one or several.' }),
    source_index: Type.Integer({
      description: 'The number it had in the source; in a version of several sources, which of them it is from.',
    }),
    source_episode_index: Type.Optional(
      Type.Integer({ description: 'Only in a version of several sources: the number it had there.' }),
    ),
    source_dataset_id: Type.Optional(nullable(Type.String())),
    source_revision: Type.Optional(nullable(Type.String())),
    motion: nullable(Type.Number()),
    variance: nullable(Type.Number()),
    still_sec: nullable(Type.Number()),
  },
  { $id: 'EpisodeRecord' },
)

export const episodePage = Type.Object(
  { offset: count, limit: count, total: count, items: Type.Array(episodeRecord) },
  { $id: 'EpisodePage' },
)

export const navigation = Type.Object(
  { current: episodeRecord, total: count, previous: nullable(episodeRecord), next: nullable(episodeRecord) },
  { $id: 'EpisodeNavigation' },
)

export const statistics = Type.Object(
  {
    codebase_version: Type.String(),
    total_recording_sec: Type.Number(),
    total_cameras: count,
    camera_resolutions: strings,
    shortest_episode_frames: count,
    longest_episode_frames: count,
    shortest_episode_sec: Type.Number(),
    longest_episode_sec: Type.Number(),
    mean_episode_sec: Type.Number(),
    median_episode_sec: Type.Number(),
    std_episode_sec: Type.Number(),
    exact: Type.Boolean(),
    sample_size: count,
    histogram: Type.Array(Type.Object({ label: Type.String(), count })),
  },
  { $id: 'DatasetStatistics' },
)

const signal = Type.Object({ key: Type.String(), dimension: count, names: strings, fps: Type.Number() })

const camera = Type.Object({
  key: Type.String(),
  label: Type.String(),
  width: count,
  height: count,
  channels: count,
  fps: Type.Number(),
  codec: nullable(Type.String()),
  pixel_format: nullable(Type.String()),
  depth_map: Type.Boolean(),
})

export const manifest = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    description: Type.String(),
    source: Type.Object({
      provider: Type.String(),
      source_label: Type.String(),
      source_locator: Type.String(),
      source_url: nullable(Type.String()),
      hf_repo_id: nullable(Type.String()),
    }),
    observation: Type.Object({ camera_count: count, cameras: Type.Array(camera), state: nullable(signal) }),
    annotation: Type.Object({
      available: Type.Boolean(),
      keys: Type.Array(Type.String(), {
        description:
          'Columns with language or annotations, by name; then `SET/FIELD` for every field (`task`, `success`, `tags`, `note`, `segments`) that an annotation set of the revision fills.',
      }),
    }),
    metrics: Type.Object({
      total_episodes: count,
      total_frames: count,
      fps: Type.Number(),
      total_tasks: count,
      split_names: strings,
      codebase_version: Type.String(),
    }),
    episode_page: episodePage,
    schema_version: Type.Literal('1.0.0'),
    kind: Type.Literal('dataset_manifest'),
    ...workFields,
    tags: strings,
    modalities: strings,
    action: nullable(signal),
    statistics,
    export_artifacts: Type.Array(
      Type.Object({
        key: Type.String(),
        label: Type.String(),
        kind: Type.String(),
        access: Type.String(),
        href: Type.String(),
        description: Type.String(),
        status: Type.String({ description: '`ready`; for a version, `planned` until it has been exported.' }),
      }),
    ),
    org_slug: Type.String(),
    project_slug: Type.String(),
    visibility: oneOf(['private', 'public']),
    role: nullable(oneOf(projectRoles, { description: 'Your role in its project; null for a visitor.' })),
    revision_id: Type.String(),
    revision_number: count,
    source_layout: Type.String({ description: 'What the stored form was made from, and its version.' }),
    source_version: Type.String(),
    hf_revision: nullable(Type.String()),
    size_bytes: count,
    size_is_estimated: Type.Boolean({ description: 'True for a version that has not been exported yet.' }),
    derived_version: nullable(versionRecord),
    import_losses: nullable(losses),
    import_id: nullable(
      Type.String({
        description: 'The import that made the revision; it and its losses are shown to members of the project only.',
      }),
    ),
    tasks: Type.Array(Type.String(), { description: 'The first hundred.' }),
    splits: Type.Array(Type.Object({ name: Type.String(), episode_count: count }), {
      description: 'Every split of `metrics.split_names` with the number of its episodes; splits may overlap.',
    }),
    licence: nullable(Type.String()),
    citation: nullable(Type.String()),
    card_markdown: nullable(Type.String({ description: 'Written by people: render it without raw HTML.' })),
    language: languages,
    edited_fields: editedFields,
    published_at: nullable(timestamp),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { $id: 'DatasetManifest' },
)

export const framesPage = Type.Object(
  {
    offset: count,
    limit: count,
    total: count,
    camera_key: nullable(Type.String()),
    view: Type.String(),
    items: Type.Array(
      Type.Object({
        episode_index: count,
        length_frames: count,
        duration_sec: Type.Number(),
        tasks: strings,
        streams: Type.Array(
          Type.Object({
            camera_key: Type.String(),
            label: Type.String(),
            url: nullable(
              Type.String({ description: 'The shared file; `#t=` names the seconds of the episode in it.' }),
            ),
            preview_time_sec: Type.Number(),
            transforms: transformsRecord,
            duration_sec: Type.Number(),
            poster_url: Type.String(),
          }),
        ),
      }),
    ),
  },
  { $id: 'FramesPage' },
)

const scored = Type.Object({
  episode_index: count,
  score: Type.Number({
    description:
      'Low motion: seconds lost to standing still or to a slow pace, as a negative number. High variance: jerk as a multiple of the usual.',
  }),
  score_label: Type.String({ description: 'Why it stands out and by how much.' }),
  length_frames: count,
  duration_sec: Type.Number(),
  tasks: strings,
})

export const filterOptions = Type.Object(
  {
    codebase_version: Type.String(),
    supports_motion_insights: Type.Boolean(),
    low_motion_episodes: Type.Array(scored, {
      description: 'Only episodes that stand still or are slow compared with the others, worst first.',
    }),
    high_variance_episodes: Type.Array(scored, {
      description: 'Only episodes that shake compared with the others, worst first.',
    }),
    low_motion_total: Type.Integer({ minimum: 0, description: 'Total number; a list holds at most 1,000.' }),
    high_variance_total: count,
    note: nullable(
      Type.String({
        description: 'A remark on the whole set, for example that nothing moves or nothing can be measured.',
      }),
    ),
  },
  { $id: 'FilterOptions' },
)

export const thumbnails = Type.Object({ dataset_id: Type.String(), urls: strings }, { $id: 'Thumbnails' })

const numbers = nullable(Type.Array(Type.Number()))

export const featureStatistics = Type.Object(
  {
    codebase_version: Type.String(),
    features: Type.Array(
      Type.Object({
        name: Type.String(),
        dtype: Type.String(),
        shape: Type.Array(count),
        names: nullable(strings),
        sampled: Type.Boolean({
          description: "Cameras only: over LeRobot's sample of frames; all else over every row.",
        }),
        pending: Type.Boolean({
          description: 'Known after the export, which encodes this camera of the version again.',
        }),
        count: nullable(count),
        min: numbers,
        max: numbers,
        mean: numbers,
        std: numbers,
        q01: numbers,
        q10: numbers,
        q50: numbers,
        q90: numbers,
        q99: numbers,
      }),
    ),
  },
  { $id: 'FeatureStatistics' },
)

export const insights = Type.Object(
  {
    offset: count,
    limit: count,
    total: count,
    supports_motion_insights: Type.Boolean(),
    signal: nullable(Type.String({ description: 'The feature that is scored.' })),
    dimensions: Type.Array(count),
    median_step: nullable(Type.Number({ description: 'Of the frames in which the arm moves.' })),
    note: nullable(Type.String({ description: 'A remark on the whole set, as in `filtering`.' })),
    length_frames: Type.Array(count),
    success: Type.Array(Type.Boolean(), {
      description:
        'Whether any row of the episode says `next.success`; empty where no column says it, and for revisions of before this was read.',
    }),
    motion: Type.Array(Type.Number()),
    variance: Type.Array(Type.Number()),
    still_seconds: Type.Array(Type.Number(), { description: 'In rests of at least half a second.' }),
    longest_still_seconds: Type.Array(Type.Number()),
    pace: Type.Array(Type.Number(), { description: 'Mean step of the arm outside its longest rest.' }),
    shake: Type.Array(Type.Number(), { description: 'Mean jerk of the arm while it moves.' }),
    least_motion: Type.Array(count, {
      description: 'All episode numbers, longest standstill first, then slowest; starting at `offset` in this order.',
    }),
    most_variance: Type.Array(count, { description: 'Likewise, most jerk for their pace first.' }),
  },
  { $id: 'Insights' },
)

export const motionCurves = Type.Object(
  {
    offset: count,
    limit: count,
    total: count,
    points: Type.Integer({ minimum: 0, description: 'Points per curve, spread evenly over its episode.' }),
    top: Type.Number({ description: 'The mean step that 255 stands for; the same for all episodes.' }),
    curves: Type.Array(Type.Array(count), { description: 'By episode; empty where there is nothing to measure.' }),
  },
  { $id: 'MotionCurves' },
)

export const storedFile = Type.Object(
  { path: Type.String(), size_bytes: count, sha256: Type.String(), href: Type.String() },
  { $id: 'StoredFile' },
)
