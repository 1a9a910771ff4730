import {
  createParquetWriter,
  type FieldValues,
  type ParquetWriter,
  type WriterMark,
} from '../../containers/parquet/writer.ts'
import type { Feature } from '../../feature.ts'
import { type NumberedFile, nameFile, numberFile, prepareFile } from './numbered-file.ts'
import { describeFields, describeMetadata } from './schema.ts'

/** data/: one row group per episode, files closed before the limit, an episode never split over two; the disk is waited for by the writer. */
export class RowFiles {
  readonly files: { path: string; sizeBytes: number }[] = []
  readonly #root: string
  readonly #stored: readonly Feature[]
  readonly #metadata: readonly [string, string][]
  readonly #limitBytes: number
  #writer: ParquetWriter | undefined
  #mark: WriterMark | undefined
  #place = -1

  constructor(root: string, stored: readonly Feature[], limitBytes: number) {
    this.#root = root
    this.#stored = stored
    this.#metadata = describeMetadata(stored)
    this.#limitBytes = limitBytes
  }

  async beginEpisode(frameCount: number): Promise<void> {
    const writer = this.#writer
    if (writer && writer.sizeBytes * (1 + frameCount / Math.max(1, writer.rowCount)) >= this.#limitBytes)
      await this.#closeFile()
    this.#writer ??= await this.#openFile()
    this.#mark = this.#writer.mark()
  }

  async writeRows(rowCount: number, values: readonly FieldValues[]): Promise<void> {
    await this.#writer?.writeRows(rowCount, values)
  }

  async endEpisode(): Promise<NumberedFile> {
    await this.#writer?.endRowGroup()
    return numberFile(this.#place)
  }

  /** Forgets the rows since `beginEpisode`. */
  async dropEpisode(): Promise<void> {
    if (this.#mark) await this.#writer?.rollback(this.#mark)
  }

  async finish(): Promise<void> {
    await this.#closeFile()
  }

  async abandon(): Promise<void> {
    await this.#writer?.abandon()
  }

  async #openFile(): Promise<ParquetWriter> {
    const path = await prepareFile(this.#root, nameFile('data', numberFile(++this.#place), 'parquet'))
    return createParquetWriter(path, describeFields(this.#stored), this.#metadata, { isDurable: false })
  }

  async #closeFile(): Promise<void> {
    const sizeBytes = await this.#writer?.finish()
    this.#writer = undefined
    if (sizeBytes !== undefined)
      this.files.push({ path: nameFile('data', numberFile(this.#place), 'parquet'), sizeBytes })
  }
}
