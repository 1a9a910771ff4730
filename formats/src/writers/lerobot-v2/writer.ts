import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BufferedFile } from '../../containers/buffered-file.ts'
import { createParquetWriter, type FieldValues } from '../../containers/parquet/writer.ts'
import type { Dataset, Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type CameraFeature, type ColumnFeature, type Feature, isCamera, isColumn } from '../../feature.ts'
import { Findings } from '../../finding.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { SplitTally } from '../../splits.ts'
import type { CameraStatistics } from '../../statistics/camera.ts'
import { requireCameraNames } from '../camera-names.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { type EpisodePlace, writeEpisodes } from '../episode-loop.ts'
import { collectEpisode } from '../lerobot-v3/episode.ts'
import { formatJson } from '../lerobot-v3/info.ts'
import { measureRanges } from '../lerobot-v3/measure-ranges.ts'
import { createFilePreparer } from '../lerobot-v3/numbered-file.ts'
import { HeldValues } from '../lerobot-v3/quantiles.ts'
import { describeFields, describeMetadata, listStoredFeatures } from '../lerobot-v3/schema.ts'
import { DatasetStatistics } from '../lerobot-v3/statistics.ts'
import { CameraFiles, type OpenRanges } from '../lerobot-v3/videos.ts'
import { listScatteredSplits } from '../split-losses.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import type { WriteOptions, WriteReport, WrittenFile } from '../writer.ts'
import { describeEpisodeStats, describeInfo, nameData, nameVideo } from './meta.ts'

export interface LeRobotV2Options extends WriteOptions {
  /** Videos of other codecs are encoded as this one; by default every packet is copied that can be. */
  readonly requiredCodec?: 'h264' | undefined
  /** Whose values are held while they are written, where they fit in memory. */
  readonly isHeldInMemory?: (column: ColumnFeature) => boolean
  /** Files that belong beside the dataset's own, from what is known when all episodes are written. */
  readonly describeMore?: (written: WrittenDataset) => Promise<ReadonlyMap<string, JsonValue>>
}

export interface WrittenDataset {
  readonly folder: string
  readonly features: readonly Feature[]
  readonly dataFiles: readonly string[]
  readonly frameCount: number
  readonly statistics: DatasetStatistics
  /** Of every row that was written; absent where they are too many, or an episode was left out. */
  readonly heldValues: HeldValues | undefined
}

/** The features that lerobot 0.3.3 has words for. */
export const isHeld = (feature: Feature): boolean => !(isColumn(feature) && feature.dtype === 'language')

/** Writes a LeRobot v2.1 dataset into an empty folder: files per episode. info.json comes last: its presence means the dataset is whole. */
export async function writeV2(dataset: Dataset, folder: string, options: LeRobotV2Options): Promise<WriteReport> {
  requireCameraNames(dataset.features)
  await requireEmptyFolder(folder)
  const { intact: _, ...plain } = dataset
  const held: Dataset = { ...plain, features: dataset.features.filter(isHeld) }
  await using workbench = await openWorkbench(folder, options)
  const writing = new DatasetWriting(held, folder, options, workbench)
  try {
    return await writing.run()
  } catch (error) {
    await writing.abandon()
    for (const entry of ['data', 'meta', 'videos']) await rm(join(folder, entry), { recursive: true, force: true })
    throw error
  }
}

class DatasetWriting {
  readonly #dataset: Dataset
  readonly #folder: string
  readonly #options: LeRobotV2Options
  readonly #prepare: (path: string) => Promise<string>
  readonly #workbench: Workbench
  readonly #stored: readonly Feature[]
  readonly #schema: readonly [ReturnType<typeof describeFields>, ReturnType<typeof describeMetadata>]
  readonly #cameras: readonly CameraFeature[]
  readonly #videos: readonly CameraFiles[]
  readonly #statistics: DatasetStatistics
  readonly #findings = new Findings()
  readonly #splits = new SplitTally()
  readonly #tasks = new Map<string, number>()
  readonly #data: WrittenFile[] = []
  #heldValues: HeldValues | undefined
  #lines: { episodes: BufferedFile; stats: BufferedFile } | undefined

  constructor(dataset: Dataset, folder: string, options: LeRobotV2Options, workbench: Workbench) {
    this.#dataset = dataset
    this.#folder = folder
    this.#prepare = createFilePreparer(folder)
    this.#options = options
    this.#workbench = workbench
    this.#stored = listStoredFeatures(dataset.features)
    this.#schema = [describeFields(this.#stored), describeMetadata(this.#stored, 'Sequence')]
    this.#cameras = dataset.features.filter(isCamera).filter(({ storage }) => storage === 'video')
    this.#statistics = new DatasetStatistics([...dataset.features, ...this.#stored.slice(-5)])
    this.#videos = this.#cameras.map((camera) => this.#openCamera(camera))
    const held = options.isHeldInMemory && this.#stored.filter(isColumn).filter(options.isHeldInMemory)
    this.#heldValues = held && HeldValues.create(held, dataset.frameCount)
  }

  async run(): Promise<WriteReport> {
    const openLines = async (path: string) => BufferedFile.create(await this.#prepare(path), { isDurable: false })
    this.#lines = {
      episodes: await openLines('meta/episodes.jsonl'),
      stats: await openLines('meta/episodes_stats.jsonl'),
    }
    const counts = await writeEpisodes(this.#dataset, this.#folder, this.#findings, this.#options, {
      write: (episode, place) => this.#writeEpisode(episode, place),
      drop: async ({ episodeIndex }) => {
        this.#heldValues = undefined
        await rm(join(this.#folder, nameData(episodeIndex)), { force: true })
      },
    })
    for (const video of this.#videos) await video.finish()
    const files = await this.#writeMeta(counts)
    const videos = this.#videos.flatMap((video) => video.files)
    for (const file of files) this.#options.onFile?.(file)
    return {
      ...counts,
      files: [...this.#data, ...videos, ...files],
      findings: [...this.#dataset.findings, ...this.#findings.list],
      losses: listScatteredSplits(this.#splits),
    }
  }

  async abandon(): Promise<void> {
    const { episodes, stats } = this.#lines ?? {}
    await Promise.allSettled([episodes?.abandon(), stats?.abandon(), ...this.#videos.map((video) => video.close())])
  }

  #openCamera(camera: CameraFeature): CameraFiles {
    const { signal, onFile, requiredCodec } = this.#options
    const { workFolder, codec, pool } = this.#workbench
    const { fps } = this.#dataset
    // A limit of nothing: every episode begins a file.
    const settings = {
      fps,
      limitBytes: 0,
      codec: requiredCodec ?? 'av1',
      pool,
      signal,
      isLinked: false,
      onFile,
    } as const
    return new CameraFiles(camera, {
      ...{ root: this.#folder, workFolder, codec, findings: this.#findings },
      settings: { ...settings, requiredCodec, nameFile: (place) => nameVideo(camera.name, place) },
    })
  }

  async #writeEpisode(episode: Episode, place: EpisodePlace): Promise<void> {
    const { signal } = this.#options
    const known = this.#tasks.size
    const path = nameData(place.episodeIndex)
    const file = await this.#prepare(path)
    const rows = await createParquetWriter(file, ...this.#schema, { isDurable: false })
    const numberTask = (task: string) => this.#numberTask(task)
    const writeRows = (rowCount: number, values: FieldValues[]) => {
      for (const [index, entry] of values.entries())
        if ('numbers' in entry) this.#heldValues?.add(this.#stored[index]?.name ?? '', entry.numbers)
      return rows.writeRows(rowCount, values)
    }
    const numbers = { ...place, fps: this.#dataset.fps }
    const [reading, measuring] = await Promise.allSettled([
      collectEpisode(episode, this.#stored, numbers, { numberTask, writeRows, hasQuantiles: false }, signal),
      this.#openRanges(episode),
    ])
    const failed = [reading, measuring].find(({ status }) => status === 'rejected')
    if (reading.status === 'rejected' || measuring.status === 'rejected') {
      await rows.abandon()
      for (const task of [...this.#tasks.keys()].slice(known)) this.#tasks.delete(task)
      throw (failed as PromiseRejectedResult).reason
    }
    const written = { path, sizeBytes: await rows.finish() }
    this.#data.push(written)
    this.#options.onFile?.(written)
    for (const [index, ranges] of measuring.value.ranges.entries()) await this.#videos[index]?.append(ranges)
    const { statistics, notFiniteFeatures } = reading.value
    const cameras = new Map([...reading.value.cameras, ...measuring.value.statistics])
    this.#statistics.add({ statistics, cameras })
    for (const name of notFiniteFeatures)
      this.#findings.add(
        'values-not-finite',
        `Episode ${episode.sourceIndex}: ${name} contains NaN or infinite values.`,
        episode.sourceIndex,
      )
    const { episodeIndex } = place
    const { tasks, length } = episode
    const stats = describeEpisodeStats(
      this.#statistics.features.map(({ name }) => name),
      statistics,
      cameras,
    )
    await this.#lines?.episodes.append(formatLine({ episode_index: episodeIndex, tasks: [...tasks], length }))
    await this.#lines?.stats.append(formatLine({ episode_index: episodeIndex, stats }))
    this.#splits.add(episodeIndex, episode.splits)
  }

  async #openRanges(episode: Episode) {
    const ranges = await Promise.all(
      this.#cameras.map(async ({ name }, index) =>
        (this.#videos[index] as CameraFiles).openRanges(await episode.openCamera(name), episode.sourceIndex),
      ),
    )
    const measured = await Promise.all(ranges.map((range, index) => this.#measure(episode, index, range)))
    const statistics = measured.flatMap((entry, index) =>
      entry ? [[this.#cameras[index]?.name ?? '', entry] as const] : [],
    )
    return { ranges, statistics }
  }

  async #measure(episode: Episode, index: number, ranges: OpenRanges): Promise<CameraStatistics | undefined> {
    const camera = this.#cameras[index] as CameraFeature
    const known = await episode.findCameraStatistics?.(camera.name)
    if (known && !known.isOfWhole) return known.statistics
    return measureRanges(this.#workbench.codec, ranges, camera, this.#options.signal).catch((error: unknown) => {
      if (!(error instanceof FormatError && error.code === 'codec_missing')) throw error
      this.#findings.addOnce('camera-not-measured', `${camera.name} has no statistics. ${error.message}`)
      return undefined
    })
  }

  async #writeMeta({ episodeCount, frameCount }: { episodeCount: number; frameCount: number }): Promise<WrittenFile[]> {
    const files: WrittenFile[] = []
    for (const [name, lines] of Object.entries(this.#lines ?? {})) {
      const path = name === 'stats' ? 'meta/episodes_stats.jsonl' : 'meta/episodes.jsonl'
      files.push({ path, sizeBytes: await lines.finish() })
    }
    const tasks = Buffer.concat([...this.#tasks].map(([task, task_index]) => formatLine({ task_index, task })))
    files.push(await this.#writeText('meta/tasks.jsonl', tasks.toString()))
    for (const [path, value] of this.#dataset.sidecars ?? []) files.push(await this.#writeText(path, formatJson(value)))
    const dataFiles = this.#data.map(({ path }) => path)
    const statistics = this.#statistics
    const heldValues = frameCount <= this.#dataset.frameCount ? this.#heldValues : undefined
    const written = { folder: this.#folder, dataFiles, frameCount, statistics, heldValues }
    const more = await this.#options.describeMore?.({ ...written, features: this.#dataset.features })
    for (const [path, value] of more ?? []) files.push(await this.#writeText(path, formatJson(value)))
    const info = new Map(
      this.#cameras.map(({ name }, index) => [name, (this.#videos[index]?.info ?? {}) as JsonObject]),
    )
    const totals = { episodes: episodeCount, frames: frameCount, tasks: this.#tasks.size }
    const described = describeInfo(this.#dataset, totals, info, this.#splits.describeRanges())
    files.push(await this.#writeText('meta/info.json', formatJson(described)))
    return files
  }

  #numberTask(task: string): number {
    const known = this.#tasks.get(task)
    if (known !== undefined) return known
    this.#tasks.set(task, this.#tasks.size)
    return this.#tasks.size - 1
  }

  async #writeText(path: string, text: string): Promise<WrittenFile> {
    await writeFile(await this.#prepare(path), text)
    return { path, sizeBytes: Buffer.byteLength(text) }
  }
}

const formatLine = (value: JsonValue): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)
