import type { ColumnRequest, ParquetReader } from '../../containers/parquet/parquet.ts'
import type { KnownCameraStatistics } from '../../dataset.ts'
import type { FileTree } from '../../file-tree.ts'
import { createCameraStatistics } from '../../statistics/camera.ts'
import { toDoubles } from '../../statistics/doubles.ts'

/** meta/nmp-episodes.parquet, which the v3 writer leaves beside LeRobot's own files. */
export const sidecarPath = 'meta/nmp-episodes.parquet'

interface KnownEpisode {
  readonly episodeIndex: number
  readonly known: KnownCameraStatistics | undefined
}

interface Stream {
  next: number
  episodes: AsyncGenerator<KnownEpisode>
  /** Parts of one episode ask one after the other. */
  last?: KnownEpisode
}

/** Reads camera histograms episode after episode; a jump backwards starts anew. */
export class SidecarReader {
  readonly #tree: FileTree
  readonly #reader: ParquetReader
  #isThere: boolean | undefined
  readonly #streams = new Map<string, Stream>()

  constructor(tree: FileTree, reader: ParquetReader) {
    this.#tree = tree
    this.#reader = reader
  }

  async find(camera: string, episodeIndex: number): Promise<KnownCameraStatistics | undefined> {
    this.#isThere ??= (await this.#tree.find(sidecarPath)) !== undefined
    if (!this.#isThere) return undefined
    let stream = this.#streams.get(camera)
    if (stream?.last?.episodeIndex === episodeIndex) return stream.last.known
    if (!stream || stream.next > episodeIndex) {
      await stream?.episodes.return(undefined)
      stream = { next: 0, episodes: readEpisodes(this.#reader, await this.#tree.locate(sidecarPath), camera) }
      this.#streams.set(camera, stream)
    }
    for (let { value, done } = await stream.episodes.next(); !done; { value, done } = await stream.episodes.next()) {
      stream.next++
      if (value?.episodeIndex !== episodeIndex) continue
      stream.last = value
      return value.known
    }
    return undefined
  }

  async close(): Promise<void> {
    for (const { episodes } of this.#streams.values()) await episodes.return(undefined)
    this.#streams.clear()
  }
}

/** Channels and bins of the histograms of a colour camera, and of one of depth. */
export const histogramShapes = [false, true].map((isDepth) => {
  const { histograms } = createCameraStatistics(isDepth ? 1 : 3, isDepth)
  return [histograms.length, histograms[0]?.length ?? 0] as const
})

/** Histograms of one shape lie as plain numbers; where one is missing, and in older files, they are lists value by value. */
async function* readEpisodes(reader: ParquetReader, path: string, camera: string): AsyncGenerator<KnownEpisode> {
  const names = ['episode_index', `cameras/${camera}/frames`, `cameras/${camera}/histograms`] as const
  let row = 0
  for (const shape of histogramShapes) {
    const requests: ColumnRequest[] = names.map((name, at) => ({ name, dtype: 'int64', shape: at === 2 ? shape : [1] }))
    const ended = yield* readPlain(reader.scanOwn(path, requests, { startRow: row }), shape)
    if (ended === undefined) return
    row = ended
  }
  for await (const record of reader.readRecords(path, names)) {
    if (row-- > 0) continue
    const histograms = record[names[2]]
    const known = Array.isArray(histograms)
      ? toKnown(
          Number(record[names[1]]),
          histograms.map((bins) => toCounts(bins as unknown[])),
        )
      : undefined
    yield { episodeIndex: Number(record.episode_index), known }
  }
}

/** Answers as the scan does: the row where something else begins, or undefined at the end. */
async function* readPlain(
  chunks: ReturnType<ParquetReader['scanOwn']>,
  shape: readonly [number, number],
): AsyncGenerator<KnownEpisode, number | undefined> {
  try {
    for (;;) {
      const { value: chunk, done } = await chunks.next()
      if (done) return chunk
      const [numbers, frames, counts] = chunk.columns.map((column) => toDoubles(column as BigInt64Array))
      for (let at = 0; at < chunk.rowCount; at++)
        yield {
          episodeIndex: numbers?.[at] ?? -1,
          known: toKnown(frames?.[at] ?? 0, cutHistograms(counts as Float64Array, at, shape)),
        }
    }
  } finally {
    await chunks.return(undefined)
  }
}

function cutHistograms(counts: Float64Array, row: number, [channels, bins]: readonly [number, number]): Float64Array[] {
  const start = row * channels * bins
  return Array.from({ length: channels }, (_, channel) =>
    counts.subarray(start + channel * bins, start + (channel + 1) * bins),
  )
}

function toCounts(bins: readonly unknown[]): Float64Array {
  const counts = new Float64Array(bins.length)
  for (let bin = 0; bin < bins.length; bin++) counts[bin] = Number(bins[bin])
  return counts
}

const toKnown = (frameCount: number, histograms: Float64Array[]): KnownCameraStatistics | undefined =>
  frameCount > 0 ? { statistics: { frameCount, histograms }, isOfWhole: false } : undefined
