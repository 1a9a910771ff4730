import { Type } from 'typebox'
import { contractRequires, nullable } from '../http/schemas.ts'
import { previewAsset } from './prepare/preview-asset.ts'

const count = Type.Integer({ minimum: 0 })
const integers = Type.Array(Type.Integer())
const attrs = Type.Record(Type.String(), Type.Unknown())
const text = nullable(Type.String())
const number = nullable(Type.Integer())

const dataset = Type.Object(
  {
    path: Type.String(),
    shape: integers,
    dtype: Type.String(),
    ndim: count,
    size: count,
    compression: text,
    chunks: nullable(integers),
    attrs,
  },
  {
    $id: 'Hdf5DatasetSummary',
    additionalProperties: true,
    ...contractRequires(['path', 'shape', 'dtype', 'ndim', 'size']),
  },
)

const group = Type.Object(
  { path: Type.String(), attrs },
  { $id: 'Hdf5GroupSummary', additionalProperties: true, ...contractRequires(['path']) },
)

const episode = Type.Object(
  {
    episode_index: count,
    split: text,
    trajectory_id: text,
    frames_path: text,
    group_path: text,
    length_frames: nullable(count),
    duration_sec: nullable(Type.Number({ minimum: 0 })),
  },
  { $id: 'Hdf5EpisodeSummary', additionalProperties: true, ...contractRequires(['episode_index']) },
)

const seen = { path: Type.String(), shape: integers, dtype: Type.String() }
const picture = {
  ...seen,
  layout: Type.String({ examples: ['HWC', 'JPEG_BYTES', 'PADDED_JPEG', 'IMAGE_PATH'] }),
  frames: number,
  height: number,
  width: number,
  channels: number,
  episode_index: number,
  split: text,
  trajectory_id: text,
}
const encoded = {
  ...picture,
  encoding: Type.String({ examples: ['jpeg', 'image_path'] }),
  fps: nullable(Type.Number()),
}
const open = { additionalProperties: true }

const candidates = Type.Object(
  {
    image: Type.Array(Type.Object({ ...picture, group_path: text, camera_key: text }, open)),
    jpeg_bytes: Type.Array(Type.Object(encoded, open)),
    padded_jpeg: Type.Array(
      Type.Object({ ...encoded, camera_key: text, compress_len_path: text, camera_index: number }, open),
    ),
    image_path: Type.Array(Type.Object({ ...encoded, first_frame_path: text, camera_key: text }, open)),
    numeric_tensor: Type.Array(Type.Object({ ...seen, ndim: Type.Integer(), size: Type.Integer() }, open)),
  },
  { $id: 'Hdf5PreviewCandidates', additionalProperties: true, ...contractRequires([]) },
)

/** What an HDF5 source holds. */
export const hdf5Summary = Type.Object(
  {
    kind: Type.Literal('hdf5_summary'),
    inspected: Type.Boolean(),
    reason: text,
    size_bytes: nullable(count),
    max_bytes: nullable(Type.Integer({ exclusiveMinimum: 0 })),
    dataset_count: nullable(count),
    group_count: nullable(count),
    datasets: Type.Array(dataset),
    groups: Type.Array(group),
    preview_candidates: candidates,
    preview_assets: Type.Array(previewAsset),
    episodes: Type.Array(episode),
    truncated: nullable(Type.Boolean()),
    root_attrs: attrs,
  },
  { $id: 'Hdf5SourceSummary', additionalProperties: true, ...contractRequires(['kind', 'inspected']) },
)
