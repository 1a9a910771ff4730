import { crc32 } from 'node:zlib'
import { type OpenByteSource, openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'

const endBytes = 22
const longPointerBytes = 20
const entryBytes = 46
const localBytes = 30
const largest32 = 0xffff_ffff
/** Of the directory, which is gone through piece by piece. */
const pieceBytes = 1024 * 1024

/** Every file of an archive that `ZipFile` wrote, in order, its bytes held against their sum. */
export async function* readZipEntries(path: string): AsyncGenerator<{ name: string; bytes: Uint8Array }> {
  await using file = await openFile(path)
  const { offset, sizeBytes } = await findDirectory(file)
  for (let at = 0; at < sizeBytes; ) {
    const piece = Buffer.from(await file.read(offset + at, offset + Math.min(sizeBytes, at + pieceBytes)))
    let used = 0
    while (used + entryBytes <= piece.length) {
      const [nameBytes, extraBytes] = [piece.readUInt16LE(used + 28), piece.readUInt16LE(used + 30)]
      const end = used + entryBytes + nameBytes + extraBytes
      if (end > piece.length) break
      const name = piece.toString('utf8', used + entryBytes, used + entryBytes + nameBytes)
      const near = piece.readUInt32LE(used + 42)
      const place = near === largest32 ? Number(piece.readBigUInt64LE(end - 8)) : near
      const from = place + localBytes + nameBytes
      const bytes = await file.read(from, from + piece.readUInt32LE(used + 20))
      if (crc32(bytes) !== piece.readUInt32LE(used + 16)) throw damaged(name)
      yield { name, bytes }
      used = end
    }
    if (used === 0) throw damaged('its directory')
    at += used
  }
}

async function findDirectory(file: OpenByteSource): Promise<{ offset: number; sizeBytes: number }> {
  const length = await file.length()
  const end = Buffer.from(await file.read(length - endBytes, length))
  if (end.readUInt32LE(0) !== 0x06054b50) throw damaged('its end')
  if (end.readUInt32LE(16) !== largest32) return { offset: end.readUInt32LE(16), sizeBytes: end.readUInt32LE(12) }
  const pointerAt = length - endBytes - longPointerBytes
  const at = Number(Buffer.from(await file.read(pointerAt, pointerAt + longPointerBytes)).readBigUInt64LE(8))
  const long = Buffer.from(await file.read(at, at + 56))
  return { offset: Number(long.readBigUInt64LE(48)), sizeBytes: Number(long.readBigUInt64LE(40)) }
}

const damaged = (what: string) => new FormatError('container_invalid', `What was written is not right: ${what}.`)
