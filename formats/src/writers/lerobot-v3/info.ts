import type { Dataset } from '../../dataset.ts'
import { type CameraFeature, type Feature, isCamera } from '../../feature.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { filesPerChunk } from './numbered-file.ts'
import { bookkeepingFeatures } from './schema.ts'

export const dataLimitMib = 100
export const videoLimitMib = 200

/** meta/info.json: exactly the keys LeRobot knows, since any other one makes it warn. */
export function describeInfo(
  dataset: Dataset,
  totals: { readonly episodes: number; readonly frames: number; readonly tasks: number },
  videoInfo: ReadonlyMap<string, JsonObject>,
  splits: Readonly<Record<string, string>>,
): JsonObject {
  const features = [...dataset.features, ...bookkeepingFeatures]
  return {
    codebase_version: 'v3.0',
    fps: dataset.fps,
    features: Object.fromEntries(
      features.map((feature) => [feature.name, describeFeature(feature, videoInfo.get(feature.name))]),
    ),
    total_episodes: totals.episodes,
    total_frames: totals.frames,
    total_tasks: totals.tasks,
    chunks_size: filesPerChunk,
    data_files_size_in_mb: dataLimitMib,
    video_files_size_in_mb: videoLimitMib,
    data_path: 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet',
    video_path: videoInfo.size > 0 ? 'videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4' : null,
    robot_type: dataset.robotType,
    splits: { ...splits },
  }
}

export function describeFeature(feature: Feature, info: JsonObject | undefined): JsonObject {
  if (!isCamera(feature)) return { dtype: feature.dtype, shape: [...feature.shape], names: feature.names }
  const size = (key: string, declared: number) => (typeof info?.[key] === 'number' ? info[key] : declared)
  const shape = [
    size('video.height', feature.height),
    size('video.width', feature.width),
    feature.depth ? 1 : feature.channels,
  ]
  const names = ['height', 'width', 'channels']
  const facts = info ?? (feature.depth && { ...listCarried(feature), is_depth_map: true })
  return { dtype: feature.storage, shape, names, ...(facts && { info: facts }) }
}

/** Encoder and depth keys that the source told; the others are found anew. */
export function listCarried(camera: CameraFeature): JsonObject {
  return Object.fromEntries(Object.entries(camera.info).filter(([key]) => carriedKeys.has(key)))
}

const carriedKeys = new Set([
  ...['video.g', 'video.crf', 'video.preset', 'video.fast_decode', 'video.video_backend', 'video.extra_options'],
  ...['video.depth_min', 'video.depth_max', 'video.shift', 'video.use_log', 'depth_unit'],
])

/** Four spaces, no last line break: as lerobot writes it. NaN cannot occur, so none is written. */
export function formatJson(value: JsonValue | Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value, null, 4)
}
