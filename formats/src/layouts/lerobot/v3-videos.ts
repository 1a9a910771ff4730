import type { IntactVideo } from '../../dataset.ts'
import type { CameraFeature } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { mapAtMost } from '../../limiter.ts'
import { fillTemplate, type SourceFeature } from './info.ts'
import type { VideoColumns } from './v3-table.ts'
import { hasSize, type ProbedVideo, probeVideo } from './videos.ts'

/** An episode of the table whose rows are good. */
export interface TableEpisode {
  readonly sourceIndex: number
  /** Row of the episode table. */
  readonly tableRow: number
  readonly length: number
}

/** Where each episode lies in the files of one camera. */
export interface CameraPlan {
  readonly camera: CameraFeature
  /** Relative paths. */
  readonly files: readonly string[]
  /** By `tableRow`; absent for episodes this camera cannot serve. */
  readonly places: ReadonlyMap<number, { readonly file: number; readonly startFrame: number }>
  /** Set when every file may be kept as it is. */
  readonly intact: readonly IntactVideo[] | undefined
}

interface FileGroup {
  readonly path: string
  readonly episodes: TableEpisode[]
}

export interface VideoContext {
  readonly tree: FileTree
  readonly template: string
  readonly fps: number
  readonly findings: Findings
  readonly signal: AbortSignal | undefined
}

/** One is read while the index of another is gone through. */
const probedAtOnce = 4

/** Undefined when no episode has this camera: it is dropped then. */
export async function planCamera(
  source: SourceFeature & { readonly feature: CameraFeature },
  columns: VideoColumns,
  episodes: readonly TableEpisode[],
  context: VideoContext,
): Promise<CameraPlan | undefined> {
  const { findings } = context
  const groups = groupByFile(source, columns, episodes, context.template)
  const places = new Map<number, { file: number; startFrame: number }>()
  const intact: IntactVideo[] = []
  const failures: { group: FileGroup; rule: 'video-missing' | 'video-unreadable'; why: string }[] = []
  let camera: CameraFeature = source.feature
  let isIntact = isAscending(groups)
  let isSized = false
  const probes = await mapAtMost(probedAtOnce, groups, ({ path }) =>
    probeVideo(context.tree, path, context.fps, context.signal),
  )
  for (const [file, probe] of probes.entries()) {
    const group = groups[file] as FileGroup
    if (!('video' in probe)) {
      const rule = 'missing' in probe ? 'video-missing' : 'video-unreadable'
      failures.push({ group, rule, why: 'missing' in probe ? probe.missing : probe.unreadable })
      isIntact = false
      continue
    }
    const { video } = probe
    if (!hasSize(video, camera) && !isSized) {
      findings.add(
        'video-size-differs',
        `${group.path} is ${video.width}x${video.height}, declared ${camera.width}x${camera.height}; the file's size is used.`,
      )
      camera = { ...camera, width: video.width, height: video.height }
    }
    isSized = true
    if (!hasSize(video, camera)) {
      for (const { sourceIndex } of group.episodes)
        findings.add(
          'video-sizes-mixed',
          `Episode ${sourceIndex} is left out: ${group.path} is ${video.width}x${video.height}, the camera's first file ${camera.width}x${camera.height}.`,
          sourceIndex,
        )
      isIntact = false
      continue
    }
    const isTiled = placeEpisodes({ file, group, video }, columns, places, context)
    if (!video.isOnGrid)
      findings.add(
        'video-off-grid',
        `The frame times of ${group.path} are no exact 1/${context.fps} s grid; written on the grid.`,
      )
    if (!isTiled || !video.isOnGrid) isIntact = false
    const { codec, width, height, pixelFormat, sizeBytes } = video
    const facts = { codec, width, height, pixelFormat }
    intact.push({ path: await context.tree.locate(group.path), sizeBytes, episodeCount: group.episodes.length, facts })
  }
  if (places.size === 0 && failures.length === groups.length) {
    findings.add(
      'camera-missing',
      `Camera ${camera.name} is dropped: ${failures[0]?.why ?? 'no episode names a video'}, and so on for every episode.`,
    )
    return undefined
  }
  for (const { group, rule, why } of failures) {
    for (const { sourceIndex } of group.episodes)
      findings.add(rule, `Episode ${sourceIndex} is left out: ${why}.`, sourceIndex)
  }
  return { camera, files: groups.map(({ path }) => path), places, intact: isIntact ? intact : undefined }
}

function groupByFile(
  source: SourceFeature,
  columns: VideoColumns,
  episodes: readonly TableEpisode[],
  template: string,
): FileGroup[] {
  const groups = new Map<string, FileGroup>()
  for (const episode of episodes) {
    const [chunk, file] = [columns.chunk[episode.tableRow] ?? -1, columns.file[episode.tableRow] ?? -1]
    const values = { video_key: source.sourceName, chunk_index: Math.max(0, chunk), file_index: Math.max(0, file) }
    const path = fillTemplate(template, values)
    const group = groups.get(path)
    if (group) group.episodes.push(episode)
    else groups.set(path, { path, episodes: [episode] })
  }
  return [...groups.values()]
}

/** Files may be kept only when they hold the episodes in the order the writer lists them. */
function isAscending(groups: readonly FileGroup[]): boolean {
  const rows = groups.flatMap(({ episodes }) => episodes.map(({ tableRow }) => tableRow))
  return rows.every((row, index) => index === 0 || row > (rows[index - 1] as number))
}

/**
 * Frames are counted, not timed: when the episodes fill the file exactly, each starts where the one before it ends, however
 * far from_timestamp has drifted (lerobot #3177). Otherwise from_timestamp says where an episode starts. True when the
 * file is filled and each starts on a keyframe: only such a file can be kept as it is.
 */
function placeEpisodes(
  { file, group, video }: { file: number; group: FileGroup; video: ProbedVideo },
  columns: VideoColumns,
  places: Map<number, { file: number; startFrame: number }>,
  { fps, findings }: VideoContext,
): boolean {
  const seconds = (episode: TableEpisode) => Math.max(0, columns.fromSeconds[episode.tableRow] ?? 0)
  const ordered = group.episodes.toSorted((a, b) => seconds(a) - seconds(b) || a.tableRow - b.tableRow)
  const isFilled = ordered.reduce((sum, { length }) => sum + length, 0) === video.frameCount
  let next = 0
  let isCuttable = true
  for (const episode of ordered) {
    const startFrame = isFilled ? next : Math.round(seconds(episode) * fps)
    next += episode.length
    reportStart({ episode, path: group.path, seconds: seconds(episode), startFrame }, fps, findings)
    if (startFrame + episode.length > video.frameCount) {
      const sentence = `Episode ${episode.sourceIndex} is left out: ${group.path} has ${video.frameCount} frames, the episode needs ${startFrame} to ${startFrame + episode.length}.`
      findings.add('video-frames-differ', sentence, episode.sourceIndex)
      continue
    }
    if (!video.isKeyframe(startFrame)) {
      const sentence = `Episode ${episode.sourceIndex} does not start on a keyframe of ${group.path}; it can only be cut by encoding it again.`
      findings.add('video-start-not-keyframe', sentence, episode.sourceIndex)
      isCuttable = false
    }
    places.set(episode.tableRow, { file, startFrame })
  }
  return isFilled && isCuttable
}

/** What LeRobot's own loader accepts between the time that it asks for and a frame's. */
const startToleranceSeconds = 1e-4

function reportStart(
  { episode, path, seconds, startFrame }: { episode: TableEpisode; path: string; seconds: number; startFrame: number },
  fps: number,
  findings: Findings,
): void {
  const off = Math.abs(seconds - startFrame / fps)
  if (off <= startToleranceSeconds) return
  findings.add(
    'video-start-off-grid',
    `Episode ${episode.sourceIndex} starts at ${seconds.toFixed(4)} s of ${path} by its from_timestamp, ${(off * 1000).toFixed(1)} ms from frame ${startFrame}, which it starts with.`,
    episode.sourceIndex,
  )
}
