import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  name: string
  content?: Buffer
  /** Unix type and rights; a plain file when absent. */
  mode?: number
  /** Instead of the true ones, to lie with. */
  sum?: number
  sizeBytes?: number
  flags?: number
  method?: number
  /** The bytes of the entry before, again. */
  overlapsPrevious?: boolean
}

/** A zip file as a stranger might make one, lies included. */
export const writeZip = (entries: readonly ZipEntry[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  let previous = 0
  for (const entry of entries) {
    const { name, content = Buffer.alloc(0), mode = 0o100644, flags = 0x800, method = 8, overlapsPrevious } = entry
    const packed = method === 8 ? deflateRawSync(content) : content
    const bytes = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(method, 8)
    local.writeUInt32LE(entry.sum ?? crc32(content), 14)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(entry.sizeBytes ?? content.length, 22)
    local.writeUInt16LE(bytes.length, 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE((3 << 8) | 20, 4)
    local.copy(central, 6, 4, 28)
    central.writeUInt32LE((mode << 16) >>> 0, 38)
    central.writeUInt32LE(overlapsPrevious ? previous : offset, 42)
    directory.push(central, bytes)
    if (overlapsPrevious) continue
    previous = offset
    parts.push(local, bytes, packed)
    offset += 30 + bytes.length + packed.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}
