import { type FileHandle, open, stat } from 'node:fs/promises'
import { BoundedMap } from './bounded-map.ts'
import { FormatError } from './errors.ts'

/** Bytes somewhere: a file, an object, a test's buffer. Everything in this library reads through these two methods. */
export interface ByteSource {
  /** Length in bytes. */
  length(): Promise<number>
  /**
   * Bytes `start` (inclusive) to `end` (exclusive). A range beyond the end is an error, never a short answer. A file reads into
   * the memory given, where that is large enough: fresh memory for each piece costs twice the copying itself.
   */
  read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array>
}

/** A byte source with a life. */
export interface OpenByteSource extends ByteSource, AsyncDisposable {
  close(): Promise<void>
}

export function createByteSource(bytes: Uint8Array): ByteSource {
  return {
    length: async () => bytes.byteLength,
    read: async (start, end) => {
      requireRange('buffer', start, end, bytes.byteLength)
      return bytes.subarray(start, end)
    },
  }
}

export async function openFile(path: string): Promise<OpenByteSource> {
  const handle: FileHandle = await open(path, 'r')
  const close = () => handle.close()
  let knownBytes = 0
  const measure = async () => {
    knownBytes = (await handle.stat()).size
    return knownBytes
  }
  return {
    // Asked for by every reader of the file in turn.
    length: async () => knownBytes || measure(),
    read: async (start, end, into) => {
      // A file that became shorter is found by the read itself, so its size is asked for only where it may have grown.
      if (!(end <= knownBytes)) await measure()
      requireRange(path, start, end, knownBytes)
      const bytes = into && into.length >= end - start ? into.subarray(0, end - start) : createBytes(end - start)
      for (let filled = 0; filled < bytes.length; ) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
        if (bytesRead === 0)
          throw new FormatError('container_invalid', `${path} became shorter while it was being read.`)
        filled += bytesRead
      }
      return bytes
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const aheadBytes = 1024 * 1024

/** For whoever reads small pieces one after the other: from the second on, what follows is read with them. */
export function readAhead(source: ByteSource): ByteSource {
  let held: { start: number; bytes: Uint8Array } = { start: 0, bytes: new Uint8Array() }
  let readCount = 0
  return {
    length: () => source.length(),
    read: async (start, end) => {
      const isHeld = start >= held.start && end <= held.start + held.bytes.length
      if (!isHeld) {
        const ahead = readCount++ === 0 ? end : Math.min(await source.length(), Math.max(end, start + aheadBytes))
        held = { start, bytes: await source.read(start, Math.max(end, ahead)) }
      }
      return held.bytes.subarray(start - held.start, end - held.start)
    },
  }
}

const headBytes = 128 * 1024

/** For whoever goes through the index of a file and reads the same pieces again: the beginning is read once, and held. */
export function holdHead(source: ByteSource): ByteSource {
  let head: Promise<Uint8Array> | undefined
  const readHead = async () => source.read(0, Math.min(headBytes, await source.length()))
  return {
    length: () => source.length(),
    read: async (start, end, into) => {
      if (!(start >= 0 && start <= end && end <= headBytes)) return source.read(start, end, into)
      head ??= readHead()
      const held = await head
      // The source itself says what is wrong with a range beyond its end.
      return end <= held.length ? held.subarray(start, end) : source.read(start, end, into)
    },
  }
}

const pooledHandles = 64
/** A packet, an entry of an index: of a file of one episode the window holds all, and each piece was a reading of its own. */
const smallPieceBytes = 32 * 1024
const windowBytes = 128 * 1024
const pooledWindows = 4

/**
 * Files that are opened when they are read and closed when sixty-four others were read since: for plans over thousands of files. What
 * lies around a small piece is read with it, and held for the last few files that were read so.
 */
export class FilePool implements AsyncDisposable {
  readonly #open = new Map<string, Promise<OpenByteSource>>()
  readonly #windows = new BoundedMap<string, { start: number; bytes: Uint8Array }>(pooledWindows)

  createSource(path: string): ByteSource {
    let sizeBytes: number | undefined
    return {
      length: async () => {
        sizeBytes ??= (await stat(path)).size
        return sizeBytes
      },
      read: async (start, end, into) => {
        const held = this.#windows.get(path)
        if (held && start >= held.start && start <= end && end <= held.start + held.bytes.length)
          return held.bytes.subarray(start - held.start, end - held.start)
        if (into || !(end - start <= smallPieceBytes)) return (await this.#take(path)).read(start, end, into)
        return this.#readWindow(path, start, end)
      },
    }
  }

  async close(): Promise<void> {
    const files = [...this.#open.values()]
    this.#open.clear()
    this.#windows.clear()
    for (const file of files) await (await file.catch(() => undefined))?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #readWindow(path: string, start: number, end: number): Promise<Uint8Array> {
    const file = await this.#take(path)
    const length = await file.length()
    // What ends beyond the file, as far as that is known, is for the file itself to answer.
    if (!(start >= 0 && start <= end && end <= length)) return file.read(start, end)
    const first = Math.min(start, Math.max(0, length - windowBytes))
    const bytes = await file.read(first, Math.min(length, first + windowBytes))
    this.#windows.set(path, { start: first, bytes })
    return bytes.subarray(start - first, end - first)
  }

  async #take(path: string): Promise<OpenByteSource> {
    const file = this.#open.get(path) ?? openFile(path)
    this.#open.delete(path)
    this.#open.set(path, file)
    const [oldest] = this.#open
    if (oldest && this.#open.size > pooledHandles) {
      this.#open.delete(oldest[0])
      await (await oldest[1].catch(() => undefined))?.close()
    }
    return file
  }
}

/** Every byte is read into before anyone sees it, so none is zeroed first. */
function createBytes(sizeBytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer, 0, sizeBytes)
}

function requireRange(name: string, start: number, end: number, length: number): void {
  if (!(start >= 0 && start <= end && end <= length)) {
    throw new FormatError('container_invalid', `${name}: bytes ${start} to ${end} are outside its ${length} bytes.`)
  }
}
