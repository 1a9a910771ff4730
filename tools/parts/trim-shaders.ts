import { forgetSections, pageSize, readElf, roundUp } from './trim-binaries.ts'

/**
 * The codec library without the 49 MB of it that are SPIR-V: 1,781 programs for a graphics card, by which FFmpeg's filter `whisper` hears
 * speech. Nothing here uses it. Their addresses stay and read as zeros (their lengths are among them, and read at the start), so all else is
 * where it was. Undefined: there are none.
 */
export function cutShaders(file: Buffer): Buffer | undefined {
  const header = readElf(file)
  if (!header) return undefined
  const shaders = findShaders(file)
  // The first page of them is kept, for the table of segments: it becomes one longer, and there is no room where it was.
  const table = roundUp(shaders.from)
  const from = table + pageSize
  const to = shaders.to - (shaders.to % pageSize)
  const by = to - from
  const home = header.segments.find(
    ({ isLoaded, offset, fileSize }) => isLoaded && offset <= table && offset + fileSize >= to,
  )
  if (!home || by <= 0) return undefined
  const cut = Buffer.concat([file.subarray(0, from), file.subarray(to)])
  const entries = header.entries.flatMap(({ at }) => {
    const entry = Buffer.from(file.subarray(at, at + header.entrySize))
    if (at === home.at) return splitSegment(entry, from, to)
    if (entry.readBigUInt64LE(8) >= BigInt(to)) addTo(entry, 8, -by)
    return [entry]
  })
  Buffer.concat(entries).copy(cut, table)
  cut.writeBigUInt64LE(BigInt(table), 32)
  cut.writeUInt16LE(entries.length, 56)
  forgetSections(cut)
  return cut
}

/** The segment up to the first place with zeros up to the second, and from there on, which is then where the first was. */
function splitSegment(entry: Buffer, from: number, to: number): Buffer[] {
  const [before, after] = [Buffer.from(entry), Buffer.from(entry)]
  const offset = Number(entry.readBigUInt64LE(8))
  before.writeBigUInt64LE(BigInt(from - offset), 32)
  before.writeBigUInt64LE(BigInt(to - offset), 40)
  for (const at of [32, 40]) addTo(after, at, offset - to)
  addTo(after, 8, from - offset)
  for (const at of [16, 24]) addTo(after, at, to - offset)
  return [before, after]
}

const addTo = (entry: Buffer, at: number, bytes: number): void => {
  entry.writeBigUInt64LE(entry.readBigUInt64LE(at) + BigInt(bytes), at)
}

const magic = Buffer.from([0x03, 0x02, 0x23, 0x07])

/** The longest row of modules that have nothing between them but their lengths, eight bytes each, aligned. */
function findShaders(file: Buffer): { from: number; to: number } {
  const mostBetween = 64
  let longest = { from: 0, to: 0 }
  let row = { from: 0, to: 0 }
  for (let at = file.indexOf(magic); at >= 0; ) {
    const end = at % 4 === 0 ? findEnd(file, at) : undefined
    if (end !== undefined) {
      row = row.to > 0 && at - row.to <= mostBetween ? { from: row.from, to: end } : { from: at, to: end }
      if (row.to - row.from > longest.to - longest.from) longest = row
    }
    at = file.indexOf(magic, end ?? at + 1)
  }
  return longest
}

/** Instructions begin with their length in words and their kind; after the last function there is no other. */
function findEnd(file: Buffer, start: number): number | undefined {
  const [headerBytes, functionBegin, functionEnd] = [20, 54, 56]
  const isVersion = start + headerBytes < file.length && (file.readUInt32LE(start + 4) & 0xffff00ff) === 0x10000
  if (!isVersion) return undefined
  for (let at = start + headerBytes; at + 4 <= file.length; ) {
    const words = file.readUInt16LE(at + 2)
    const kind = file.readUInt16LE(at)
    if (words === 0) return undefined
    at += 4 * words
    if (kind === functionEnd && (at + 2 > file.length || file.readUInt16LE(at) !== functionBegin)) return at
  }
  return undefined
}
