import { list, value } from '../../containers/parquet/schema.ts'
import { createParquetWriter, type ParquetWriter } from '../../containers/parquet/writer.ts'
import type { Dataset, Episode, Origin } from '../../dataset.ts'
import { sidecarPath } from '../../layouts/lerobot/sidecar.ts'
import type { CameraStatistics } from '../../statistics/camera.ts'
import { prepareFile } from './numbered-file.ts'

/** A file that LeRobot's loaders do not look at: where each episode came from, its splits, and the histograms behind the camera statistics. */
const groupBytes = 1024 * 1024

const sourceFields = [
  { name: 'source_index', node: value('int64') },
  { name: 'source_dataset_id', node: value('string') },
  { name: 'source_revision', node: value('string') },
]

interface ToldOfRecipes {
  /** Several recipes led here, so each episode has a number in the dataset that they began with, too. */
  readonly hasRoots: boolean
  /** Frames were left out: which of the source's each episode has, as ranges without their ends. */
  readonly hasRanges: boolean
  /** Several datasets were merged: each episode says which it is from. */
  readonly sources?: Dataset['sources'] | undefined
}

export class Sidecar {
  readonly #writer: ParquetWriter
  readonly #cameras: readonly string[]
  readonly #told: ToldOfRecipes
  #flushedBytes = 0

  private constructor(writer: ParquetWriter, cameras: readonly string[], told: ToldOfRecipes) {
    this.#writer = writer
    this.#cameras = cameras
    this.#told = told
  }

  static async create(root: string, origin: Origin, cameras: readonly string[], told: ToldOfRecipes): Promise<Sidecar> {
    const fields = [
      { name: 'episode_index', node: value('int64') },
      { name: 'source_episode_index', node: value('int64') },
      { name: 'source_episode_id', node: value('string') },
      ...(told.sources ? sourceFields : []),
      ...(told.hasRoots ? [{ name: 'root_episode_index', node: value('int64') }] : []),
      ...(told.hasRanges ? [{ name: 'source_frames', node: list(list(value('int64'))) }] : []),
      { name: 'splits', node: list(value('string')) },
      ...cameras.flatMap((name) => [
        { name: `cameras/${name}/frames`, node: value('int64') },
        { name: `cameras/${name}/histograms`, node: list(list(value('int64'))) },
      ]),
    ]
    const writer = await createParquetWriter(await prepareFile(root, sidecarPath), fields, [
      ['nmp:origin', JSON.stringify(origin)],
      ...(told.sources ? [['nmp:sources', JSON.stringify(told.sources)] as [string, string]] : []),
    ])
    return new Sidecar(writer, cameras, told)
  }

  async add(episodeIndex: number, episode: Episode, cameras: ReadonlyMap<string, CameraStatistics>): Promise<void> {
    const histograms = this.#cameras.flatMap((name) => {
      const statistics = cameras.get(name)
      return [{ rows: [statistics?.frameCount ?? 0] }, { rows: [statistics?.histograms ?? []] }]
    })
    await this.#writer.writeRows(1, [
      { rows: [episodeIndex] },
      { rows: [episode.sourceIndex] },
      { rows: [episode.sourceId] },
      ...this.#tellSource(episode),
      ...(this.#told.hasRoots ? [{ rows: [episode.rootIndex ?? episode.sourceIndex] }] : []),
      ...(this.#told.hasRanges ? [{ rows: [episode.sourceRanges ?? [[0, episode.length]]] }] : []),
      { rows: [episode.splits] },
      ...histograms,
    ])
    if (this.#writer.sizeBytes - this.#flushedBytes > groupBytes) {
      await this.#writer.endRowGroup()
      this.#flushedBytes = this.#writer.sizeBytes
    }
  }

  #tellSource({ sourcePlace = 0 }: Episode) {
    const { sources } = this.#told
    const source = sources?.[sourcePlace]
    return sources
      ? [sourcePlace, source?.datasetId ?? '', source?.revision ?? ''].map((entry) => ({ rows: [entry] }))
      : []
  }

  async finish(): Promise<{ path: string; sizeBytes: number }> {
    return { path: sidecarPath, sizeBytes: await this.#writer.finish() }
  }

  async abandon(): Promise<void> {
    await this.#writer.abandon()
  }
}
