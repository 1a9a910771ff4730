import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import type { KnownCameraStatistics } from '../../dataset.ts'
import type { FileTree } from '../../file-tree.ts'

/** meta/nmp-episodes.parquet, which the v3 writer leaves beside LeRobot's own files. */
export const sidecarPath = 'meta/nmp-episodes.parquet'

interface Stream {
  next: number
  records: AsyncGenerator<Record<string, unknown>>
  /** Parts of one episode ask one after the other. */
  last?: { episodeIndex: number; known: KnownCameraStatistics | undefined }
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
      await stream?.records.return(undefined)
      const columns = ['episode_index', `cameras/${camera}/frames`, `cameras/${camera}/histograms`]
      stream = { next: 0, records: this.#reader.readRecords(await this.#tree.locate(sidecarPath), columns) }
      this.#streams.set(camera, stream)
    }
    for (let { value, done } = await stream.records.next(); !done; { value, done } = await stream.records.next()) {
      stream.next++
      if (Number(value?.episode_index) !== episodeIndex) continue
      const known = toStatistics(value, camera)
      stream.last = { episodeIndex, known }
      return known
    }
    return undefined
  }

  async close(): Promise<void> {
    for (const { records } of this.#streams.values()) await records.return(undefined)
    this.#streams.clear()
  }
}

function toCounts(bins: readonly unknown[]): Float64Array {
  const counts = new Float64Array(bins.length)
  for (let bin = 0; bin < bins.length; bin++) counts[bin] = Number(bins[bin])
  return counts
}

function toStatistics(record: Record<string, unknown> | undefined, camera: string): KnownCameraStatistics | undefined {
  const frameCount = Number(record?.[`cameras/${camera}/frames`])
  const histograms = record?.[`cameras/${camera}/histograms`]
  if (!(frameCount > 0) || !Array.isArray(histograms)) return undefined
  return { statistics: { frameCount, histograms: histograms.map(toCounts) }, isOfWhole: false }
}
