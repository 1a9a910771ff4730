/** A shared library or program as the loader needs it: without what only linkers and debuggers read. Undefined: nothing to gain. */
export function cutElf(file: Buffer): Buffer | undefined {
  const header = readElf(file)
  if (!header) return undefined
  const end = Math.max(...header.segments.map(({ offset, fileSize }) => offset + fileSize))
  if (end >= file.length) return undefined
  const cut = Buffer.from(file.subarray(0, end))
  forgetSections(cut)
  return cut
}

/**
 * ICU's data library with the parts of it that the root locale needs, which is all that PostgreSQL opens when its own locale provider
 * orders the text of a cluster; languages, converters and dictionaries go.
 */
export function cutIcuData(file: Buffer): Buffer {
  const header = readElf(file)
  // The table begins with its size, a magic number, and, at 12, the name of its kind.
  const start = file.indexOf('CmnD') - 12
  const home = header?.segments.find(
    ({ isLoaded, offset, fileSize }) => isLoaded && start > 0 && offset + fileSize > start,
  )
  if (!header || !home || file.readUInt16LE(start + 2) !== 0x27da) throw new Error('This is no data library of ICU.')
  const base = start + file.readUInt16LE(start)
  const packed = packItems(
    listItems(file, base, home.offset + home.fileSize).filter(({ name }) => rootLocale.test(name)),
  )
  const kept = roundUp(base + packed.length)
  const later = header.segments.filter(({ offset }) => offset >= home.offset + home.fileSize)
  const moved = Math.min(...later.map(({ offset }) => offset)) - kept
  const by = moved - (moved % pageSize)
  if (by <= 0) throw new Error('The data library of ICU is smaller than what is kept of it.')
  const end = Math.max(...later.map(({ offset, fileSize }) => offset + fileSize))
  const cut = Buffer.alloc(end - by)
  file.copy(cut, 0, 0, base)
  packed.copy(cut, base)
  for (const { offset, fileSize } of later) file.copy(cut, offset - by, offset, offset + fileSize)
  for (const { at, offset } of later) cut.writeBigUInt64LE(BigInt(offset - by), at + 8)
  for (const at of [home.at + 32, home.at + 40]) cut.writeBigUInt64LE(BigInt(kept - home.offset), at)
  // Addresses stay what they were; the place in the file agrees with them by pages, and no longer by two megabytes.
  for (const { at, isLoaded } of header.segments) if (isLoaded) cut.writeBigUInt64LE(BigInt(pageSize), at + 48)
  forgetSections(cut)
  return cut
}

const rootLocale =
  /^icudt\d+l\/((root|pool|supplementalData|keyTypeData|likelySubtags)\.res|cnvalias\.icu|coll\/(root\.res|ucadata\.icu))$/

/** The largest page of the systems that an image is for. */
export const pageSize = 65_536
export const roundUp = (bytes: number): number => Math.ceil(bytes / pageSize) * pageSize

interface Segment {
  /** Where its entry in the table is. */
  at: number
  isLoaded: boolean
  offset: number
  fileSize: number
}

interface Elf {
  entrySize: number
  entries: Segment[]
  /** Of the entries, those that have bytes in the file. */
  segments: Segment[]
}

/** Of a program or shared library for a 64-bit little-endian machine. */
export function readElf(file: Buffer): Elf | undefined {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return undefined
  const kind = file.readUInt16LE(16)
  if (kind !== 2 && kind !== 3) return undefined
  const table = Number(file.readBigUInt64LE(32))
  const entrySize = file.readUInt16LE(54)
  const entries = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = table + index * entrySize
    return {
      at,
      isLoaded: file.readUInt32LE(at) === 1,
      offset: Number(file.readBigUInt64LE(at + 8)),
      fileSize: Number(file.readBigUInt64LE(at + 32)),
    }
  })
  return { entrySize, entries, segments: entries.filter(({ fileSize }) => fileSize > 0) }
}

export const forgetSections = (file: Buffer): void => {
  file.writeBigUInt64LE(0n, 40)
  file.writeUInt16LE(0, 60)
  file.writeUInt16LE(0, 62)
}

interface Item {
  name: string
  bytes: Buffer
}

/** A count, then places of names and contents, counted from there; contents lie in the order of the table. */
function listItems(file: Buffer, base: number, end: number): Item[] {
  const count = file.readUInt32LE(base)
  const findContent = (index: number): number => (index < count ? base + file.readUInt32LE(base + 8 + 8 * index) : end)
  return Array.from({ length: count }, (_, index) => {
    const name = base + file.readUInt32LE(base + 4 + 8 * index)
    return {
      name: file.toString('latin1', name, file.indexOf(0, name)),
      bytes: file.subarray(findContent(index), findContent(index + 1)),
    }
  })
}

function packItems(items: Item[]): Buffer {
  const names = Buffer.from(items.map(({ name }) => `${name}\0`).join(''), 'latin1')
  const alignment = 16
  const align = (bytes: number): number => Math.ceil(bytes / alignment) * alignment
  const table = Buffer.alloc(4 + 8 * items.length)
  table.writeUInt32LE(items.length, 0)
  let name = table.length
  let content = align(table.length + names.length)
  const packed = Buffer.alloc(content + items.reduce((sum, { bytes }) => sum + align(bytes.length), 0))
  names.copy(packed, name)
  for (const [index, item] of items.entries()) {
    table.writeUInt32LE(name, 4 + 8 * index)
    table.writeUInt32LE(content, 8 + 8 * index)
    item.bytes.copy(packed, content)
    name += item.name.length + 1
    content += align(item.bytes.length)
  }
  table.copy(packed, 0)
  return packed
}
