import type { JsonObject } from '../../json.ts'
import type { ZarrStore } from './stores.ts'

/** How the chunks of an array are stored, with the description that readers find the decoder by. */
export interface ChunkCoder {
  readonly compressor: JsonObject | null
  encode(chunk: Uint8Array): Promise<Uint8Array> | Uint8Array
}

export interface ArrayShape {
  /** NumPy's, e.g. `<f4`. */
  readonly dtype: string
  readonly itemBytes: number
  readonly rowShape: readonly number[]
  readonly rowsPerChunk: number
}

/** One array of Zarr version 2, which grows by rows: no more of it is in memory than chunks that are not stored yet. */
export class ChunkedArray {
  readonly #path: string
  readonly #store: ZarrStore
  readonly #shape: ArrayShape
  readonly #coder: ChunkCoder
  readonly #chunkBytes: number
  #rows = 0
  /** Where the last rows lie; zero behind them. */
  #chunk: Uint8Array | undefined
  #marked: { rows: number; chunk: Uint8Array | undefined } = { rows: 0, chunk: undefined }

  constructor(path: string, store: ZarrStore, shape: ArrayShape, coder: ChunkCoder) {
    this.#path = path
    this.#store = store
    this.#shape = shape
    this.#coder = coder
    this.#chunkBytes = shape.rowShape.reduce((product, size) => product * size, shape.itemBytes) * shape.rowsPerChunk
  }

  /** Rows that are a chunk each are stored from where they lie: their memory is the array's from here on. */
  async append(bytes: Uint8Array): Promise<void> {
    const { rowsPerChunk } = this.#shape
    const rowBytes = this.#chunkBytes / rowsPerChunk
    for (let at = 0; at < bytes.length; ) {
      const filled = this.#rows % rowsPerChunk
      const piece = bytes.subarray(at, at + (rowsPerChunk - filled) * rowBytes)
      const chunk = rowsPerChunk === 1 ? piece : (this.#chunk ?? new Uint8Array(this.#chunkBytes))
      if (chunk !== piece) chunk.set(piece, filled * rowBytes)
      at += piece.length
      this.#rows += piece.length / rowBytes
      const isFull = this.#rows % rowsPerChunk === 0
      this.#chunk = isFull ? undefined : chunk
      if (isFull) await this.#storeChunk(this.#rows / rowsPerChunk - 1, chunk)
    }
  }

  /** Rows behind it go behind it: what is there of its chunk stays as it is. */
  mark(): void {
    this.#marked = { rows: this.#rows, chunk: this.#chunk }
  }

  /** To the mark; the store takes back its files itself. */
  rewind(): void {
    const { rows, chunk } = this.#marked
    const { rowsPerChunk } = this.#shape
    chunk?.fill(0, ((rows % rowsPerChunk) * this.#chunkBytes) / rowsPerChunk)
    this.#rows = rows
    this.#chunk = chunk
  }

  /** Stores the rest, a chunk that is zero from there on, and says what the array is. */
  async finish(): Promise<void> {
    const { dtype, rowShape, rowsPerChunk } = this.#shape
    if (this.#chunk) await this.#storeChunk(Math.floor(this.#rows / rowsPerChunk), this.#chunk)
    const described = {
      chunks: [rowsPerChunk, ...rowShape],
      compressor: this.#coder.compressor,
      dtype,
      fill_value: 0,
      filters: null,
      order: 'C',
      shape: [this.#rows, ...rowShape],
      zarr_format: 2,
    }
    await this.#store.put(`${this.#path}/.zarray`, Buffer.from(JSON.stringify(described, null, 4)))
  }

  async #storeChunk(index: number, chunk: Uint8Array): Promise<void> {
    const name = [index, ...this.#shape.rowShape.map(() => 0)].join('.')
    await this.#store.put(`${this.#path}/${name}`, this.#coder.encode(chunk))
  }
}
