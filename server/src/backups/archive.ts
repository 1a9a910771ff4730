import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract, pack } from 'tar-stream'
import { describeError } from '../errors.ts'
import { syncFolder } from '../storage/folder/durable-file.ts'

/** The last entry: what `sha256sum -c` reads. It covers every byte before it, and a file cut short lacks it. */
const sumsName = 'SHA256SUMS'

type Bytes = AsyncIterable<Uint8Array>

export interface ArchiveWriter {
  /** A folder beside the archive for what must be whole before its size is known. Gone with the writer. */
  scratchFolder: string
  /** Answers the sha256 of what was written. */
  addStream(name: string, sizeBytes: number, body: Bytes): Promise<string>
  addFile(name: string, path: string): Promise<void>
  /** The archive gets its name: whole, on the disk, or not at all. */
  finish(): Promise<void>
  /** Leaves nothing behind; after `finish` nothing but the archive. */
  close(): Promise<void>
}

/** `wrap` is what the file is made of the tar by: nothing, or sealing. */
export async function createArchive(path: string, wrap: (tar: Bytes) => Bytes = (tar) => tar): Promise<ArchiveWriter> {
  const partPath = `${path}.part`
  const scratchFolder = `${path}.part.d`
  await rm(scratchFolder, { recursive: true, force: true })
  await mkdir(scratchFolder, { mode: 0o700 })
  const sums = await open(join(scratchFolder, sumsName), 'w', 0o600)
  const tar = pack()
  // A file left by a killed backup may have other rights.
  await rm(partPath, { force: true })
  const written = pipeline(wrap(tar as Bytes), createWriteStream(partPath, { mode: 0o600, flush: true }))
  // A full disk ends the output, and an entry would wait for it for ever.
  const broken = written.then(() => new Promise<never>(() => {}))
  broken.catch(() => {})

  const addStream = async (name: string, sizeBytes: number, body: Bytes): Promise<string> => {
    const ended = Promise.withResolvers<void>()
    ended.promise.catch(() => {})
    const entry = tar.entry({ name, size: sizeBytes, mode: 0o600, mtime: new Date() }, (error) =>
      error ? ended.reject(error) : ended.resolve(),
    )
    entry.on('error', () => {})
    const hash = createHash('sha256')
    for await (const chunk of body) {
      hash.update(chunk)
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), ended.promise, broken])
    }
    entry.end(null)
    await Promise.race([ended.promise, broken])
    const sha256 = hash.digest('hex')
    await sums.write(renderSum(name, sha256))
    return sha256
  }

  return {
    scratchFolder,
    addStream,
    addFile: async (name, file) => {
      await addStream(name, (await stat(file)).size, createReadStream(file))
      await rm(file)
    },
    finish: async () => {
      const { size } = await sums.stat()
      await addStream(sumsName, size, createReadStream(join(scratchFolder, sumsName), { end: size - 1 }))
      tar.finalize()
      await written
      await rename(partPath, path)
      await syncFolder(dirname(path))
    },
    close: async () => {
      tar.destroy()
      await written.catch(() => {})
      await closeQuietly(sums)
      await rm(partPath, { force: true })
      await rm(scratchFolder, { recursive: true, force: true })
    },
  }
}

const closeQuietly = (file: FileHandle): Promise<void> => file.close().catch(() => {})

const renderSum = (name: string, sha256: string): string => `${sha256}  ${name}\n`

export interface ArchiveEntry {
  name: string
  sizeBytes: number
  /** Read it whole or not at all. */
  body: Bytes
}

/**
 * Gives the entries in order and proves at the end that every byte was as written. Throws when the file is damaged or cut short,
 * so what was done with the entries must not stand before this has returned.
 */
export async function readArchive(
  path: string,
  see: (entry: ArchiveEntry) => Promise<void>,
  unwrap?: (file: Bytes) => Bytes,
): Promise<void> {
  // What is sealed has an end of its own.
  if (!unwrap) await requireEnd(path)
  const entries = extract()
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  const fed = pipeline(unwrap ? unwrap(file) : file, entries)
  fed.catch(() => {})
  const sums = createHash('sha256')
  let isWhole = false
  let complaint: unknown
  let isBroken = false
  const noteBreak = (): void => {
    isBroken = true
  }
  try {
    for await (const entry of entries) {
      const { name, size = 0 } = entry.header
      if (isWhole) throw new Error(`${name} comes after its end`)
      const hash = createHash('sha256')
      const body = readThrough(entry as Bytes, hash, noteBreak)
      if (name !== sumsName)
        await see({ name, sizeBytes: size, body }).catch((error) => {
          complaint = error
          throw error
        })
      while (!(await body.next()).done);
      const sha256 = hash.digest('hex')
      if (name !== sumsName) sums.update(renderSum(name, sha256))
      else if (sha256 === sums.digest('hex')) isWhole = true
      else throw new Error('its checksums do not match')
    }
    await fed
    if (!isWhole) throw new Error('its end is missing')
  } catch (error) {
    if (complaint !== undefined && !isBroken) throw complaint
    throw new Error(`${basename(path)} is damaged or not a backup: ${describeError(error)}. Nothing was changed.`, {
      cause: error,
    })
  }
}

const endBytes = 1024

/** A tar ends with two empty blocks, which come after the last checksum: what was cut there was cut for a reason. */
async function requireEnd(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const end = Buffer.alloc(endBytes, 1)
    await file.read(end, 0, endBytes, Math.max(0, size - endBytes))
    if (size % 512 === 0 && end.every((byte) => byte === 0)) return
    throw new Error(`${basename(path)} is damaged or not a backup: its end is missing. Nothing was changed.`)
  } finally {
    await file.close()
  }
}

async function* readThrough(
  source: Bytes,
  hash: { update(chunk: Uint8Array): unknown },
  noteBreak: () => void,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await chunks.next().catch((error) => {
      noteBreak()
      throw error
    })
    if (done) return
    hash.update(value)
    yield value
  }
}
