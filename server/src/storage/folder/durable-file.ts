import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../../errors.ts'
import { type HashInThread, openHash } from '../serving/hash-thread.ts'

const bufferBytes = 1024 * 1024
/** The disk starts on these while the rest still arrives: without it the last fsync of a large file waits for all of it. */
const flushEveryBytes = 32 * 1024 * 1024

export const isErrno = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** A new file that nobody else can have open, whatever lies at that path. */
export const createFile = (path: string): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)

/**
 * Writes a stream to its end and to the disk, counting and hashing. Bytes are copied before the next chunk is asked for, so a source
 * may reuse its buffer; one buffer is hashed and written while the other fills. What is more than one buffer is hashed beside the loop:
 * eight clients that send as fast as they can kept it busy with nothing else.
 */
export const writeStream = async (
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
): Promise<{ sizeBytes: number; sha256: string }> => {
  let hash: HashInThread | undefined
  let filling = Buffer.from(new SharedArrayBuffer(bufferBytes))
  let spare = filling
  let filledBytes = 0
  let sizeBytes = 0
  let unflushedBytes = 0
  let writing: Promise<unknown> = Promise.resolve()
  let flushing = Promise.resolve()

  const writeFilled = async (thread: HashInThread): Promise<void> => {
    await writing
    const bytes = filling.subarray(0, filledBytes)
    writing = Promise.all([writeAll(file, bytes, sizeBytes), thread.update(bytes)])
    writing.catch(() => {}) // reported by the next await, which may come after more input
    sizeBytes += filledBytes
    unflushedBytes += filledBytes
    filledBytes = 0
    if (spare === filling) spare = Buffer.from(new SharedArrayBuffer(bufferBytes))
    ;[filling, spare] = [spare, filling]
    if (unflushedBytes < flushEveryBytes) return
    unflushedBytes = 0
    await flushing
    flushing = file.datasync()
    flushing.catch(() => {})
  }

  try {
    for await (const chunk of body) {
      for (let taken = 0; taken < chunk.byteLength; ) {
        if (filledBytes === bufferBytes) {
          hash ??= openHash()
          await writeFilled(hash)
        }
        const step = Math.min(chunk.byteLength - taken, bufferBytes - filledBytes)
        filling.set(chunk.subarray(taken, taken + step), filledBytes)
        taken += step
        filledBytes += step
      }
    }
    if (hash) {
      if (filledBytes > 0) await writeFilled(hash)
      await writing
      await flushing
      await file.sync()
      return { sizeBytes, sha256: await hash.digest() }
    }
    const bytes = filling.subarray(0, filledBytes)
    await writeAll(file, bytes, 0)
    await file.sync()
    return { sizeBytes: filledBytes, sha256: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    // Nothing writes or reads the buffers any more.
    await Promise.allSettled([writing, flushing])
    hash?.close()
  }
}

/** Size and hash of what is there already; what is more than a buffer is read and hashed beside the loop. */
export const hashFile = async (
  file: FileHandle,
  signal?: AbortSignal,
): Promise<{ sizeBytes: number; sha256: string }> => {
  const { size: sizeBytes } = await file.stat()
  if (sizeBytes <= bufferBytes) {
    const bytes = await file.readFile()
    return { sizeBytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  const hash = openHash()
  try {
    await hash.read(file.fd, { start: 0, end: sizeBytes }, () => signal?.throwIfAborted())
    return { sizeBytes, sha256: await hash.digest() }
  } finally {
    hash.close()
  }
}

export const writeAll = async (file: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written)
    written += bytesWritten
  }
}

/** Names files under `root` so that neither the name nor a folder above it is lost in a power cut. */
export class DurableFolder {
  readonly root: string
  /** Folders whose own name this process has seen reach the disk. */
  readonly #synced = new Set<string>()

  constructor(root: string) {
    this.root = root
  }

  /** Gives a finished and synced file its name, whole or not at all. The temporary name is gone afterwards. */
  async publishFile(temporaryPath: string, path: string, ifAbsent: boolean): Promise<void> {
    const folder = dirname(path)
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#makeFolder(folder)
        if (ifAbsent) await link(temporaryPath, path)
        else await rename(temporaryPath, path)
        break
      } catch (error) {
        // A delete of the last neighbour takes the empty folder away between the two calls.
        if (isErrno(error, 'ENOENT') && attempt < 20) continue
        throw describePublishError(error)
      }
    }
    await rm(temporaryPath, { force: true }) // left by link, and by rename when both names were one file already
    await syncFolder(folder)
  }

  /** Takes empty folders away, up to the root. */
  async removeEmptyFolders(folder: string, remove: (path: string) => Promise<void>): Promise<void> {
    for (let path = folder; path !== this.root && path.startsWith(`${this.root}/`); path = dirname(path)) {
      try {
        await remove(path)
        this.#synced.delete(path)
      } catch (error) {
        if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return
        throw error
      }
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await realpath(folder)) !== folder) {
      throw new ServiceError(
        'internal_error',
        `The folder ${folder} is reached through a symbolic link; remove the link.`,
      )
    }
    if (this.#synced.size > 10_000) this.#synced.clear()
    for (let path = folder; path !== this.root; path = dirname(path)) {
      if (firstMade === undefined && this.#synced.has(path)) break
      await syncFolder(dirname(path))
      this.#synced.add(path)
    }
  }
}

export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const describePublishError = (error: unknown): unknown => {
  if (isErrno(error, 'EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY')) {
    return new ServiceError(
      'object_exists',
      'An object with this key already exists, or the key nests with another key.',
      {
        cause: error,
      },
    )
  }
  return error
}
