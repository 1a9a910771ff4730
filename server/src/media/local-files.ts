import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../context.ts'
import type { Blob } from '../storage/repository.ts'

const keptBytes = 4 * 1024 ** 3
/** Folders that nobody touches for a day are those of killed processes, and are removed (`jobs/parser-folders.ts`). */
const touchMilliseconds = 3_600_000

interface LocalFile {
  path: Promise<string>
  sizeBytes: number
}

interface LocalFiles {
  folder: Promise<string>
  files: Map<string, LocalFile>
  usedBytes: number
}

const caches = new WeakMap<Context, LocalFiles>()

/** A stored object as a file for readers that open one by name: itself on a folder store, fetched once elsewhere. */
export async function getLocalFile(context: Context, blob: Blob): Promise<string> {
  const local = await context.storage.locateObject(blob.storeKey)
  if (local !== undefined) return local
  const cache = getCache(context)
  const file = cache.files.get(blob.sha256) ?? addFile(context, cache, blob)
  cache.files.delete(blob.sha256)
  cache.files.set(blob.sha256, file)
  for (const [sha256, old] of cache.files) {
    if (cache.usedBytes <= keptBytes || old === file) break
    await dropFile(cache, sha256, old)
  }
  return file.path.catch(async (error) => {
    await dropFile(cache, blob.sha256, file)
    throw error
  })
}

function getCache(context: Context): LocalFiles {
  const known = caches.get(context)
  if (known) return known
  const folder = mkdtemp(join(tmpdir(), 'nmp-media-'))
  const cache: LocalFiles = { folder, files: new Map(), usedBytes: 0 }
  caches.set(context, cache)
  const touch = async (): Promise<void> => utimes(await folder, new Date(), new Date())
  const timer = setInterval(() => void touch().catch(() => {}), touchMilliseconds).unref()
  context.closers.push(async () => {
    clearInterval(timer)
    await rm(await folder, { recursive: true, force: true })
  })
  return cache
}

function addFile({ storage }: Context, cache: LocalFiles, blob: Blob): LocalFile {
  const fetchFile = async (): Promise<string> => {
    const folder = await cache.folder
    await mkdir(folder, { recursive: true })
    const part = join(folder, `${randomUUID()}.part`)
    const { body } = await storage.getObject(blob.storeKey)
    await pipeline(body, createWriteStream(part))
    const path = join(folder, blob.sha256)
    await rename(part, path)
    return path
  }
  cache.usedBytes += blob.sizeBytes
  return { path: fetchFile(), sizeBytes: blob.sizeBytes }
}

/** A reader that has it open keeps reading: on these systems a removed file lives until it is closed. */
async function dropFile(cache: LocalFiles, sha256: string, file: LocalFile): Promise<void> {
  if (cache.files.get(sha256) !== file) return
  cache.files.delete(sha256)
  cache.usedBytes -= file.sizeBytes
  const path = await file.path.catch(() => undefined)
  if (path !== undefined) await rm(path, { force: true })
}
