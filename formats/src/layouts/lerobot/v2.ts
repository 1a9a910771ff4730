import { openParquetReader, type ParquetReader } from '../../containers/parquet/parquet.ts'
import type { Dataset } from '../../dataset.ts'
import { FormatError, maxFound, NoEpisodesError } from '../../errors.ts'
import { type CameraFeature, isCamera } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import { Findings } from '../../finding.ts'
import type { OpenOptions } from '../layout.ts'
import { findMisfit, matchColumns } from './columns.ts'
import { createLeRobotDataset } from './dataset.ts'
import { EpisodeDirectory } from './episode-directory.ts'
import { fillTemplate, findVersion, type LeRobotInfo, readInfo, type SourceFeature } from './info.ts'
import { ClockErrors, clockToleranceSeconds, reportStats, reportTotals, surveyRows } from './rows.ts'
import { readSplits, reportSplits } from './splits.ts'
import { type DeclaredEpisode, readEpisodeLines, readTaskLines } from './v2-lines.ts'
import { hasSize, probeVideo } from './videos.ts'

/** LeRobot v2.0 and v2.1: one data file and one video per camera and episode, metadata in JSON lines. */

const dataPathTemplate = 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet'
const videoPathTemplate = 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4'

type CameraSource = SourceFeature & { readonly feature: CameraFeature }

export async function detect(tree: FileTree): Promise<boolean> {
  return (await findVersion(tree))?.startsWith('v2.') ?? false
}

export async function open(tree: FileTree, options: OpenOptions): Promise<Dataset> {
  const reader = await openParquetReader(tree.root)
  try {
    return await new Opening(tree, reader, options).run()
  } catch (error) {
    await reader.close()
    throw error
  }
}

/** What one episode's files say. */
interface Candidate {
  readonly sourceIndex: number
  readonly length: number
  readonly tasks: readonly number[]
  readonly clockError: number
}

class Opening {
  readonly #tree: FileTree
  readonly #reader: ParquetReader
  readonly #options: OpenOptions
  readonly #findings = new Findings()
  #features: readonly SourceFeature[] | undefined

  constructor(tree: FileTree, reader: ParquetReader, options: OpenOptions) {
    this.#tree = tree
    this.#reader = reader
    this.#options = options
  }

  async run(): Promise<Dataset> {
    const findings = this.#findings
    const info = await readInfo(this.#tree, findings)
    const tasks = await readTaskLines(this.#tree, findings)
    const declared = await readEpisodeLines(this.#tree, info, findings)
    await reportStats(this.#tree, info.version, findings)
    if ((await this.#tree.list('images')).length > 0)
      findings.add('leftover-images', 'images/ was left behind by the recorder; ignored.')

    const candidates = await this.#surveyEpisodes(info, declared, tasks)
    reportTotals(
      info,
      declared.size,
      [...candidates.values()].reduce((sum, { length }) => sum + length, 0),
      findings,
    )
    const features = await this.#placeCameras(info, candidates, this.#features ?? info.features)
    const cameras = features.filter(isVideoSource)
    const directory = new EpisodeDirectory(cameras.length)
    const clock = new ClockErrors()
    for (const { sourceIndex, length, tasks: used, clockError: error } of candidates.values()) {
      clock.add(sourceIndex, error)
      const videos = cameras.map(() => ({ file: sourceIndex, startFrame: 0 }))
      directory.add({ sourceIndex, length, file: sourceIndex, startRow: 0, tasks: used, videos })
    }
    if (directory.count === 0) {
      const why = findings.list.find(({ severity }) => severity === 'error')?.sentence ?? 'the dataset is empty.'
      const found = [...declared].slice(0, maxFound).map(([sourceIndex, { length = null }]) => ({
        sourceIndex,
        sourceId: String(sourceIndex),
        length,
      }))
      throw new NoEpisodesError(`No usable episode is left: ${why}`, findings.list, found, declared.size)
    }
    if ([...declared.keys()].some((episode, position) => episode !== position)) {
      findings.add(
        'episode-numbers-gap',
        'Episode numbers do not run 0, 1, 2, …; renumbered, the source numbers are kept in the sidecar.',
      )
    }
    clock.report(findings)
    const findSplits = await readSplits(this.#tree, this.#reader, info, findings)
    reportSplits(info, directory.sourceNumbers, findings)
    return createLeRobotDataset({
      tree: this.#tree,
      reader: this.#reader,
      origin: { layout: 'lerobot-v2', version: info.version, details: {} },
      fps: info.fps,
      robotType: info.robotType,
      stated: info.stated,
      features,
      directory,
      tasks,
      findSplits,
      findings,
      dataPath: (episode) => nameData(info, episode),
      videoPath: ({ sourceName }, episode) => nameVideo(info, sourceName, episode),
      keepsTimestamps: clock.largest > clockToleranceSeconds,
    })
  }

  async #surveyEpisodes(
    info: LeRobotInfo,
    declared: ReadonlyMap<number, DeclaredEpisode>,
    tasks: Map<number, string>,
  ): Promise<Map<number, Candidate>> {
    const candidates = new Map<number, Candidate>()
    let done = 0
    for (const [sourceIndex, { length, tasks: texts }] of declared) {
      this.#options.signal?.throwIfAborted()
      const candidate = await this.#surveyEpisode(info, sourceIndex)
      this.#options.onProgress?.({ phase: 'rows', done: ++done, total: declared.size })
      if (!candidate) continue
      if (length !== undefined && length !== candidate.length) {
        this.#findings.add(
          'episode-length-differs',
          `Episode ${sourceIndex} has ${candidate.length} rows, but episodes.jsonl says ${length}.`,
          sourceIndex,
        )
      }
      const [only] = candidate.tasks
      if (only !== undefined && candidate.tasks.length === 1 && texts.length === 1 && !tasks.has(only))
        tasks.set(only, texts[0] ?? '')
      for (const task of candidate.tasks) {
        if (!tasks.has(task))
          this.#findings.add(
            'task-unknown',
            `Episode ${sourceIndex} uses task ${task}, which has no text.`,
            sourceIndex,
          )
      }
      candidates.set(sourceIndex, candidate)
    }
    return candidates
  }

  async #surveyEpisode(info: LeRobotInfo, sourceIndex: number): Promise<Candidate | undefined> {
    const path = nameData(info, sourceIndex)
    const leaveOut = (
      rule: 'episode-rows-missing' | 'episode-rows-disordered' | 'episode-file-unreadable' | 'episode-empty',
      why: string,
    ): undefined => this.#findings.add(rule, `Episode ${sourceIndex} is left out: ${why}.`, sourceIndex) as undefined
    if (!(await this.#tree.find(path))) return leaveOut('episode-rows-missing', `${path} is missing`)
    try {
      const absolute = await this.#tree.locate(path)
      const footer = await this.#reader.readFooter(absolute)
      this.#features ??= matchColumns(info.features, footer.columns, this.#findings)
      const misfit = findMisfit(this.#features, footer.columns)
      if (misfit) return leaveOut('episode-file-unreadable', `${path}: ${misfit}`)
      if (!footer.metadata.has('huggingface'))
        this.#findings.addOnce('metadata-parquet-foreign', 'Data files lack the huggingface metadata.')
      const runs = await Array.fromAsync(surveyRows(this.#reader, absolute, footer, info.fps, this.#options.signal))
      const [run] = runs
      if (!run) return leaveOut('episode-empty', `${path} has no rows`)
      if (runs.length > 1 || !run.isOrdered)
        return leaveOut('episode-rows-disordered', `the rows of ${path} do not run 0, 1, 2, …`)
      return { sourceIndex, length: run.rowCount, tasks: run.taskIndices, clockError: run.timestampError }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      return leaveOut('episode-file-unreadable', error.message.replace(/\.$/, ''))
    }
  }

  /** Drops cameras that no episode has, and episodes that lack a camera which others have; gives the features left. */
  async #placeCameras(
    info: LeRobotInfo,
    candidates: Map<number, Candidate>,
    features: readonly SourceFeature[],
  ): Promise<SourceFeature[]> {
    const kept: SourceFeature[] = []
    const bad = new Set<number>()
    for (const source of features) {
      if (!isVideoSource(source)) {
        kept.push(source)
        continue
      }
      const camera = await this.#checkCamera(info, source, candidates, bad)
      if (camera) kept.push({ ...source, feature: camera })
    }
    for (const episode of bad) candidates.delete(episode)
    return kept
  }

  async #checkCamera(
    info: LeRobotInfo,
    source: CameraSource,
    candidates: ReadonlyMap<number, Candidate>,
    bad: Set<number>,
  ): Promise<CameraFeature | undefined> {
    const failures: { episode: number; rule: 'video-missing' | 'video-unreadable'; why: string }[] = []
    let camera: CameraFeature | undefined
    for (const { sourceIndex, length } of candidates.values()) {
      const path = nameVideo(info, source.sourceName, sourceIndex)
      const probe = await probeVideo(this.#tree, path, info.fps, this.#options.signal)
      if (!('video' in probe)) {
        const isMissing = 'missing' in probe
        failures.push({
          episode: sourceIndex,
          rule: isMissing ? 'video-missing' : 'video-unreadable',
          why: isMissing ? probe.missing : probe.unreadable,
        })
        if ('unreadable' in probe && probe.frameCount !== undefined && probe.frameCount < length)
          this.#findings.add(
            'video-frames-differ',
            `${path} has ${probe.frameCount} frames for the ${length} rows of episode ${sourceIndex}, and cannot be read anyway.`,
            sourceIndex,
          )
        continue
      }
      camera ??= this.#takeSize(source.feature, probe.video, path)
      const { video } = probe
      const leaveOut = (rule: 'video-sizes-mixed' | 'video-frames-differ', why: string) => {
        this.#findings.add(rule, `Episode ${sourceIndex} is left out: ${why}.`, sourceIndex)
        bad.add(sourceIndex)
      }
      if (!hasSize(video, camera))
        leaveOut(
          'video-sizes-mixed',
          `${path} is ${video.width}x${video.height}, the camera's first file ${camera.width}x${camera.height}`,
        )
      else if (video.frameCount < length)
        leaveOut('video-frames-differ', `${path} has ${video.frameCount} frames for ${length} rows`)
      else if (video.frameCount > length) {
        this.#findings.add(
          'video-frames-spare',
          `${path} has ${video.frameCount} frames for ${length} rows; the first ${length} are used.`,
          sourceIndex,
        )
      }
      if (!video.isOnGrid)
        this.#findings.add(
          'video-off-grid',
          `The frame times of ${path} are no exact 1/${info.fps} s grid; written on the grid.`,
          sourceIndex,
        )
    }
    if (!camera) {
      this.#findings.add(
        'camera-missing',
        `Camera ${source.feature.name} is dropped: ${failures[0]?.why ?? 'no episode has it'}, and so on for every episode.`,
      )
      return undefined
    }
    for (const { episode, rule, why } of failures) {
      this.#findings.add(rule, `Episode ${episode} is left out: ${why}.`, episode)
      bad.add(episode)
    }
    return camera
  }

  #takeSize(camera: CameraFeature, video: { width: number; height: number }, path: string): CameraFeature {
    if (video.width === camera.width && video.height === camera.height) return camera
    this.#findings.add(
      'video-size-differs',
      `${path} is ${video.width}x${video.height}, declared ${camera.width}x${camera.height}; the file's size is used.`,
    )
    return { ...camera, width: video.width, height: video.height }
  }
}

function isVideoSource(source: SourceFeature): source is CameraSource {
  return isCamera(source.feature) && source.feature.storage === 'video'
}

function nameData(info: LeRobotInfo, episode: number): string {
  return fillTemplate(info.dataPath || dataPathTemplate, {
    episode_chunk: Math.floor(episode / info.chunksSize),
    episode_index: episode,
  })
}

function nameVideo(info: LeRobotInfo, key: string, episode: number): string {
  const values = { episode_chunk: Math.floor(episode / info.chunksSize), video_key: key, episode_index: episode }
  return fillTemplate(info.videoPath || videoPathTemplate, values)
}
