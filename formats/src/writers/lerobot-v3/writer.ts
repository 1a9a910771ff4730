import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireSpace } from '../../containers/disk-space.ts'
import type { Dataset, Episode } from '../../dataset.ts'
import { FormatError, NoEpisodesError } from '../../errors.ts'
import { type CameraFeature, isCamera } from '../../feature.ts'
import { Findings, type RuleId } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { type CountedSplit, SplitTally } from '../../splits.ts'
import { reportStale } from '../../statistics/stale.ts'
import { requireCameraNames } from '../camera-names.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { listFound } from '../found-episodes.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import type { WriteOptions, WriteReport, WrittenFile } from '../writer.ts'
import { CameraMeasures } from './camera-measures.ts'
import { type CollectedEpisode, collectEpisode, type EpisodeNumbers, renumberEpisode } from './episode.ts'
import { EpisodeCameras } from './episode-cameras.ts'
import type { OpenFilm, VideoFiles } from './films.ts'
import { dataLimitMib, describeInfo, formatJson, videoLimitMib } from './info.ts'
import { KeptRows, KeptVideos } from './kept.ts'
import { waitForDisk } from './place-file.ts'
import { RenumberedRows } from './renumbered-rows.ts'
import { RowFiles } from './rows.ts'
import { bookkeepingFeatures, listStoredFeatures } from './schema.ts'
import { Sidecar } from './sidecar.ts'
import { reportSplits } from './splits.ts'
import { DatasetStatistics } from './statistics.ts'
import { EpisodeFiles, writeTasks } from './tables.ts'
import { CameraFiles } from './videos.ts'
import { writeWeights } from './weights.ts'

export interface LeRobotV3Options extends WriteOptions {
  /** For pictures that have to be encoded; default `av1`. */
  readonly videoCodec?: 'av1' | 'h264'
  /** `carry`: take over the camera statistics of the source's sidecar, for sources this library wrote. Default `compute`. */
  readonly cameraStatistics?: 'compute' | 'carry'
  /** `link`: files of a v3 source that need no change become hard links to it, where the disk allows. Default `copy`. */
  readonly keepFilesBy?: 'copy' | 'link'
  /** Whether the statistics that the source states are held against its numbers; for sources as they came. Default false. */
  readonly comparesStated?: boolean
  /** README.md, as it is to be. */
  readonly readme?: string
  /** Sizes at which a new file is begun. */
  readonly dataLimitBytes?: number
  readonly videoLimitBytes?: number
  /** Called for each episode once its rows and frames are good. */
  readonly onEpisode?: (record: EpisodeRecord) => void | Promise<void>
}

export interface EpisodeRecord {
  readonly episodeIndex: number
  readonly sourceIndex: number
  readonly sourceId: string
  readonly length: number
}

export interface LeRobotV3Report extends WriteReport {
  /** In the order of their first episode; they may overlap and leave episodes outside. */
  readonly splits: readonly CountedSplit[]
}

/** Thrown when a file that was to be kept turns out to hold an unusable episode; everything is written anew then. */
class CannotKeep extends Error {}

const mib = 1024 * 1024
const neverTheEpisodesFault = new Set(['child_failed', 'codec_missing', 'output_exists'])

/** Writes a LeRobot v3.0 dataset into an empty folder. info.json comes last: its presence means the dataset is whole. */
export async function write(
  dataset: Dataset,
  folder: string,
  options: LeRobotV3Options = {},
): Promise<LeRobotV3Report> {
  requireCameraNames(dataset.features)
  await requireEmptyFolder(folder)
  try {
    return await new DatasetWriter(dataset, folder, options).run()
  } catch (error) {
    for (const entry of ['data', 'meta', 'videos']) await rm(join(folder, entry), { recursive: true, force: true })
    if (!(error instanceof CannotKeep)) throw error
    const { intact: _, ...changed } = dataset
    return new DatasetWriter(changed, folder, options).run()
  }
}

/** As sentences name it. */
const nameEpisode = ({ sourceIndex, sourcePlace }: Episode): string =>
  sourcePlace === undefined ? `Episode ${sourceIndex}` : `Episode ${sourceIndex} of source ${sourcePlace}`

/** The open files of a run. */
interface Parts {
  readonly rows: RowFiles | KeptRows | RenumberedRows
  readonly videos: readonly VideoFiles[]
  readonly table: EpisodeFiles
  readonly sidecar: Sidecar
  readonly cameras: EpisodeCameras
}

class DatasetWriter {
  readonly #dataset: Dataset
  readonly #folder: string
  readonly #options: LeRobotV3Options
  readonly #findings = new Findings()
  readonly #videoCameras: readonly CameraFeature[]
  readonly #statistics: DatasetStatistics
  readonly #tasks = new Map<string, number>()
  readonly #splits = new SplitTally()
  /** By split: the source's numbers of episodes that turned out to be unusable. */
  readonly #lost = new Map<string, number[]>()
  /** Of each episode, where frames are weighed. */
  readonly #places: { place: number; length: number }[] = []
  /** Set where statistics of copied rows are those that the source knew. */
  #isCarried = false
  #episodeCount = 0
  #frameCount = 0

  constructor(dataset: Dataset, folder: string, options: LeRobotV3Options) {
    this.#dataset = dataset
    this.#folder = folder
    this.#options = options
    this.#videoCameras = dataset.features.filter(isCamera).filter(({ storage }) => storage === 'video')
    this.#statistics = new DatasetStatistics([...dataset.features, ...bookkeepingFeatures])
    for (const [index, task] of (dataset.intact?.data?.tasks ?? []).entries()) this.#tasks.set(task, index)
  }

  async run(): Promise<LeRobotV3Report> {
    await using workbench = await openWorkbench(this.#folder, this.#options)
    const parts = await this.#openParts(workbench)
    try {
      await this.#writeEpisodes(parts)
      return await this.#finish(parts)
    } catch (error) {
      const { rows, table, sidecar, videos, cameras } = parts
      // Nobody may read what is closed here.
      await cameras.settle()
      await Promise.allSettled([
        rows.abandon(),
        table.abandon(),
        sidecar.abandon(),
        ...videos.map((video) => video.close()),
      ])
      throw error
    }
  }

  async #openParts({ workFolder, codec, pool }: Workbench): Promise<Parts> {
    const { intact, fps, origin, episodeCount } = this.#dataset
    const hasRoots = episodeCount > 0 && this.#dataset.getEpisode(0).rootIndex !== undefined
    const {
      videoCodec = 'av1',
      dataLimitBytes = dataLimitMib * mib,
      videoLimitBytes = videoLimitMib * mib,
    } = this.#options
    const { signal, onFile } = this.#options
    const isLinked = this.#options.keepFilesBy === 'link'
    const settings = { fps, limitBytes: videoLimitBytes, codec: videoCodec, pool, signal, isLinked, onFile }
    const openVideos = (camera: CameraFeature) => {
      const kept = intact?.videos.get(camera.name)
      if (kept) return new KeptVideos(this.#folder, camera, kept, settings)
      return new CameraFiles(camera, { root: this.#folder, workFolder, settings, codec, findings: this.#findings })
    }
    const videoKeys = this.#videoCameras.map(({ name }) => name)
    const videos = this.#videoCameras.map(openVideos)
    const measures = new CameraMeasures({ dataset: this.#dataset, codec, signal }, this.#findings)
    const isCarried = this.#options.cameraStatistics === 'carry'
    return {
      rows: await this.#openRows(dataLimitBytes, isLinked),
      videos,
      table: new EpisodeFiles(this.#folder, videoKeys, this.#statistics.features),
      sidecar: await Sidecar.create(this.#folder, origin, this.#statistics.cameraNames, {
        hasRoots,
        hasRanges: this.#dataset.isCut ?? false,
        sources: this.#dataset.sources,
      }),
      cameras: new EpisodeCameras({ dataset: this.#dataset, cameras: this.#videoCameras, videos, measures, isCarried }),
    }
  }

  async #openRows(limitBytes: number, isLinked: boolean): Promise<Parts['rows']> {
    const [root, stored] = [this.#folder, listStoredFeatures(this.#dataset.features)]
    const data = this.#dataset.intact?.data
    if (data && !data.isRenumbered) return new KeptRows(root, data.files, isLinked)
    const copied = data && (await RenumberedRows.open({ root, files: data.files, stored, limitBytes }))
    return copied ?? new RowFiles(root, stored, limitBytes)
  }

  async #writeEpisodes(parts: Parts): Promise<void> {
    const { episodeCount } = this.#dataset
    for (let position = 0; position < episodeCount; position++) {
      this.#options.signal?.throwIfAborted()
      await this.#writeEpisode(position, parts)
      this.#options.onProgress?.({ phase: 'episodes', done: position + 1, total: episodeCount })
    }
    if (this.#episodeCount > 0) return
    const why = this.#findings.list[0]?.sentence ?? 'the dataset is empty.'
    const findings = [...this.#dataset.findings, ...this.#findings.list]
    throw new NoEpisodesError(
      `No usable episode is left: ${why}`,
      findings,
      listFound(this.#dataset),
      this.#dataset.episodeCount,
    )
  }

  async #finish({ rows, videos, table, sidecar, cameras }: Parts): Promise<LeRobotV3Report> {
    await rows.finish()
    const dataFiles = rows.files.map(({ path }) => path)
    // Packets are copied by the threads of the file system while this one computes.
    const measuring = this.#measureDataset(dataFiles)
    const onDisk = waitForDisk(this.#folder, rows instanceof KeptRows ? [] : rows.files)
    onDisk.catch(() => undefined)
    if (this.#isCarried) await measuring
    const [statistics] = await Promise.all([measuring, onDisk, ...videos.map((video) => video.finish())])
    const [sidecarFile, tasksFile] = await Promise.all([
      sidecar.finish(),
      writeTasks(this.#folder, [...this.#tasks.keys()]),
      table.finish(),
    ])
    const files: WrittenFile[] = [
      ...rows.files,
      ...videos.flatMap((video) => video.files),
      ...table.files,
      sidecarFile,
      tasksFile,
    ]
    const { mixture } = this.#dataset
    if (mixture) {
      const frames = { folder: this.#folder, dataFiles, episodes: this.#places, tasks: [...this.#tasks.keys()] }
      files.push(await writeWeights(frames, mixture))
    }
    for (const [path, value] of this.#dataset.sidecars ?? []) files.push(await this.#writeText(path, formatJson(value)))
    files.push(await this.#writeText('meta/stats.json', formatJson(statistics)))
    if (this.#options.readme !== undefined) files.push(await this.#writeText('README.md', this.#options.readme))
    const info = new Map(this.#videoCameras.map(({ name }, index) => [name, (videos[index]?.info ?? {}) as JsonObject]))
    const splits = this.#splits.describeRanges()
    reportSplits(this.#splits, this.#lost, this.#findings)
    const totals = { episodes: this.#episodeCount, frames: this.#frameCount, tasks: this.#tasks.size }
    files.push(await this.#writeText('meta/info.json', formatJson(describeInfo(this.#dataset, totals, info, splits))))
    const isVideo = new Set(videos.flatMap((video) => video.files))
    for (const file of files) if (!isVideo.has(file)) this.#options.onFile?.(file)
    await cameras.measures.report()
    const findings = [...this.#dataset.findings, ...this.#findings.list]
    return {
      episodeCount: this.#episodeCount,
      frameCount: this.#frameCount,
      splits: this.#splits.list(),
      files,
      findings,
      losses: [],
    }
  }

  /** What is not finite takes no part, and the source's statistics do not say how much that is. */
  async #measureDataset(dataFiles: readonly string[]) {
    const measured = await this.#statistics.describeDataset(this.#folder, dataFiles, this.#frameCount, this.#options)
    if (this.#isCarried && !measured.areFinite) throw new CannotKeep()
    return measured.statistics
  }

  /** Everything that may fail by the episode's fault happens before `#commit`; until then nothing is final. */
  async #writeEpisode(position: number, parts: Parts): Promise<void> {
    const episode = this.#dataset.getEpisode(position)
    const { signal } = this.#options
    const numbers = { episodeIndex: this.#episodeCount, fromIndex: this.#frameCount, fps: this.#dataset.fps }
    const taskCount = this.#tasks.size
    const foundBefore = this.#findings.list.length
    let rule: RuleId = 'episode-file-unreadable'
    try {
      if (episode.length === 0) throw new FormatError('episode_unreadable', 'it has no frames.')
      await parts.rows.beginEpisode(episode.length)
      const stored = listStoredFeatures(this.#dataset.features)
      const numberTask = (task: string) => this.#numberTask(task)
      const writeRows = (...rows: Parameters<RowFiles['writeRows']>) => parts.rows.writeRows(...rows)
      // Both are waited for, whichever fails: rows must not be rolled back while they are still written.
      const [reading, measuring] = await Promise.allSettled([
        this.#readEpisode(episode, stored, numbers, { numberTask, writeRows }, parts),
        parts.cameras.take(position, episode),
      ])
      if (reading.status === 'rejected') throw reading.reason
      rule = 'video-unreadable'
      if (measuring.status === 'rejected') throw measuring.reason
      const { films, statistics } = measuring.value
      const cameras = new Map([...reading.value.cameras, ...statistics])
      await this.#commit(episode, numbers, films, { ...reading.value, cameras }, parts)
    } catch (error) {
      if (!(error instanceof FormatError) || neverTheEpisodesFault.has(error.code) || signal?.aborted) throw error
      await requireSpace(this.#folder)
      if (this.#dataset.intact?.data || (this.#dataset.intact?.videos.size ?? 0) > 0) throw new CannotKeep()
      await parts.rows.dropEpisode()
      for (const task of [...this.#tasks.keys()].slice(taskCount)) this.#tasks.delete(task)
      // Its cameras may have been encoded while its rows failed; the report speaks of what is in the dataset.
      this.#findings.forgetEpisode(episode.sourceIndex, foundBefore)
      this.#findings.add(rule, `${nameEpisode(episode)} is left out: ${error.message}`, episode.sourceIndex)
      for (const split of episode.splits) {
        const lost = this.#lost.get(split) ?? []
        this.#lost.set(split, lost)
        lost.push(episode.sourceIndex)
      }
    }
  }

  /** Statistics that the source knows are taken over with rows that stay what they are. */
  async #readEpisode(
    episode: Episode,
    stored: ReturnType<typeof listStoredFeatures>,
    numbers: EpisodeNumbers,
    sink: Parameters<typeof collectEpisode>[3],
    { rows }: Parts,
  ): Promise<CollectedEpisode> {
    const { signal } = this.#options
    const isKnown = this.#options.cameraStatistics === 'carry' && rows instanceof RenumberedRows
    const known = isKnown ? await renumberEpisode(episode, stored, numbers, sink, signal) : undefined
    if (known) this.#isCarried = true
    return known ?? collectEpisode(episode, stored, numbers, sink, signal)
  }

  async #commit(
    episode: Episode,
    numbers: EpisodeNumbers,
    films: readonly OpenFilm[],
    collected: CollectedEpisode,
    parts: Parts,
  ): Promise<void> {
    const { episodeIndex, fromIndex, fps } = numbers
    const { sourceIndex, sourceId, length, tasks, splits } = episode
    const data = await parts.rows.endEpisode()
    const videos = []
    for (const film of films) {
      const { chunk, file, startFrame } = await film.append()
      videos.push({ chunk, file, fromSeconds: startFrame / fps, toSeconds: (startFrame + length) / fps })
    }
    this.#statistics.add(collected)
    for (const name of collected.notFiniteFeatures) {
      this.#findings.add(
        'values-not-finite',
        `${nameEpisode(episode)}: ${name} contains NaN or infinite values.`,
        sourceIndex,
      )
    }
    if (this.#options.comparesStated) {
      const moments = new Map([...collected.statistics].map(([name, own]) => [name, own.moments] as const))
      reportStale(await episode.findStatedStatistics?.(), moments, this.#findings, sourceIndex)
    }
    const statistics = this.#statistics.describeEpisode(collected)
    await parts.table.add({ episodeIndex, tasks, length, data, fromIndex, videos, statistics })
    await parts.sidecar.add(episodeIndex, episode, collected.cameras)
    this.#splits.add(episodeIndex, splits)
    if (this.#dataset.mixture) this.#places.push({ place: episode.sourcePlace ?? 0, length })
    this.#episodeCount++
    this.#frameCount += length
    await this.#options.onEpisode?.({ episodeIndex, sourceIndex, sourceId, length })
  }

  #numberTask(task: string): number {
    const known = this.#tasks.get(task)
    if (known !== undefined) return known
    this.#tasks.set(task, this.#tasks.size)
    return this.#tasks.size - 1
  }

  async #writeText(path: string, text: string): Promise<{ path: string; sizeBytes: number }> {
    await writeFile(join(this.#folder, path), text, { flush: true })
    return { path, sizeBytes: Buffer.byteLength(text) }
  }
}
