import type { ColumnRequest, ParquetReader, RowChunk } from '../../containers/parquet/parquet.ts'
import type { Values } from '../../dataset.ts'
import { countValues } from '../../feature.ts'

interface Stream {
  readonly key: string
  readonly chunks: AsyncGenerator<RowChunk>
  /** Rows already fetched beyond the last range. */
  rest: RowChunk | undefined
  nextRow: number
}

/** Reads row ranges of data files. Ranges that follow each other share one scan, so a file of a thousand episodes is read once. */
export class RowReader implements AsyncDisposable {
  readonly #reader: ParquetReader
  #idle: Stream | undefined
  #isClosed = false

  constructor(reader: ParquetReader) {
    this.#reader = reader
  }

  async *read(
    path: string,
    columns: readonly ColumnRequest[],
    startRow: number,
    endRow: number,
    signal?: AbortSignal,
  ): AsyncGenerator<RowChunk> {
    if (this.#isClosed) throw new Error('the dataset was closed before this was read')
    const stream = await this.#take(path, columns, startRow)
    let isWhole = false
    try {
      while (stream.nextRow < endRow) {
        signal?.throwIfAborted()
        const chunk = stream.rest ?? (await stream.chunks.next()).value
        if (!chunk) break
        const rowCount = Math.min(chunk.rowCount, endRow - stream.nextRow)
        stream.rest = rowCount < chunk.rowCount ? sliceChunk(chunk, columns, rowCount, chunk.rowCount) : undefined
        stream.nextRow += rowCount
        yield rowCount < chunk.rowCount ? sliceChunk(chunk, columns, 0, rowCount) : chunk
      }
      isWhole = true
    } finally {
      if (isWhole && !this.#idle && !this.#isClosed) this.#idle = stream
      else await stream.chunks.return(undefined)
    }
  }

  /** Whoever still reads is let finish; nothing stays open after that. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#idle?.chunks.return(undefined)
    this.#idle = undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #take(path: string, columns: readonly ColumnRequest[], startRow: number): Promise<Stream> {
    const key = JSON.stringify([path, columns])
    const idle = this.#idle
    this.#idle = undefined
    if (idle?.key === key && idle.nextRow === startRow) return idle
    await idle?.chunks.return(undefined)
    return { key, chunks: this.#reader.scan(path, columns, { startRow }), rest: undefined, nextRow: startRow }
  }
}

function sliceChunk(chunk: RowChunk, columns: readonly ColumnRequest[], start: number, end: number): RowChunk {
  const slice = (values: Values, index: number): Values => {
    if (Array.isArray(values)) return values.slice(start, end)
    const width = countValues(columns[index]?.shape ?? [1])
    return (values as Float32Array).subarray(start * width, end * width)
  }
  return { startRow: chunk.startRow + start, rowCount: end - start, columns: chunk.columns.map(slice) }
}
