import { Type } from 'typebox'
import { nullable, oneOf } from '../../http/schemas.ts'
import { sourceMap } from '../merge/merge-request.ts'
import { sizeEstimate } from '../size-trials.ts'

const picture = Type.Object({
  url: Type.String({ description: 'A signed address, or a `data:` URL of a small JPEG.' }),
  width: Type.Integer(),
  height: Type.Integer(),
})
const series = Type.Array(Type.Array(nullable(Type.Number())), { description: 'Per dimension, per frame.' })

const resultCounts = {
  episode_count: Type.Integer(),
  frame_count: Type.Integer(),
  duration_sec: Type.Number(),
  fps: Type.Number(),
  source_episode_count: Type.Integer(),
  source_frame_count: Type.Integer(),
  source_fps: Type.Number(),
  cut: nullable(
    Type.Object(
      {
        frame_count: Type.Integer(),
        duration_sec: Type.Number(),
        episode_count: Type.Integer({ description: 'Selected episodes that lose frames, dropped ones included.' }),
        dropped_episode_count: Type.Integer({ description: 'Selected episodes of which no frame is left.' }),
        histogram: Type.Object(
          {
            bin_sec: Type.Number(),
            episode_counts: Type.Array(Type.Integer(), {
              description: 'Entry i: episodes that lose from i to i + 1 bins.',
            }),
          },
          { description: 'The seconds that each selected episode loses; those that lose none are not in it.' },
        ),
      },
      { description: 'What goes of the selected episodes; null if the recipe cuts no frames.' },
    ),
  ),
}

const frameRanges = Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }))

export const cutsPreviewRecord = Type.Object(
  {
    ...resultCounts,
    episode: nullable(
      Type.Object({
        episode_index: Type.Integer(),
        length_frames: Type.Integer(),
        is_selected: Type.Boolean(),
        parts: Type.Array(
          Type.Object({
            ranges: frameRanges,
            task: nullable(Type.String({ description: 'The task text that the recipe gives this part.' })),
          }),
          { description: 'The episodes that become of it, by the frames that are kept, each range without its end.' },
        ),
        rests: nullable(
          Type.Object(
            {
              ranges: frameRanges,
              threshold: nullable(
                Type.Number({ description: 'The share of the usual step in force; null if the robot never moves.' }),
              ),
            },
            {
              description: 'Every rest that `trim.idle` finds in it, cut or not; null if the recipe has no such rule.',
            },
          ),
        ),
      }),
    ),
  },
  { $id: 'CutsPreview' },
)

export const previewRecord = Type.Object(
  {
    ...resultCounts,
    shortest_episode_sec: Type.Number(),
    longest_episode_sec: Type.Number(),
    mean_episode_sec: Type.Number(),
    tasks: Type.Object({
      total: Type.Integer(),
      items: Type.Array(Type.Object({ task: Type.String(), episode_count: Type.Integer() })),
    }),
    splits: Type.Array(Type.Object({ name: Type.String(), episode_count: Type.Integer() })),
    estimated_bytes: Type.Integer({
      description: 'Of the tar, from the stored files; of cameras that are encoded, from some frames that were.',
    }),
    estimate: sizeEstimate,
    cameras: Type.Array(
      Type.Object({
        key: Type.String({ description: 'The name that the source has for it.' }),
        name: Type.String({ description: 'The name that the result has for it.' }),
        label: Type.String(),
        source_width: Type.Integer(),
        source_height: Type.Integer(),
        width: Type.Integer(),
        height: Type.Integer(),
        treatment: oneOf(['copy', 'encode']),
        reason: Type.String(),
      }),
    ),
    statistics: Type.Object({
      exact: Type.Boolean({ description: 'Every feature below is computed over every frame of the result.' }),
      features: Type.Array(
        Type.Object({
          name: Type.String(),
          names: nullable(Type.Array(Type.String())),
          exact: Type.Boolean(),
          sampled_episodes: nullable(Type.Integer({ description: 'How many episodes were measured; null if exact.' })),
          statistics: nullable(Type.Record(Type.String(), Type.Array(Type.Number()))),
        }),
      ),
    }),
    frame: nullable(
      Type.Object({
        camera_key: Type.String(),
        episode_index: Type.Integer(),
        frame_index: Type.Integer(),
        before: picture,
        after: picture,
      }),
    ),
    action: nullable(
      Type.Object({
        episode_index: Type.Integer(),
        names: Type.Array(Type.String()),
        is_switch: Type.Array(Type.Boolean(), {
          description:
            'Per dimension: whether it has two to eight values in the whole stored dataset, like a gripper that is open or shut. Smoothing would give it values in between.',
        }),
        frame_index: Type.Array(Type.Integer()),
        timestamp: Type.Array(Type.Number()),
        before: series,
        after: series,
      }),
    ),
  },
  { $id: 'VersionPreview' },
)

const measured = { episode_count: Type.Integer(), frame_count: Type.Integer(), hours: Type.Number() }
const measuredTasks = Type.Array(Type.Object({ task: Type.String(), ...measured }), {
  description: 'By the first task of each episode, most frames first; 200 at most.',
})

export const mergePreviewRecord = Type.Object(
  {
    episode_count: Type.Integer(),
    frame_count: Type.Integer(),
    duration_sec: Type.Number(),
    fps: Type.Number(),
    robot_type: nullable(Type.String()),
    features: Type.Array(Type.Object({ name: Type.String(), dtype: Type.String(), shape: Type.Array(Type.Integer()) })),
    estimated_bytes: Type.Integer(),
    estimate: sizeEstimate,
    sources: Type.Array(
      Type.Object({
        source_index: Type.Integer(),
        dataset_id: Type.String(),
        title: Type.String(),
        source_fps: Type.Number(),
        ...measured,
        share: Type.Number({
          description: 'Of the frames that a sampler draws by weight; without weights, of all frames.',
        }),
        cameras: Type.Array(
          Type.Object({
            key: Type.String(),
            name: nullable(Type.String({ description: 'In the result; null where it is left out.' })),
            codec: nullable(Type.String()),
            is_changed: Type.Boolean({ description: 'The recipe changes its pixels.' }),
          }),
        ),
        tasks: measuredTasks,
      }),
    ),
    tasks: measuredTasks,
  },
  { $id: 'MergePreview' },
)

export const suggestedMapRecord = Type.Object(
  {
    source_index: Type.Integer(),
    dataset_id: Type.String(),
    map: sourceMap,
    rows: Type.Array(
      Type.Object({
        kind: oneOf(['camera', 'feature', 'dimension', 'unit', 'task', 'robot_type']),
        theirs: Type.String(),
        ours: nullable(Type.String()),
        is_sure: Type.Boolean(),
        reason: Type.String(),
      }),
    ),
  },
  { $id: 'SuggestedMap' },
)
