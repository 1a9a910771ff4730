import { Type } from 'typebox'
import { nullable, oneOf } from '../http/schemas.ts'

const picture = Type.Object({
  url: Type.String({ description: 'A signed address, or a `data:` URL of a small JPEG.' }),
  width: Type.Integer(),
  height: Type.Integer(),
})
const series = Type.Array(Type.Array(nullable(Type.Number())), { description: 'Per dimension, per frame.' })

export const previewRecord = Type.Object(
  {
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
        },
        { description: 'What goes of the selected episodes; null if the recipe cuts no frames.' },
      ),
    ),
    shortest_episode_sec: Type.Number(),
    longest_episode_sec: Type.Number(),
    mean_episode_sec: Type.Number(),
    tasks: Type.Object({
      total: Type.Integer(),
      items: Type.Array(Type.Object({ task: Type.String(), episode_count: Type.Integer() })),
    }),
    splits: Type.Array(Type.Object({ name: Type.String(), episode_count: Type.Integer() })),
    estimated_bytes: Type.Integer({
      description: 'Estimated from the stored files by frames, for encoded cameras also by pixels.',
    }),
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
        frame_index: Type.Array(Type.Integer()),
        timestamp: Type.Array(Type.Number()),
        before: series,
        after: series,
      }),
    ),
  },
  { $id: 'VersionPreview' },
)
