import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { writeAll, writeAllOf } from '../../containers/write-all.ts'

/** Of chunks that are written in one go: the threads that write are those that compress, and each turn waits for some pictures. */
const heldBytes = 2 * 1024 * 1024

/**
 * A zip archive whose files are stored as they are. Its directory, which comes last, waits in a file beside it: packages for zip
 * keep every entry in memory, and a picture a file makes a million of them.
 */
export class ZipFile {
  readonly #file: FileHandle
  readonly #directory: FileHandle
  #place: Place = { sizeBytes: 0, directoryBytes: 0, entryCount: 0 }
  #marked: Place = this.#place
  #held: Held = { entries: [], records: [], sizeBytes: 0, directoryBytes: 0 }
  /** One at a time. */
  #writing: Promise<void> = Promise.resolve()

  static async create(path: string, directoryPath: string): Promise<ZipFile> {
    return new ZipFile(await open(path, 'wx'), await open(directoryPath, 'wx+'))
  }

  private constructor(file: FileHandle, directory: FileHandle) {
    this.#file = file
    this.#directory = directory
  }

  /** Less than 4 GiB. */
  async add(path: string, bytes: Uint8Array): Promise<void> {
    const { sizeBytes, directoryBytes, entryCount } = this.#place
    const entry = { name: Buffer.from(path), sizeBytes: bytes.length, sum: crc32(bytes), offset: sizeBytes }
    const head = writeLocalHead(entry)
    const record = writeDirectoryEntry(entry)
    this.#held.entries.push(head, bytes)
    this.#held.records.push(record)
    this.#held.sizeBytes += head.length + bytes.length
    this.#held.directoryBytes += record.length
    this.#place = {
      sizeBytes: sizeBytes + head.length + bytes.length,
      directoryBytes: directoryBytes + record.length,
      entryCount: entryCount + 1,
    }
    if (this.#held.sizeBytes >= heldBytes) await this.#write()
  }

  /** Everything up to here is in the files. */
  async mark(): Promise<void> {
    await this.#write()
    await this.#writing
    this.#marked = this.#place
  }

  async rewind(): Promise<void> {
    await this.#writing.catch(() => {})
    this.#writing = Promise.resolve()
    this.#held = { entries: [], records: [], sizeBytes: 0, directoryBytes: 0 }
    this.#place = this.#marked
    await this.#file.truncate(this.#place.sizeBytes)
    await this.#directory.truncate(this.#place.directoryBytes)
  }

  /** The size in bytes. */
  async finish(): Promise<number> {
    await this.mark()
    const { sizeBytes, directoryBytes } = this.#place
    const piece = Buffer.allocUnsafe(1024 * 1024)
    for (let at = 0; at < directoryBytes; ) {
      const { bytesRead } = await this.#directory.read(piece, 0, Math.min(piece.length, directoryBytes - at), at)
      await writeAll(this.#file, piece.subarray(0, bytesRead), sizeBytes + at)
      at += bytesRead
    }
    const end = writeEnd(this.#place)
    await writeAll(this.#file, end, sizeBytes + directoryBytes)
    await this.abandon()
    return sizeBytes + directoryBytes + end.length
  }

  async abandon(): Promise<void> {
    await this.#writing.catch(() => {})
    await Promise.allSettled([this.#file.close(), this.#directory.close()])
  }

  /** Begins to write what is held, once what was held before is written. */
  async #write(): Promise<void> {
    await this.#writing
    const { entries, records, sizeBytes, directoryBytes } = this.#held
    if (entries.length === 0) return
    const [at, directoryAt] = [this.#place.sizeBytes - sizeBytes, this.#place.directoryBytes - directoryBytes]
    this.#held = { entries: [], records: [], sizeBytes: 0, directoryBytes: 0 }
    this.#writing = Promise.all([
      writeAllOf(this.#file, entries, at),
      writeAll(this.#directory, Buffer.concat(records), directoryAt),
    ]).then(() => {})
    this.#writing.catch(() => {})
  }
}

/** What is not written yet. */
interface Held {
  readonly entries: Uint8Array[]
  readonly records: Uint8Array[]
  sizeBytes: number
  directoryBytes: number
}

interface Place {
  readonly sizeBytes: number
  readonly directoryBytes: number
  readonly entryCount: number
}

interface Entry {
  readonly name: Buffer
  readonly sizeBytes: number
  readonly sum: number
  readonly offset: number
}

/** 1 January 1980, the first day that zip knows: the same chunks give the same archive. */
const firstDay = 0x21
const [plainVersion, longVersion] = [20, 45]
const largest32 = 0xffff_ffff
const largest16 = 0xffff
const zip64Field = 1
/** Made on Unix, where files have modes. */
const madeBy = (3 << 8) | longVersion
const fileMode = (0o100644 << 16) >>> 0

function writeLocalHead({ name, sizeBytes, sum }: Entry): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(plainVersion, 4)
  head.writeUInt16LE(firstDay, 12)
  head.writeUInt32LE(sum, 14)
  head.writeUInt32LE(sizeBytes, 18)
  head.writeUInt32LE(sizeBytes, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, name])
}

function writeDirectoryEntry({ name, sizeBytes, sum, offset }: Entry): Buffer {
  const isFar = offset >= largest32
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(madeBy, 4)
  head.writeUInt16LE(isFar ? longVersion : plainVersion, 6)
  head.writeUInt16LE(firstDay, 14)
  head.writeUInt32LE(sum, 16)
  head.writeUInt32LE(sizeBytes, 20)
  head.writeUInt32LE(sizeBytes, 24)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt32LE(fileMode, 38)
  head.writeUInt32LE(isFar ? largest32 : offset, 42)
  if (!isFar) return Buffer.concat([head, name])
  const extra = Buffer.alloc(12)
  extra.writeUInt16LE(zip64Field, 0)
  extra.writeUInt16LE(8, 2)
  extra.writeBigUInt64LE(BigInt(offset), 4)
  head.writeUInt16LE(extra.length, 30)
  return Buffer.concat([head, name, extra])
}

function writeEnd({ sizeBytes, directoryBytes, entryCount }: Place): Buffer {
  const isLong = entryCount >= largest16 || sizeBytes >= largest32 || directoryBytes >= largest32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  for (const at of [8, 10]) end.writeUInt16LE(isLong ? largest16 : entryCount, at)
  end.writeUInt32LE(isLong ? largest32 : directoryBytes, 12)
  end.writeUInt32LE(isLong ? largest32 : sizeBytes, 16)
  if (!isLong) return end
  const long = Buffer.alloc(56)
  long.writeUInt32LE(0x06064b50, 0)
  long.writeBigUInt64LE(44n, 4)
  long.writeUInt16LE(madeBy, 12)
  long.writeUInt16LE(longVersion, 14)
  for (const at of [24, 32]) long.writeBigUInt64LE(BigInt(entryCount), at)
  long.writeBigUInt64LE(BigInt(directoryBytes), 40)
  long.writeBigUInt64LE(BigInt(sizeBytes), 48)
  const pointer = Buffer.alloc(20)
  pointer.writeUInt32LE(0x07064b50, 0)
  pointer.writeBigUInt64LE(BigInt(sizeBytes + directoryBytes), 8)
  pointer.writeUInt32LE(1, 16)
  return Buffer.concat([long, pointer, end])
}
