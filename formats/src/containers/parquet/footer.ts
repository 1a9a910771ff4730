import { type ByteSource, openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { toStorableText } from '../../json.ts'
import { decodeThrift, type ThriftList, type ThriftStruct, type ThriftValue, type WantedFields } from './thrift.ts'

/** What a footer says, read by ourselves before any native code sees the file. */
export interface ParquetFooter {
  readonly rowCount: number
  readonly columns: readonly ParquetColumn[]
  readonly rowGroups: readonly ParquetRowGroup[]
  readonly metadata: ReadonlyMap<string, string>
  /** The program that wrote the file, as it calls itself. */
  readonly createdBy: string
}

/** A top-level column, and its leaves in file order. */
export interface ParquetColumn {
  readonly name: string
  /** Lists around the value: 0 for a scalar, 1 for a vector. Structs count nothing. */
  readonly listDepth: number
  readonly leaves: readonly ParquetLeaf[]
}

export interface ParquetLeaf {
  readonly path: readonly string[]
  readonly physicalType: number
  readonly maxDefinition: number
  readonly maxRepetition: number
}

export interface ParquetRowGroup {
  readonly rowCount: number
  /** One per leaf of the file, in order. */
  readonly chunks: readonly ParquetChunk[]
}

export interface ParquetChunk {
  readonly codec: number
  readonly valueCount: number
  /** What its pages become, as the footer says. */
  readonly announcedBytes: number
  readonly startByte: number
  readonly endByte: number
}

const magic = 'PAR1'
const maxFooterBytes = 256 * 1024 * 1024
const maxLeaves = 20_000
const maxRowGroups = 1_000_000
/** Columns that never change shrink ten thousandfold; a whole file of real data never does. */
const maxExpansion = 10_000
const alwaysPlausibleBytes = 1024 ** 3
const repeated = 2
const optional = 1

export async function readParquetFooterOf(path: string, name: string): Promise<ParquetFooter> {
  await using source = await openFile(path)
  return await readParquetFooter(source, name)
}

/** Most footers are shorter: one reading brings them, and what says how long they are. */
const tailBytes = 64 * 1024

/** The footer as it lies in the file. */
export async function readFooterBytes(source: ByteSource, name: string): Promise<Uint8Array> {
  const sizeBytes = await source.length()
  if (sizeBytes < 12) throw refuse(name, 'it is too short to be Parquet')
  const tail = await source.read(Math.max(0, sizeBytes - tailBytes), sizeBytes)
  if (decodeText(tail.subarray(-4)) !== magic)
    throw refuse(name, 'it has no Parquet footer (was the recording cut off?)')
  const footerBytes = new DataView(tail.buffer, tail.byteOffset).getUint32(tail.length - 8, true)
  if (footerBytes > maxFooterBytes || footerBytes > sizeBytes - 12)
    throw refuse(name, 'its footer is larger than the file')
  if (footerBytes <= tail.length - 8) return tail.subarray(tail.length - 8 - footerBytes, tail.length - 8)
  return source.read(sizeBytes - 8 - footerBytes, sizeBytes - 8)
}

/** Refuses a file whose footer is cut, oversized, or points outside the file. */
export async function readParquetFooter(source: ByteSource, name: string): Promise<ParquetFooter> {
  return parseParquetFooter(await readFooterBytes(source, name), await source.length(), name)
}

/** The same of a footer that was read, of a file so large. */
export function parseParquetFooter(bytes: Uint8Array, sizeBytes: number, name: string): ParquetFooter {
  const rowGroups: ParquetRowGroup[] = []
  const take = (group: ThriftStruct): void => {
    if (rowGroups.length === maxRowGroups) throw refuse(name, `it has more than ${maxRowGroups} row groups`)
    rowGroups.push(readRowGroup(group, sizeBytes, name))
  }
  const footer = decodeThrift(bytes, name, { field: 4, wanted: rowGroupFields, take }).value
  const leaves: ParquetLeaf[] = []
  const columns = readSchema(getList(footer, 2, name), leaves, name)
  if (getList(footer, 4, name).length > 0) throw refuse(name, 'its metadata is incomplete')
  if (rowGroups.some(({ chunks }) => chunks.length !== leaves.length)) throw refuse(name, 'a row group lacks columns')
  const rowCount = getNumber(footer, 3, name)
  if (rowGroups.reduce((sum, group) => sum + group.rowCount, 0) !== rowCount)
    throw refuse(name, 'its row counts disagree')
  requirePlausible(rowGroups, leaves, sizeBytes, name)
  const pairs = findList(footer, 5).map((pair) => asStruct(pair, name))
  const metadata = new Map(pairs.map((pair) => [findText(pair, 1) ?? '', findText(pair, 2) ?? '']))
  return { rowCount, columns, rowGroups, metadata, createdBy: findText(footer, 6) ?? '' }
}

const valueBytes: Readonly<Record<number, number>> = { 1: 4, 2: 8, 3: 12, 4: 4, 5: 8 }

/** One run of two billion equal rows takes a few bytes: what the rows would take is looked at before anybody makes them. */
function requirePlausible(
  rowGroups: readonly ParquetRowGroup[],
  leaves: readonly ParquetLeaf[],
  sizeBytes: number,
  name: string,
): void {
  let announcedBytes = 0
  for (const { rowCount, chunks } of rowGroups)
    for (const [place, { valueCount, announcedBytes: ofPages }] of chunks.entries()) {
      const ofValues = Math.max(valueCount, rowCount) * (valueBytes[leaves[place]?.physicalType ?? 0] ?? 1)
      announcedBytes += Math.max(ofValues, ofPages)
    }
  if (announcedBytes <= alwaysPlausibleBytes || announcedBytes <= sizeBytes * maxExpansion) return
  throw new FormatError(
    'limit_exceeded',
    `${name} announces ${announcedBytes} bytes of values in a file of ${sizeBytes}; at most ${maxExpansion} times its size is read.`,
  )
}

function readSchema(elements: ThriftList, leaves: ParquetLeaf[], name: string): ParquetColumn[] {
  if (elements.length > 4 * maxLeaves) throw refuse(name, 'its schema has too many columns')
  let at = 0
  const readNode = (path: string[], definition: number, repetition: number, depth: number): number => {
    const element = asStruct(elements[at++], name)
    if (depth > 32) throw refuse(name, 'its schema nests too deeply')
    const repetitionType = findNumber(element, 3)
    const label = findText(element, 4) ?? ''
    const childCount = findNumber(element, 5) ?? 0
    const nextDefinition = definition + (repetitionType === optional || repetitionType === repeated ? 1 : 0)
    const nextRepetition = repetition + (repetitionType === repeated ? 1 : 0)
    const nextPath = [...path, label]
    if (childCount === 0) {
      const physicalType = findNumber(element, 1)
      if (physicalType === undefined) throw refuse(name, 'its schema has an empty group')
      leaves.push({ path: nextPath, physicalType, maxDefinition: nextDefinition, maxRepetition: nextRepetition })
      return repetitionType === repeated ? 1 : 0
    }
    let lists = 0
    for (let child = 0; child < childCount; child++)
      lists = Math.max(lists, readNode(nextPath, nextDefinition, nextRepetition, depth + 1))
    return lists + (repetitionType === repeated ? 1 : 0)
  }
  const root = asStruct(elements[at++], name)
  const columns: ParquetColumn[] = []
  for (let child = 0; child < (findNumber(root, 5) ?? 0); child++) {
    const firstLeaf = leaves.length
    const listDepth = readNode([], 0, 0, 0)
    const own = leaves.slice(firstLeaf)
    columns.push({ name: own[0]?.path[0] ?? '', listDepth, leaves: own })
  }
  return columns
}

const all = undefined
/** What of a row group is read: paths and statistics are most of its bytes. */
const rowGroupFields: WantedFields = new Map([
  [1, new Map([[3, new Map([4, 5, 6, 7, 9, 11].map((field) => [field, all]))]])],
  [3, all],
])

function readRowGroup(group: ThriftStruct, sizeBytes: number, name: string): ParquetRowGroup {
  const chunks = getList(group, 1, name).map((column): ParquetChunk => {
    const facts = asStruct(asStruct(column, name).get(3), name)
    const dataStart = getNumber(facts, 9, name)
    const dictionaryStart = findNumber(facts, 11)
    const startByte = dictionaryStart ? Math.min(dictionaryStart, dataStart) : dataStart
    const endByte = startByte + getNumber(facts, 7, name)
    if (startByte < 4 || endByte > sizeBytes || endByte < startByte)
      throw refuse(name, 'a column points outside the file')
    return {
      codec: getNumber(facts, 4, name),
      valueCount: getNumber(facts, 5, name),
      announcedBytes: findNumber(facts, 6) ?? 0,
      startByte,
      endByte,
    }
  })
  const rowCount = getNumber(group, 3, name)
  if (rowCount < 0) throw refuse(name, 'a row group has a negative length')
  return { rowCount, chunks }
}

export function findNumber(struct: ThriftStruct, id: number): number | undefined {
  const value = struct.get(id)
  return typeof value === 'number' ? value : undefined
}

export function getNumber(struct: ThriftStruct, id: number, name: string): number {
  const value = findNumber(struct, id)
  if (value === undefined) throw refuse(name, 'its metadata is incomplete')
  return value
}

export function asStruct(value: ThriftValue | undefined, name: string): ThriftStruct {
  if (!(value instanceof Map)) throw refuse(name, 'its metadata is incomplete')
  return value
}

function findText(struct: ThriftStruct, id: number): string | undefined {
  const value = struct.get(id)
  return value instanceof Uint8Array ? toStorableText(decodeText(value)) : undefined
}

function findList(struct: ThriftStruct, id: number): ThriftList {
  const value = struct.get(id)
  return Array.isArray(value) ? value : []
}

function getList(struct: ThriftStruct, id: number, name: string): ThriftList {
  const value = struct.get(id)
  if (!Array.isArray(value)) throw refuse(name, 'its metadata is incomplete')
  return value
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes)
}

function refuse(name: string, why: string): FormatError {
  return new FormatError('container_invalid', `${name} cannot be read: ${why}.`)
}
