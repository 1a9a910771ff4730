import { type OpenByteSource, openFile, readAhead } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { BufferedFile } from '../buffered-file.ts'
import { type ParquetChunk, type ParquetFooter, parseParquetFooter, readFooterBytes } from './footer.ts'
import { levelFixedShape } from './levels.ts'
import { type Compress, createCompress, encodePage } from './page.ts'
import { type LeafSchema, physicalTypes } from './schema.ts'
import { encodeThrift } from './thrift.ts'
import {
  i64Span,
  joinList,
  joinStruct,
  readSpanNumber,
  splitList,
  splitStruct,
  structSpan,
  type ThriftSpan,
  type ThriftSpans,
} from './thrift-spans.ts'
import { describeChunk, encodeChunk, magic } from './writer.ts'

/**
 * Parquet files copied with other numbers in some columns: all other columns stay the bytes they are, whatever wrote them. Several files
 * of one schema become one.
 */

/** A file to copy from. */
export interface CopySource extends AsyncDisposable {
  readonly footer: ParquetFooter
  readonly sizeBytes: number
  /** Schema and metadata: files in which they are equal can be one. */
  readonly form: string
  readonly spans: ThriftSpans
  /** Some bytes of it; what comes soon after is read with them. */
  read(from: number, to: number): Promise<Uint8Array>
}

const [schemaField, rowCountField, groupsField, orderField, cryptField] = [2, 3, 4, 7, 8]
const pieceBytes = 1024 * 1024

/** Undefined for a file that is kept secret in part: its columns cannot be moved. */
export async function openCopySource(path: string, name: string): Promise<CopySource | undefined> {
  const source: OpenByteSource = await openFile(path)
  try {
    const bytes = await readFooterBytes(source, name)
    const sizeBytes = await source.length()
    const footer = parseParquetFooter(bytes, sizeBytes, name)
    const { fields: spans } = splitStruct(bytes)
    if (spans.has(cryptField)) {
      await source.close()
      return undefined
    }
    const form = describeForm(footer, spans)
    const { read } = readAhead(source)
    return { footer, sizeBytes, form, spans, read, [Symbol.asyncDispose]: () => source.close() }
  } catch (error) {
    await source.close()
    throw error
  }
}

/** `datasets` gives every file that it writes a fingerprint of its own, in its metadata and again inside Arrow's schema. */
const fingerprint = /"fingerprint": ?"[0-9a-f]*"/g

function describeForm({ metadata }: ParquetFooter, spans: ThriftSpans): string {
  const parts = [schemaField, orderField].map((id) => Buffer.from(spans.get(id)?.bytes ?? []).toString('latin1'))
  const texts = [...metadata].map(([key, text]) =>
    key === 'ARROW:schema' ? [key, Buffer.from(text, 'base64').toString('latin1')] : [key, text],
  )
  return JSON.stringify([parts, texts]).replaceAll('\\"', '"').replaceAll(fingerprint, '')
}

/** Whether these columns can be replaced: one optional number a row, as everybody writes them. */
export const canReplace = ({ footer }: CopySource, names: readonly string[]): boolean =>
  names.every((name) => {
    const column = footer.columns.find((candidate) => candidate.name === name)
    const leaf = column?.leaves[0]
    return (
      column?.leaves.length === 1 &&
      leaf?.physicalType === physicalTypes.int64 &&
      leaf.maxDefinition === 1 &&
      leaf.maxRepetition === 0
    )
  })

interface PlacedChunk {
  readonly bytes: Uint8Array
  readonly uncompressedBytes: number
  readonly compressedBytes: number
}

export class ParquetCopier {
  readonly #file: BufferedFile
  readonly #compress: Compress = createCompress()
  readonly #head: ThriftSpans
  readonly #groups: Uint8Array[] = []
  #rowCount = 0

  private constructor(file: BufferedFile, head: ThriftSpans) {
    this.#file = file
    this.#head = head
  }

  /** The new file has the schema and metadata of `first`. */
  static async create(
    path: string,
    first: CopySource,
    durability: { isDurable?: boolean } = {},
  ): Promise<ParquetCopier> {
    const file = await BufferedFile.create(path, durability)
    await file.append(magic)
    return new ParquetCopier(file, new Map(first.spans))
  }

  get sizeBytes(): number {
    return this.#file.offset
  }

  /** All rows of a file; `replaced` has the new numbers of all of them, by column. */
  async add(source: CopySource, replaced: ReadonlyMap<string, BigInt64Array>): Promise<void> {
    const leaves = source.footer.columns.flatMap((column) => column.leaves)
    const groups = splitList(source.spans.get(groupsField) as ThriftSpan)
    let row = 0
    for (const [place, { rowCount, chunks }] of source.footer.rowGroups.entries()) {
      const { fields } = splitStruct(groups[place] as Uint8Array)
      const described = splitList(fields.get(1) as ThriftSpan)
      const start = this.#file.offset
      const placed: PlacedChunk[] = []
      for (const [at, chunk] of chunks.entries()) {
        const leaf = leaves[at]
        const numbers = leaf?.path.length === 1 ? replaced.get(leaf.path[0] as string) : undefined
        placed.push(
          leaf && numbers
            ? await this.#write({ ...leaf, dtype: 'int64' }, numbers.subarray(row, row + rowCount))
            : await this.#copy(source, chunk, described[at] as Uint8Array),
        )
      }
      const sum = (count: (chunk: PlacedChunk) => number) => placed.reduce((total, chunk) => total + count(chunk), 0)
      const group: ThriftSpans = new Map([
        [1, joinList(placed.map(({ bytes }) => bytes))],
        [2, i64Span(sum(({ uncompressedBytes }) => uncompressedBytes))],
        [3, i64Span(rowCount)],
        [5, i64Span(start)],
        [6, i64Span(sum(({ compressedBytes }) => compressedBytes))],
      ])
      this.#groups.push(joinStruct(group))
      row += rowCount
    }
    this.#rowCount += row
  }

  async finish(): Promise<number> {
    const head = new Map(this.#head)
    head.set(rowCountField, i64Span(this.#rowCount))
    head.set(groupsField, joinList(this.#groups))
    const footer = joinStruct(head)
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, footer.length, true)
    await this.#file.append(Buffer.concat([footer, length, magic]))
    return this.#file.finish()
  }

  async abandon(): Promise<void> {
    await this.#file.abandon()
  }

  async #write(leaf: LeafSchema, numbers: BigInt64Array): Promise<PlacedChunk> {
    const page = encodePage(leaf, levelFixedShape(leaf, [1], numbers.length, numbers), this.#compress)
    const chunk = describeChunk(leaf, this.#file.offset, [page])
    await this.#file.append(page.bytes)
    const { uncompressedBytes, compressedBytes } = chunk
    return { bytes: encodeThrift(encodeChunk(chunk)), uncompressedBytes, compressedBytes }
  }

  /** The bytes of a column as they are; only what says where they lie is another. */
  async #copy(
    source: CopySource,
    { startByte, endByte, announcedBytes }: ParquetChunk,
    described: Uint8Array,
  ): Promise<PlacedChunk> {
    const start = this.#file.offset
    for (let at = startByte; at < endByte; at += pieceBytes)
      await this.#file.append(await source.read(at, Math.min(endByte, at + pieceBytes)))
    const { fields: outer } = splitStruct(described)
    const { fields: inner } = splitStruct((outer.get(3) as ThriftSpan).bytes)
    if (outer.has(8) || outer.has(9))
      throw new FormatError('unsupported', 'A column of a Parquet file is encrypted; it cannot be copied.')
    for (const id of [9, 10, 11]) {
      const before = readSpanNumber(inner.get(id))
      if (before !== undefined && before > 0) inner.set(id, i64Span(before - startByte + start))
    }
    // Indexes and filters lie elsewhere in the file, and every reader does without them.
    for (const id of [14, 15]) inner.delete(id)
    const bytes = joinStruct(
      new Map([
        [2, i64Span(start)],
        [3, structSpan(joinStruct(inner))],
      ]),
    )
    return { bytes, uncompressedBytes: announcedBytes, compressedBytes: endByte - startByte }
  }
}
