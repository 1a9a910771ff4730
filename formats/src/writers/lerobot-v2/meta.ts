import type { Dataset } from '../../dataset.ts'
import { type DepthScale, isCamera } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { type CameraStatistics, presentCameraStatistics } from '../../statistics/camera.ts'
import { type FeatureStatistics, presentStatistics } from '../../statistics/episode.ts'
import { describeFeature } from '../lerobot-v3/info.ts'
import { filesPerChunk } from '../lerobot-v3/numbered-file.ts'
import { bookkeepingFeatures } from '../lerobot-v3/schema.ts'

/** LeRobot v2.1 names files by episode, a thousand to a chunk. */
export const nameData = (episode: number): string => `data/${nameChunk(episode)}/${nameEpisode(episode)}.parquet`
export const nameVideo = (camera: string, episode: number): string =>
  `videos/${nameChunk(episode)}/${camera}/${nameEpisode(episode)}.mp4`

const nameChunk = (episode: number) => `chunk-${String(Math.floor(episode / filesPerChunk)).padStart(3, '0')}`
const nameEpisode = (episode: number) => `episode_${String(episode).padStart(6, '0')}`

export interface Totals {
  readonly episodes: number
  readonly frames: number
  readonly tasks: number
}

/** meta/info.json with the keys of lerobot 0.3.3. */
export function describeInfo(
  dataset: Pick<Dataset, 'features' | 'fps' | 'robotType'>,
  totals: Totals,
  videoInfo: ReadonlyMap<string, JsonObject>,
  splits: Readonly<Record<string, string>>,
): JsonObject {
  const features = [...dataset.features, ...bookkeepingFeatures].map((feature) => {
    const info = videoInfo.get(feature.name)
    const isDepth = isCamera(feature) && feature.depth !== undefined
    return [feature.name, describeFeature(feature, info && { ...info, 'video.is_depth_map': isDepth })] as const
  })
  return {
    codebase_version: 'v2.1',
    robot_type: dataset.robotType,
    total_episodes: totals.episodes,
    total_frames: totals.frames,
    total_tasks: totals.tasks,
    total_videos: totals.episodes * videoInfo.size,
    total_chunks: Math.ceil(totals.episodes / filesPerChunk),
    chunks_size: filesPerChunk,
    fps: dataset.fps,
    splits: { ...splits },
    data_path: 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet',
    video_path:
      videoInfo.size > 0 ? 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4' : null,
    features: Object.fromEntries(features),
  }
}

const keys = ['min', 'max', 'mean', 'std', 'count'] as const

/** What loaders of v2.1 make of depth codes: a grey picture of three channels from 0 to 1, and they refuse statistics of any other shape. */
const asGrey: DepthScale = { minMeters: 0, maxMeters: 1, shift: 0, logarithmic: false, unit: 'm' }

/** A line of meta/episodes_stats.jsonl, features in the order of `names`. */
export function describeEpisodeStats(
  names: readonly string[],
  statistics: ReadonlyMap<string, FeatureStatistics>,
  cameras: ReadonlyMap<string, CameraStatistics>,
): JsonObject {
  const entries = names.flatMap((name): [string, JsonObject][] => {
    const numbers = statistics.get(name)
    if (numbers) return [[name, pick(presentStatistics(numbers.moments, numbers.quantiles))]]
    const pixels = cameras.get(name)
    return pixels && pixels.frameCount > 0 ? [[name, describeCamera(pixels)]] : []
  })
  return Object.fromEntries(entries)
}

function describeCamera(statistics: CameraStatistics): JsonObject {
  if (statistics.histograms.length > 1) return pick(presentCameraStatistics(statistics))
  const grey = pick(presentCameraStatistics(statistics, asGrey))
  const repeat = (value: JsonObject[string] | undefined) =>
    [0, 1, 2].map(() => (value as JsonObject[string][])[0] ?? null)
  return Object.fromEntries(keys.map((key) => [key, key === 'count' ? (grey[key] ?? null) : repeat(grey[key])]))
}

const pick = (values: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, values[key] as JsonObject[string]]))
