import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import { type StatedPixels, takeStatedPixels } from '../../statistics/stated-pixels.ts'
import { readStatedBlocks } from './stated-blocks.ts'

/** Beyond, nothing is held of an episode: 24 MB a camera. */
const mostEpisodes = 1_000_000
/** Three means and three deviations. */
const numbersAnEpisode = 6

/**
 * What meta says of the pixels of each episode, 24 bytes for each camera. All of it is read when somebody asks first: episodes are asked
 * for in any order, some before their turn.
 */
export class StatedCamerasReader {
  readonly #tree: FileTree
  readonly #reader: ParquetReader
  readonly #cameras: readonly string[]
  #reading: Promise<ReadonlyMap<string, Float32Array>> | undefined

  /** `cameras`: their names in the source. */
  constructor(tree: FileTree, reader: ParquetReader, cameras: readonly string[]) {
    this.#tree = tree
    this.#reader = reader
    this.#cameras = cameras
  }

  /** Undefined where nothing is stated, or what is stated cannot be right. */
  async find(camera: string, episodeIndex: number): Promise<StatedPixels | undefined> {
    this.#reading ??= this.#read()
    const numbers = (await this.#reading).get(camera)
    const start = episodeIndex * numbersAnEpisode
    const [...own] = numbers?.subarray(start, start + numbersAnEpisode) ?? []
    return own.length === numbersAnEpisode && own.every(Number.isFinite)
      ? { mean: own.slice(0, 3), std: own.slice(3) }
      : undefined
  }

  async #read(): Promise<ReadonlyMap<string, Float32Array>> {
    const held = new Map<string, Float32Array>(this.#cameras.map((camera) => [camera, new Float32Array(0)]))
    try {
      for await (const { episodeIndex, find } of readStatedBlocks(this.#tree, this.#reader, this.#cameras)) {
        if (!Number.isSafeInteger(episodeIndex) || episodeIndex < 0 || episodeIndex >= mostEpisodes) continue
        const start = episodeIndex * numbersAnEpisode
        for (const [camera, numbers] of held) {
          const stated = takeStatedPixels(find(camera))
          if (!stated) continue
          const room = makeRoom(numbers, start + numbersAnEpisode)
          room.set([...stated.mean, ...stated.std], start)
          held.set(camera, room)
        }
      }
    } catch (error) {
      // What cannot be read is not used: the pixels are measured then.
      if (!(error instanceof FormatError)) throw error
    }
    return held
  }
}

/** What is not stated is not a number. */
function makeRoom(numbers: Float32Array, length: number): Float32Array {
  if (numbers.length >= length) return numbers
  const larger = new Float32Array(Math.max(length, 2 * numbers.length)).fill(Number.NaN)
  larger.set(numbers)
  return larger
}
