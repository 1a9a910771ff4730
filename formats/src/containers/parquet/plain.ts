import type { ByteSource } from '../../bytes.ts'
import { arrayTypes, countValues, type NumericArray, type NumericDtype } from '../../feature.ts'
import { decompress, readPageHeader } from './decode.ts'
import type { ParquetChunk, ParquetFooter, ParquetLeaf, ParquetRowGroup } from './footer.ts'
import { encodeRuns, levelFixedShape } from './levels.ts'
import { physicalTypes } from './schema.ts'
import { decodeThrift } from './thrift.ts'

/**
 * Numbers of files that this library wrote, read without DuckDB: their pages hold the values as they lie in memory. DuckDB gives a chunk
 * of 2048 rows for every row group, however short, and frees it when V8 finds the time. For 500,000 rows in 2,000 row groups this takes
 * 1.5 times less CPU and 229 instead of 384 MiB (`npm run bench -- parquet`).
 */

export interface PlainRequest {
  readonly name: string
  readonly dtype: NumericDtype
  readonly shape: readonly number[]
  readonly isList?: boolean
}

export interface PlainRows {
  readonly startRow: number
  readonly rowCount: number
  readonly columns: NumericArray[]
}

interface PlannedColumn extends PlainRequest {
  readonly leaf: ParquetLeaf
  readonly leafIndex: number
  /** As it is stored; a float may be asked for as a double. */
  readonly stored: NumericDtype
}

/** As DuckDB cuts them, so that sums are made of the same parts. */
const chunkRows = 2048
const largestGroupBytes = 64 * 1024 * 1024
/** With its levels; a page of ours never has more, one that says so is a stranger's. */
const largestValueBytes = 10
const spareBytes = 64

/** Undefined where a column is not one that this library writes. */
export function planPlain(footer: ParquetFooter, requests: readonly PlainRequest[]): PlannedColumn[] | undefined {
  const planned: PlannedColumn[] = []
  for (const request of requests) {
    const at = footer.columns.findIndex(({ name }) => name === request.name)
    const column = footer.columns[at]
    const [leaf, ...others] = column?.leaves ?? []
    const isScalar = request.shape.length === 1 && request.shape[0] === 1 && !request.isList
    if (!column || !leaf || others.length > 0 || column.listDepth !== (isScalar ? 0 : request.shape.length))
      return undefined
    const stored =
      leaf.physicalType === physicalTypes.float32 && request.dtype === 'float64' ? 'float32' : request.dtype
    if (physicalTypes[stored] !== leaf.physicalType) return undefined
    const leafIndex = footer.columns.slice(0, at).reduce((sum, { leaves }) => sum + leaves.length, 0)
    planned.push({ ...request, leaf, leafIndex, stored })
  }
  return planned
}

/**
 * How columns of 64-bit numbers are to be asked for, by what the footer says of them: scalars, or lists of one length, of lists of one
 * where they are nested. Undefined where one is anything else; that its lists are so is seen when they are read.
 */
export function requestNumbers(
  { columns, rowGroups, rowCount }: ParquetFooter,
  names: readonly string[],
): PlainRequest[] | undefined {
  const requests: PlainRequest[] = []
  for (const name of names) {
    const at = columns.findIndex((column) => column.name === name)
    const { listDepth = 0, leaves: [leaf, ...others] = [] } = columns[at] ?? {}
    const dtype = (['int64', 'float64'] as const).find((type) => physicalTypes[type] === leaf?.physicalType)
    const leafIndex = columns.slice(0, at).reduce((sum, { leaves }) => sum + leaves.length, 0)
    const values = rowGroups.reduce((sum, { chunks }) => sum + (chunks[leafIndex]?.valueCount ?? 0), 0)
    const perRow = values / rowCount
    if (!dtype || others.length > 0 || !Number.isSafeInteger(perRow)) return undefined
    const shape = [perRow, ...Array<number>(Math.max(0, listDepth - 1)).fill(1)]
    requests.push({ name, dtype, shape, isList: listDepth > 0 })
  }
  return requests
}

/** Yields rows from `startRow` on and answers the row at which it ended: short of `endRow` where a row group is laid out otherwise. */
export async function* scanPlain(
  source: ByteSource,
  { rowGroups }: ParquetFooter,
  planned: readonly PlannedColumn[],
  { startRow, endRow, name }: { startRow: number; endRow: number; name: string },
): AsyncGenerator<PlainRows, number> {
  let first = 0
  for (const group of rowGroups) {
    const end = first + group.rowCount
    if (end > startRow && first < endRow) {
      const columns = await readGroup(source, group, planned, name)
      if (!columns) return Math.max(first, startRow)
      for (let row = first; row < end; row += chunkRows) {
        const [from, to] = [Math.max(row, startRow), Math.min(row + chunkRows, end, endRow)]
        if (from >= to) continue
        const cut = (values: NumericArray) => {
          const width = values.length / group.rowCount
          return values.subarray((from - first) * width, (to - first) * width) as NumericArray
        }
        yield { startRow: from, rowCount: to - from, columns: columns.map(cut) }
      }
    }
    first = end
  }
  return Math.max(startRow, Math.min(first, endRow))
}

async function readGroup(
  source: ByteSource,
  group: ParquetRowGroup,
  planned: readonly PlannedColumn[],
  name: string,
): Promise<NumericArray[] | undefined> {
  const chunks = planned.map(({ leafIndex }) => group.chunks[leafIndex] as ParquetChunk)
  const start = Math.min(...chunks.map(({ startByte }) => startByte))
  const end = Math.max(...chunks.map(({ endByte }) => endByte))
  const largest = Math.max(...planned.map(({ shape }) => countValues(shape))) * group.rowCount * 8
  if (end - start > largestGroupBytes || largest > largestGroupBytes) return undefined
  const bytes = await source.read(start, end)
  const columns: NumericArray[] = []
  for (const [place, column] of planned.entries()) {
    const { startByte, endByte, codec } = chunks[place] as ParquetChunk
    const values = decodeChunk(bytes.subarray(startByte - start, endByte - start), codec, column, group.rowCount, name)
    if (!values) return undefined
    columns.push(column.stored === column.dtype ? values : new Float64Array(values as Float32Array))
  }
  return columns
}

function decodeChunk(
  bytes: Uint8Array,
  codec: number,
  column: PlannedColumn,
  rowCount: number,
  name: string,
): NumericArray | undefined {
  const width = countValues(column.shape)
  const values = new arrayTypes[column.stored](rowCount * width) as NumericArray
  let filled = 0
  for (let at = 0; at < bytes.length; ) {
    const head = decodeThrift(bytes.subarray(at), name)
    const header = readPageHeader(head.value, name)
    const bodyEnd = at + head.length + header.compressedBytes
    const isPlain = header.kind === 'data' && header.encoding === 0 && header.valueCount % width === 0
    if (!isPlain || bodyEnd > bytes.length || filled + header.valueCount > values.length) return undefined
    if (header.uncompressedBytes > header.valueCount * largestValueBytes + spareBytes) return undefined
    const page = decompress(bytes.subarray(at + head.length, bodyEnd), codec, header.uncompressedBytes, name)
    if (!takeValues(page, column, values, filled, header.valueCount)) return undefined
    filled += header.valueCount
    at = bodyEnd
  }
  return filled === values.length ? values : undefined
}

/** Puts the values behind the levels into their place; false where the levels are not those of rows without a gap. */
function takeValues(
  page: Uint8Array,
  column: PlannedColumn,
  values: NumericArray,
  place: number,
  valueCount: number,
): boolean {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  let at = 0
  const takeLevels = (levels: Uint8Array): boolean => {
    if (at + 4 > page.length || view.getUint32(at, true) !== levels.length) return false
    if (Buffer.compare(page.subarray(at + 4, at + 4 + levels.length), levels) !== 0) return false
    at += 4 + levels.length
    return true
  }
  // Lists of one that were written one by one begin anew with every value.
  const isOneByOne = (): boolean => countValues(column.shape) === 1 && takeLevels(encodeRuns([[0, valueCount]]))
  for (const [level, levels] of listLevels(column, valueCount).entries())
    if (!takeLevels(levels) && !(level === 0 && column.leaf.maxRepetition > 0 && isOneByOne())) return false
  return fillPlainNumbers(page.subarray(at), column.stored, values, place, valueCount)
}

interface KnownLevels {
  readonly shape: readonly number[]
  readonly valueCount: number
  readonly levels: readonly Uint8Array[]
}

const knownLevels = new WeakMap<ParquetLeaf, KnownLevels>()

/** The levels of so many values, before them; those of the last page are mostly those of the next. */
function listLevels({ leaf, shape, stored }: PlannedColumn, valueCount: number): readonly Uint8Array[] {
  const before = knownLevels.get(leaf)
  if (before?.valueCount === valueCount && before.shape === shape) return before.levels
  const rowCount = valueCount / countValues(shape)
  const made = levelFixedShape({ ...leaf, dtype: stored }, shape, rowCount, new Uint8Array(valueCount))
  const levels = made.repetition ? [made.repetition, made.definition] : [made.definition]
  knownLevels.set(leaf, { shape, valueCount, levels })
  return levels
}

function fillPlainNumbers(
  bytes: Uint8Array,
  dtype: NumericDtype,
  values: NumericArray,
  place: number,
  count: number,
): boolean {
  if (dtype === 'bool') {
    if (bytes.length < Math.ceil(count / 8)) return false
    for (let at = 0; at < count; at++) values[place + at] = ((bytes[at >> 3] as number) >> (at & 7)) & 1
    return true
  }
  const width = values.BYTES_PER_ELEMENT
  const sizeBytes = count * Math.max(width, 4)
  if (bytes.length < sizeBytes) return false
  // As they lie in memory, without a second copy that has to be collected.
  if (width >= 4) new Uint8Array(values.buffer, values.byteOffset + place * width).set(bytes.subarray(0, sizeBytes))
  else (values as Int8Array).set(new Int32Array(bytes.slice(0, sizeBytes).buffer), place)
  return true
}
