import { randomBytes } from 'node:crypto'
import { type BigIntStats, constants, createReadStream } from 'node:fs'
import { link, lstat, mkdir, open, opendir, realpath, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { notFound, ServiceError } from '../../errors.ts'
import { checkKey, checkPrefix } from '../keys.ts'
import { untilAborted } from '../part-stream.ts'
import { FileBody } from '../serving/file-body.ts'
import { createPieceBuffers } from '../serving/piece-buffers.ts'
import type { ServedStorage } from '../serving/served-storage.ts'
import { openSignedObject, signObject } from '../serving/signed-url.ts'
import type {
  ObjectHead,
  OpenedObject,
  PutFileOptions,
  PutOptions,
  ReadOptions,
  StorageConfig,
  WrittenObject,
} from '../storage.ts'
import { createFile, DurableFolder, hashFile, isErrno, syncFolder, writeStream } from './durable-file.ts'
import { createFolderMultipart } from './folder-multipart.ts'
import { decodeKeyPath, encodeKeyPath } from './folder-paths.ts'

const readBytes = 256 * 1024

export interface FolderStorage extends ServedStorage {
  readonly kind: 'folder'
}

/** `objects/` holds what is finished, `tmp/` and `uploads/` what is not: a listing never meets half an object. */
export const openFolderStorage = async (config: Extract<StorageConfig, { kind: 'folder' }>): Promise<FolderStorage> => {
  await mkdir(config.folder, { recursive: true, mode: 0o700 })
  const root = await realpath(config.folder)
  const objects = new DurableFolder(join(root, 'objects'))
  const temporaryFolder = join(root, 'tmp')
  const uploadsFolder = join(root, 'uploads')
  for (const folder of [objects.root, temporaryFolder, uploadsFolder])
    await mkdir(folder, { recursive: true, mode: 0o700 })
  await syncFolder(root)

  const buffers = createPieceBuffers(config.sendBytes)

  const pathOf = (key: string): string => join(objects.root, encodeKeyPath(checkKey(key)))
  const newTemporaryPath = (): string => join(temporaryFolder, randomBytes(12).toString('hex'))

  const putObject = async (
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<WrittenObject> => {
    const path = pathOf(key)
    const temporaryPath = newTemporaryPath()
    const file = await createFile(temporaryPath)
    try {
      const { sizeBytes, sha256 } = await writeStream(file, untilAborted(body, options.signal))
      const { etag } = describeFile(key, await file.stat({ bigint: true }))
      options.signal?.throwIfAborted()
      await objects.publishFile(temporaryPath, path, options.ifAbsent === true)
      return { key, sizeBytes, sha256, etag }
    } finally {
      await file.close()
      await rm(temporaryPath, { force: true })
    }
  }

  /** The file gets a second name instead of a copy; its bytes are read once for the hash and synced. */
  const putFile = async (key: string, sourcePath: string, options: PutFileOptions = {}): Promise<WrittenObject> => {
    const path = pathOf(key)
    const temporaryPath = newTemporaryPath()
    try {
      await link(sourcePath, temporaryPath)
    } catch (error) {
      // Another disk, a file system without hard links, or one that has as many of a file as it can.
      if (!isErrno(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP')) throw error
      return putObject(key, createReadStream(sourcePath, { highWaterMark: readBytes }), options)
    }
    const file = await open(temporaryPath, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      await file.chmod(0o600)
      const { sizeBytes, sha256 } = options.known ?? (await hashFile(file, options.signal))
      await file.sync()
      const { etag } = describeFile(key, await file.stat({ bigint: true }))
      await objects.publishFile(temporaryPath, path, options.ifAbsent === true)
      return { key, sizeBytes, sha256, etag }
    } finally {
      await file.close()
      await rm(temporaryPath, { force: true })
    }
  }

  const getObject = async (key: string, options: ReadOptions = {}): Promise<OpenedObject> => {
    options.signal?.throwIfAborted()
    const path = pathOf(key)
    // O_NONBLOCK: opening a planted pipe would wait for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      throw isErrno(error, 'ENOENT', 'ENOTDIR') ? notFound() : isErrno(error, 'ELOOP') ? notRegular(path) : error
    })
    try {
      const stats = await file.stat({ bigint: true })
      if (stats.isDirectory()) throw notFound()
      if (!stats.isFile() || (await realpath(path)) !== path) throw notRegular(path)
      const head = describeFile(key, stats)
      const { start, end } = clampRange(options, head.sizeBytes)
      if (start === end) {
        await file.close()
        return { head, body: Readable.from([]) }
      }
      return { head, body: new FileBody(file, { start, end }, { buffers, signal: options.signal }) }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  const findObject = async (key: string): Promise<ObjectHead | undefined> => {
    const path = pathOf(key)
    try {
      const stats = await lstat(path, { bigint: true })
      if (stats.isDirectory()) return undefined
      if (!stats.isFile() || (await realpath(path)) !== path) throw notRegular(path)
      return describeFile(key, stats)
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
      throw error
    }
  }

  const locateObject = async (key: string): Promise<string> => {
    if (!(await findObject(key))) throw notFound()
    return pathOf(key)
  }

  const deleteObject = async (key: string): Promise<void> => {
    const path = pathOf(key)
    try {
      await unlink(path)
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) return
      throw error
    }
    await objects.removeEmptyFolders(dirname(path), rmdir)
  }

  async function* listFolder(relativePath: string): AsyncGenerator<ObjectHead> {
    const folder = await opendir(join(objects.root, relativePath)).catch((error) => {
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
      throw error
    })
    if (folder === undefined) return
    for await (const entry of folder) {
      const path = join(relativePath, entry.name)
      if (entry.isDirectory()) yield* listFolder(path)
      const key = entry.isFile() ? decodeKeyPath(path) : undefined
      const head = key === undefined ? undefined : await findObject(key)
      if (head) yield head
    }
  }

  const copyObject = async (sourceKey: string, targetKey: string): Promise<void> => {
    if (!(await findObject(sourceKey))) throw notFound()
    // Objects are never written in place, so two names of one file are two objects.
    const temporaryPath = newTemporaryPath()
    try {
      await link(pathOf(sourceKey), temporaryPath)
      await objects.publishFile(temporaryPath, pathOf(targetKey), false)
    } finally {
      await rm(temporaryPath, { force: true })
    }
  }

  const sweepUnfinished = async (olderThan: Date): Promise<number> => {
    let removed = 0
    for (const folder of [temporaryFolder, uploadsFolder]) {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name)
        const stats = await stat(path).catch(() => undefined)
        if (!stats || stats.mtime >= olderThan) continue
        await rm(path, { recursive: true, force: true })
        removed++
      }
    }
    return removed
  }

  return {
    kind: 'folder',
    putObject,
    putFile,
    getObject,
    findObject,
    locateObject,
    deleteObject,
    listObjects: (prefix) => listFolder(encodeKeyPath(checkPrefix(prefix).replace(/\/$/, ''))),
    copyObject,
    signGet: async (key, options) => signObject(config, 'GET', key, options),
    signPut: async (key, options) => signObject(config, 'PUT', key, options),
    ...createFolderMultipart(uploadsFolder, async (key, dataPath) => {
      await objects.publishFile(dataPath, pathOf(key), false)
      return describeFile(key, await lstat(pathOf(key), { bigint: true }))
    }),
    sweepUnfinished,
    openSignedObject: (method, url) => openSignedObject(config.signingKey, method, url),
    close: async () => {},
  }
}

/** A replaced object is another file with another time, so the tag is strong without reading the bytes. */
const describeFile = (key: string, stats: BigIntStats): ObjectHead => ({
  key,
  sizeBytes: Number(stats.size),
  etag: `"${stats.size.toString(16)}-${stats.mtimeNs.toString(16)}-${stats.ino.toString(16)}"`,
  lastModified: stats.mtime,
})

const clampRange = ({ range }: ReadOptions, sizeBytes: number): { start: number; end: number } => {
  if (!range) return { start: 0, end: sizeBytes }
  if (range.start >= sizeBytes || range.start >= range.end || range.start < 0) {
    throw new ServiceError(
      'range_not_satisfiable',
      `Bytes ${range.start} to ${range.end} are not in an object of ${sizeBytes} bytes.`,
    )
  }
  return { start: range.start, end: Math.min(range.end, sizeBytes) }
}

const notRegular = (path: string): ServiceError =>
  new ServiceError(
    'internal_error',
    `${path} is not a plain file of the store; another program put it there. Remove it.`,
  )
