import type { ByteSource } from '../../bytes.ts'
import { toStorableText } from '../../json.ts'
import { decodeHybrid, decompress, readPageHeader } from './decode.ts'
import type { ParquetChunk, ParquetFooter, ParquetLeaf } from './footer.ts'
import { physicalTypes } from './schema.ts'
import type { MetadataValue } from './table.ts'
import { decodeThrift } from './thrift.ts'

/**
 * Rows of tables that this library wrote, read without DuckDB: numbers, texts, and lists of them to any depth. What looks otherwise than
 * this library writes it, or larger, is left to DuckDB.
 */

interface PlannedColumn {
  readonly name: string
  readonly leaf: ParquetLeaf
  readonly leafIndex: number
  readonly listDepth: number
}

const largestChunkBytes = 64 * 1024 * 1024
const mostEntries = 2_000_000
const largestTextBytes = 1024 * 1024

/** Undefined where a column is a struct, or of a type whose values can be meant in two ways. */
function planRecords({ columns }: ParquetFooter, names: readonly string[]): PlannedColumn[] | undefined {
  const planned: PlannedColumn[] = []
  for (const name of names) {
    const at = columns.findIndex((column) => column.name === name)
    const { listDepth = 0, leaves: [leaf, ...others] = [] } = columns[at] ?? {}
    if (!leaf || others.length > 0 || !decoders.has(leaf.physicalType)) return undefined
    // A list is there or not and has an item or not, a value is there or not; a struct between would be one more.
    if (leaf.maxRepetition !== listDepth || leaf.maxDefinition !== 2 * listDepth + 1) return undefined
    const leafIndex = columns.slice(0, at).reduce((sum, { leaves }) => sum + leaves.length, 0)
    planned.push({ name, leaf, leafIndex, listDepth })
  }
  return planned
}

/** Yields rows from the first on, and answers the row at which it ended: short of all where a row group is laid out otherwise. */
export async function* readOwnRecords(
  source: ByteSource,
  footer: ParquetFooter,
  names: readonly string[],
  fileName: string,
): AsyncGenerator<Record<string, MetadataValue>, number> {
  const planned = planRecords(footer, names)
  if (!planned) return 0
  let row = 0
  for (const { rowCount, chunks } of footer.rowGroups) {
    const columns: MetadataValue[][] = []
    for (const column of planned) {
      const chunk = chunks[column.leafIndex] as ParquetChunk
      if (chunk.endByte - chunk.startByte > largestChunkBytes || chunk.valueCount > mostEntries) return row
      const values = decodeChunk(await source.read(chunk.startByte, chunk.endByte), chunk.codec, column, fileName)
      if (values?.length !== rowCount) return row
      columns.push(values)
    }
    for (let at = 0; at < rowCount; at++)
      yield Object.fromEntries(planned.map(({ name }, place) => [name, columns[place]?.[at] ?? null]))
    row += rowCount
  }
  return row
}

function decodeChunk(
  bytes: Uint8Array,
  codec: number,
  column: PlannedColumn,
  name: string,
): MetadataValue[] | undefined {
  const rows: MetadataValue[] = []
  let entryCount = 0
  for (let at = 0; at < bytes.length; ) {
    const head = decodeThrift(bytes.subarray(at), name)
    const header = readPageHeader(head.value, name)
    const bodyEnd = at + head.length + header.compressedBytes
    entryCount += header.valueCount
    if (header.kind !== 'data' || header.encoding !== 0 || bodyEnd > bytes.length) return undefined
    if (header.uncompressedBytes > largestChunkBytes || entryCount > mostEntries) return undefined
    const page = decompress(bytes.subarray(at + head.length, bodyEnd), codec, header.uncompressedBytes, name)
    if (!decodePage(page, column, header.valueCount, name, rows)) return undefined
    at = bodyEnd
  }
  return rows
}

/** Appends the page's rows; false where it is laid out otherwise. */
function decodePage(
  page: Uint8Array,
  { leaf, listDepth }: PlannedColumn,
  entryCount: number,
  name: string,
  rows: MetadataValue[],
): boolean {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  let at = 0
  const takeLevels = (most: number) => {
    const end = at + 4 <= page.length ? at + 4 + view.getUint32(at, true) : Number.POSITIVE_INFINITY
    if (end > page.length) return undefined
    const levels = decodeHybrid(page.subarray(at + 4, end), 32 - Math.clz32(most), entryCount, name)
    at = end
    return levels
  }
  const repetition = listDepth > 0 ? takeLevels(listDepth) : new Uint8Array(entryCount)
  const definition = takeLevels(leaf.maxDefinition)
  if (!repetition || !definition) return false
  let presentCount = 0
  for (const level of definition) if (level === leaf.maxDefinition) presentCount++
  const values = decoders.get(leaf.physicalType)?.(page.subarray(at), presentCount)
  return values !== undefined && assemble(repetition, definition, values, listDepth, rows)
}

/** Lists are put together by the levels: where one begins anew, and how much of it is there. */
function assemble(
  repetition: ArrayLike<number>,
  definition: ArrayLike<number>,
  values: readonly MetadataValue[],
  listDepth: number,
  rows: MetadataValue[],
): boolean {
  const open: MetadataValue[][] = []
  let at = 0
  for (let entry = 0; entry < definition.length; entry++) {
    const [begins, defined] = [repetition[entry] as number, definition[entry] as number]
    let container = begins === 0 ? rows : open[begins - 1]
    if (!container) return false
    let level = begins
    for (; level < listDepth && defined > 2 * level; level++) {
      const list: MetadataValue[] = []
      container.push(list)
      open[level] = list
      if (defined === 2 * level + 1) break
      container = list
    }
    if (level === listDepth) container.push(defined === 2 * listDepth + 1 ? (values[at++] as MetadataValue) : null)
    else if (defined <= 2 * level) container.push(null)
  }
  return true
}

type Decode = (bytes: Uint8Array, count: number) => MetadataValue[] | undefined

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const decodeFixed =
  (sizeBytes: number, read: (view: DataView, at: number) => number | bigint): Decode =>
  (bytes, count) => {
    if (bytes.length < count * sizeBytes) return undefined
    const view = viewOf(bytes)
    return Array.from({ length: count }, (_, place) => read(view, place * sizeBytes))
  }

/** Below zero it could be a large number without a sign: the type that tells is not looked at. */
const withoutNegative =
  (decode: Decode): Decode =>
  (bytes, count) => {
    const values = decode(bytes, count)
    return values?.some((value) => (value as number | bigint) < 0) ? undefined : values
  }

const decodeTexts: Decode = (bytes, count) => {
  const view = viewOf(bytes)
  const texts: string[] = []
  for (let at = 0; texts.length < count; ) {
    const length = at + 4 <= bytes.length ? view.getUint32(at, true) : largestTextBytes + 1
    if (length > largestTextBytes || at + 4 + length > bytes.length) return undefined
    texts.push(toStorableText(Buffer.from(bytes.buffer, bytes.byteOffset + at + 4, length).toString('utf8')))
    at += 4 + length
  }
  return texts
}

const decoders: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [physicalTypes.int32, withoutNegative(decodeFixed(4, (view, at) => view.getInt32(at, true)))],
  [physicalTypes.int64, withoutNegative(decodeFixed(8, (view, at) => view.getBigInt64(at, true)))],
  [physicalTypes.float32, decodeFixed(4, (view, at) => view.getFloat32(at, true))],
  [physicalTypes.float64, decodeFixed(8, (view, at) => view.getFloat64(at, true))],
  [physicalTypes.string, decodeTexts],
])
