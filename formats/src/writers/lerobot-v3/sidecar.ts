import type { NestedValue } from '../../containers/parquet/levels.ts'
import { list, value } from '../../containers/parquet/schema.ts'
import { createParquetWriter, type FieldValues, type ParquetWriter } from '../../containers/parquet/writer.ts'
import type { Dataset, Episode, Origin } from '../../dataset.ts'
import { histogramShapes, sidecarPath } from '../../layouts/lerobot/sidecar.ts'
import type { CameraStatistics } from '../../statistics/camera.ts'
import { toBigInts } from '../../statistics/doubles.ts'
import { prepareFile } from './numbered-file.ts'

/** A file that LeRobot's loaders do not look at: where each episode came from, its splits, and the histograms behind the camera statistics. */
const groupBytes = 1024 * 1024
/** A group is read at once, and histograms of pictures that are much alike become sixteen times as large. */
const groupRows = 512
/** A page for each episode would be thousands of small ones. */
const rowsAtOnce = 32

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

interface HeldEpisode {
  readonly episodeIndex: number
  readonly episode: Episode
  readonly cameras: ReadonlyMap<string, CameraStatistics>
}

export class Sidecar {
  readonly #writer: ParquetWriter
  readonly #cameras: readonly string[]
  readonly #told: ToldOfRecipes
  #flushedBytes = 0
  #openRows = 0
  #held: HeldEpisode[] = []

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
    this.#held.push({ episodeIndex, episode, cameras })
    if (this.#held.length >= rowsAtOnce) await this.#flush()
  }

  async #flush(): Promise<void> {
    const held = this.#held
    this.#held = []
    const take = (pick: (row: HeldEpisode) => NestedValue): FieldValues => ({ rows: held.map(pick) })
    const { sources, hasRoots, hasRanges } = this.#told
    const findSource = ({ episode }: HeldEpisode) => sources?.[episode.sourcePlace ?? 0]
    await this.#writer.writeRows(held.length, [
      take(({ episodeIndex }) => episodeIndex),
      take(({ episode }) => episode.sourceIndex),
      take(({ episode }) => episode.sourceId),
      ...(sources
        ? [
            take(({ episode }) => episode.sourcePlace ?? 0),
            take((row) => findSource(row)?.datasetId ?? ''),
            take((row) => findSource(row)?.revision ?? ''),
          ]
        : []),
      ...(hasRoots ? [take(({ episode }) => episode.rootIndex ?? episode.sourceIndex)] : []),
      ...(hasRanges ? [take(({ episode }) => episode.sourceRanges ?? [[0, episode.length]])] : []),
      take(({ episode }) => episode.splits),
      ...this.#cameras.flatMap((name) => {
        const all = held.map(({ cameras }) => cameras.get(name))
        return [{ rows: all.map((statistics) => statistics?.frameCount ?? 0) }, takeHistograms(all)]
      }),
    ])
    this.#openRows += held.length
    if (this.#writer.sizeBytes - this.#flushedBytes <= groupBytes && this.#openRows < groupRows) return
    await this.#writer.endRowGroup()
    this.#openRows = 0
    this.#flushedBytes = this.#writer.sizeBytes
  }

  async finish(): Promise<{ path: string; sizeBytes: number }> {
    await this.#flush()
    return { path: sidecarPath, sizeBytes: await this.#writer.finish() }
  }

  async abandon(): Promise<void> {
    await this.#writer.abandon()
  }
}

/** Of one shape in every episode they are written and read as they lie in memory; lists where one has none. */
function takeHistograms(all: readonly (CameraStatistics | undefined)[]): FieldValues {
  const fits = ([channels, bins]: readonly [number, number]): boolean =>
    all.every(
      (statistics) =>
        statistics?.histograms.length === channels && statistics.histograms.every(({ length }) => length === bins),
    )
  const shape = histogramShapes.find(fits)
  if (!shape) return { rows: all.map((statistics) => statistics?.histograms ?? []) }
  const [channels, bins] = shape
  const counts = new Float64Array(all.length * channels * bins)
  for (const [place, histogram] of all.flatMap((statistics) => statistics?.histograms ?? []).entries())
    counts.set(histogram, place * bins)
  return { shape, numbers: toBigInts(counts.length, (place) => counts[place] as number) }
}
