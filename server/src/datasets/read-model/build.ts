import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FormatError } from '@nmp/formats/errors'
import { type FileTree, openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { type SignalRoles, withRoles } from '@nmp/formats/signal-roles'
import type { MotionScale } from '@nmp/formats/statistics/idle'
import { curvePoints, type MotionScores, type MotionWatcher, scoreMotion } from '@nmp/formats/statistics/motion'
import { readSuccess } from '@nmp/formats/statistics/success'
import type { RevisionSummary } from '../revision-summary.ts'
import { readCanonical } from './canonical.ts'
import { type EpisodeColumns, encodeEpisodes, episodesFile, manifestFile } from './format.ts'
import { describeLengths } from './lengths.ts'
import type { Insights, ReadModelManifest } from './manifest.ts'

export interface BuildInput {
  /** A finished canonical LeRobot v3 dataset. */
  datasetFolder: string
  targetFolder: string
  /** Which columns are state and action, where they are not found by name. */
  roles?: SignalRoles | undefined
  signal?: AbortSignal
  /** Looks at the rows on the way. */
  watcher?: MotionWatcher | undefined
  onProgress?: (done: number, total: number) => void
}

export interface BuiltReadModel {
  files: { path: string; sizeBytes: number }[]
  summary: RevisionSummary
  /** What is motion in it; undefined where nothing can be scored. */
  motionScale: MotionScale | undefined
}

const steps = 4

/** Reads the dataset once more, as anybody else would, and writes what the API answers from. Same dataset, same bytes. */
export async function buildReadModel({
  datasetFolder,
  targetFolder,
  roles,
  signal,
  watcher,
  onProgress,
}: BuildInput): Promise<BuiltReadModel> {
  const tree = await openFolder(datasetFolder, { links: 'anywhere' })
  const { columns, described } = await readCanonical(tree, roles, signal)
  onProgress?.(1, steps)
  const { scores, success } = await scoreEpisodes({ tree, roles }, described.total_episodes, signal, watcher)
  onProgress?.(2, steps)
  const manifest: ReadModelManifest = {
    ...described,
    statistics: describeLengths(columns.lengthFrames, columns.byLength, described.fps),
    insights: describeInsights(scores),
  }
  onProgress?.(3, steps)
  const files = await writeReadModel(targetFolder, manifest, {
    ...columns,
    ...(success && { success }),
    ...(scores && listScoreColumns(scores)),
  })
  onProgress?.(steps, steps)
  return { files, summary: summarize(manifest), motionScale: scores?.scale }
}

export async function writeReadModel(
  folder: string,
  manifest: ReadModelManifest,
  columns: EpisodeColumns,
): Promise<BuiltReadModel['files']> {
  await mkdir(folder, { recursive: true })
  const contents: [string, Uint8Array][] = [
    [episodesFile, encodeEpisodes(columns)],
    [manifestFile, Buffer.from(JSON.stringify(manifest))],
  ]
  for (const [path, bytes] of contents) await writeFile(join(folder, path), bytes, { flush: true })
  return contents.map(([path, bytes]) => ({ path, sizeBytes: bytes.byteLength }))
}

export function summarize(manifest: ReadModelManifest): RevisionSummary {
  return {
    robot_type: manifest.robot_type,
    fps: manifest.fps,
    total_episodes: manifest.total_episodes,
    total_frames: manifest.total_frames,
    total_seconds: manifest.statistics.total_recording_sec,
    total_tasks: manifest.total_tasks,
    tasks: manifest.tasks.slice(0, 20),
    camera_keys: manifest.cameras.map(({ key }) => key),
    camera_resolutions: listResolutions(manifest),
    size_bytes: manifest.size_bytes,
    source_layout: manifest.origin.layout,
    source_version: manifest.origin.version,
    length_histogram: manifest.statistics.histogram.map(({ count }) => count),
  }
}

export const listResolutions = ({ cameras }: Pick<ReadModelManifest, 'cameras'>): string[] => [
  ...new Set(cameras.map(({ width, height }) => `${width}x${height}`)),
]

/** The dataset's own reader finds the rows, so an episode it cannot read is noticed here and not by a visitor. */
async function scoreEpisodes(
  { tree, roles }: { tree: FileTree; roles: SignalRoles | undefined },
  episodeCount: number,
  signal?: AbortSignal,
  watcher?: MotionWatcher,
) {
  await using opened = await openDataset(tree, signal ? { signal } : {})
  const dataset = withRoles(opened, roles)
  if (dataset.episodeCount !== episodeCount)
    throw new FormatError(
      'metadata_invalid',
      `meta/episodes names ${episodeCount} episodes, but only ${dataset.episodeCount} can be read.`,
    )
  return { scores: await scoreMotion(dataset, signal, watcher), success: await readSuccess(dataset, signal) }
}

export const listScoreColumns = (scores: MotionScores) => ({
  motion: scores.motion,
  variance: scores.variance,
  stillSeconds: scores.stillSeconds,
  longestStillSeconds: scores.longestStillSeconds,
  pace: scores.pace,
  shake: scores.shake,
  motionCurve: scores.curves,
})

export function describeInsights(scores: MotionScores | undefined): Insights {
  if (!scores) return { supported: false, signal: null, dimensions: [], median_step: null }
  const { scale, curveTop } = scores
  return {
    supported: true,
    signal: scale.signal.name,
    dimensions: [...scale.signal.dimensions],
    median_step: scale.usualStep,
    curve_points: curvePoints,
    curve_top: curveTop,
    motion_scale: scale,
  }
}
