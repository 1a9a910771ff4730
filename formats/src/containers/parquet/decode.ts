import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { snappyUncompressor } from 'hysnappy'
import { describeCause, FormatError } from '../../errors.ts'
import type { ParquetLeaf } from './footer.ts'
import { asStruct, findNumber, getNumber } from './footer.ts'
import type { ThriftStruct } from './thrift.ts'

/** Decodes the pages of one BYTE_ARRAY column without lists: pictures, which are too large to read 2048 rows at a time. */

export interface PageHeader {
  readonly kind: 'data' | 'data-v2' | 'dictionary' | 'other'
  readonly valueCount: number
  readonly encoding: number
  readonly compressedBytes: number
  readonly uncompressedBytes: number
  /** V2 keeps its levels outside the compressed part. */
  readonly levelBytes: number
  readonly isCompressed: boolean
}

const maxPageBytes = 256 * 1024 * 1024
const maxPageValues = 16_000_000
const pageKinds: Record<number, PageHeader['kind']> = { 0: 'data', 2: 'dictionary', 3: 'data-v2' }
const detailFields = { data: 5, dictionary: 7, 'data-v2': 8, other: 5 }
const dictionaryEncodings = [2, 8]
const plain = 0

export function readPageHeader(struct: ThriftStruct, name: string): PageHeader {
  const kind = pageKinds[getNumber(struct, 1, name)] ?? 'other'
  const uncompressedBytes = getNumber(struct, 2, name)
  const compressedBytes = getNumber(struct, 3, name)
  if (compressedBytes < 0 || uncompressedBytes < 0 || Math.max(compressedBytes, uncompressedBytes) > maxPageBytes) {
    throw new FormatError('limit_exceeded', `${name}: a page is larger than ${maxPageBytes / 1024 / 1024} MiB.`)
  }
  if (kind === 'other')
    return { kind, valueCount: 0, encoding: 0, compressedBytes, uncompressedBytes, levelBytes: 0, isCompressed: false }
  const detail = asStruct(struct.get(detailFields[kind]), name)
  const isV2 = kind === 'data-v2'
  const valueCount = getNumber(detail, 1, name)
  if (valueCount < 0 || valueCount > maxPageValues)
    throw new FormatError('limit_exceeded', `${name}: a page has too many values.`)
  return {
    kind,
    valueCount,
    encoding: getNumber(detail, isV2 ? 4 : 2, name),
    compressedBytes,
    uncompressedBytes,
    levelBytes: isV2 ? getNumber(detail, 5, name) + (findNumber(detail, 6) ?? 0) : 0,
    isCompressed: !isV2 || detail.get(7) !== false,
  }
}

/** What a page's column says about its values. */
interface PageColumn {
  leaf: ParquetLeaf
  codec: number
  dictionary: readonly Uint8Array[] | undefined
  /** Of the file, for sentences. */
  name: string
}

/** The page's values, one per row; null where a value is empty. */
export function decodePage(
  header: PageHeader,
  body: Uint8Array,
  { leaf, codec, dictionary, name }: PageColumn,
): (Uint8Array | null)[] {
  const isV2 = header.kind === 'data-v2'
  const levels = body.subarray(0, header.levelBytes)
  const packed = body.subarray(header.levelBytes)
  const plainBytes = header.uncompressedBytes - header.levelBytes
  const page = header.isCompressed ? decompress(packed, codec, plainBytes, name) : packed
  if (header.kind === 'dictionary') return decodePlain(page, header.valueCount, name)
  let definitions: Uint8Array | undefined
  let values = page
  if (leaf.maxDefinition > 0) {
    const bitWidth = 32 - Math.clz32(leaf.maxDefinition)
    const length = isV2 ? levels.length : readUint32(page, 0, name)
    definitions = decodeHybrid(
      isV2 ? levels : sliceChecked(page, 4, 4 + length, name),
      bitWidth,
      header.valueCount,
      name,
    ) as Uint8Array
    if (!isV2) values = page.subarray(4 + length)
  }
  const presentCount = definitions
    ? definitions.reduce((sum, level) => sum + (level === leaf.maxDefinition ? 1 : 0), 0)
    : header.valueCount
  const present = decodeValues(header.encoding, values, presentCount, dictionary, name)
  if (presentCount === header.valueCount) return present
  let at = 0
  return Array.from(definitions ?? [], (level) => (level === leaf.maxDefinition ? (present[at++] ?? null) : null))
}

function decodeValues(
  encoding: number,
  values: Uint8Array,
  count: number,
  dictionary: readonly Uint8Array[] | undefined,
  name: string,
): Uint8Array[] {
  if (encoding === plain) return decodePlain(values, count, name)
  if (!dictionaryEncodings.includes(encoding) || !dictionary) {
    throw new FormatError(
      'unsupported',
      `${name}: pictures are stored in Parquet encoding ${encoding}, which is not supported.`,
    )
  }
  const places = count === 0 ? [] : decodeHybrid(values.subarray(1), values[0] ?? 0, count, name)
  return Array.from(places, (place) => dictionary[place] ?? damaged(name))
}

function decodePlain(bytes: Uint8Array, count: number, name: string): Uint8Array[] {
  const values: Uint8Array[] = []
  for (let at = 0; values.length < count; ) {
    const length = readUint32(bytes, at, name)
    values.push(sliceChecked(bytes, at + 4, at + 4 + length, name))
    at += 4 + length
  }
  return values
}

/** The RLE / bit-packed hybrid of levels and dictionary places. */
export function decodeHybrid(
  bytes: Uint8Array,
  bitWidth: number,
  count: number,
  name: string,
): Uint8Array | Uint32Array {
  const values = bitWidth <= 8 ? new Uint8Array(count) : new Uint32Array(count)
  if (bitWidth > 32) damaged(name)
  const byteWidth = Math.ceil(bitWidth / 8)
  for (let at = 0, filled = 0; filled < count; ) {
    let head = 0
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = bytes[at++] ?? damaged(name)
      head += (byte & 0x7f) * 2 ** shift
    }
    if (head % 2 === 0) {
      let value = 0
      for (let byte = 0; byte < byteWidth; byte++) value += (bytes[at++] ?? damaged(name)) * 2 ** (8 * byte)
      const end = Math.min(count, filled + head / 2)
      if (end === filled) damaged(name)
      values.fill(value, filled, end)
      filled = end
    } else {
      const packed = sliceChecked(bytes, at, Math.min(bytes.length, at + ((head - 1) / 2) * bitWidth), name)
      for (let item = 0; item < (head - 1) * 4 && filled < count; item++)
        values[filled++] = readBits(packed, item * bitWidth, bitWidth)
      at += packed.length
    }
  }
  return values
}

function readBits(bytes: Uint8Array, start: number, width: number): number {
  let value = 0
  for (let bit = 0; bit < width; bit++) {
    const place = start + bit
    if (((bytes[place >> 3] ?? 0) >> (place & 7)) & 1) value += 2 ** bit
  }
  return value
}

export function decompress(bytes: Uint8Array, codec: number, length: number, name: string): Uint8Array {
  const limit = { maxOutputLength: Math.max(1, length) }
  try {
    switch (codec) {
      case 0:
        return bytes
      case 1:
        return uncompressSnappy(bytes, length)
      case 2:
        return gunzipSync(bytes, limit)
      case 4:
        return brotliDecompressSync(bytes, limit)
      case 6:
        return zstdDecompressSync(bytes, limit)
    }
  } catch (cause) {
    throw new FormatError('container_invalid', `${name}: a page does not decompress: ${describeCause(cause)}.`, {
      cause,
    })
  }
  throw new FormatError(
    'unsupported',
    `${name}: pictures are compressed with Parquet codec ${codec}, which is not supported.`,
  )
}

const largestKeptBytes = 8 * 1024 * 1024
let uncompress: ReturnType<typeof snappyUncompressor> | undefined

/** One WebAssembly instance for many pages: making it takes longer than most pages. Its memory never shrinks, so a large page gets its own. */
function uncompressSnappy(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length + length > largestKeptBytes) return snappyUncompressor()(bytes, length)
  const own = uncompress ?? snappyUncompressor()
  // A page that is damaged may leave it in any state.
  uncompress = undefined
  const page = own(bytes, length)
  uncompress = own
  return page
}

function readUint32(bytes: Uint8Array, at: number, name: string): number {
  if (at + 4 > bytes.length) damaged(name)
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true)
}

function sliceChecked(bytes: Uint8Array, start: number, end: number, name: string): Uint8Array {
  return end <= bytes.length ? bytes.subarray(start, end) : damaged(name)
}

function damaged(name: string): never {
  throw new FormatError('container_invalid', `${name}: a page of pictures is damaged.`)
}
