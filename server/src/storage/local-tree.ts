import { constants, createWriteStream } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { mapAtMost } from '@nmp/formats/limiter'
import type { GuardedStorage, ObjectStorage } from './storage.ts'

export interface TreeFile {
  /** Relative, with forward slashes; where the file is to stand below the folder. */
  path: string
  storeKey: string
}

export interface LayOutOptions {
  /** Downloads at a time, where objects have to be fetched. */
  concurrency?: number
  onBytes?: (count: number) => void
  signal?: AbortSignal
}

/**
 * Makes stored objects a folder of files, which is what the readers of `formats` open: by hard links where the store is a folder on
 * the same disk (no byte is copied, and the file stays whole even when its object is collected), by copy or download otherwise.
 * Hard and not symbolic: DuckDB reads nothing outside the folder it was shown, and follows symbolic links to find out. The files
 * are the stored ones: for readers only. The folder is the caller's to remove.
 */
export const layOutFiles = async (
  storage: ObjectStorage,
  files: readonly TreeFile[],
  folder: string,
  options: LayOutOptions = {},
): Promise<void> => {
  const folders = new Set(files.map(({ path }) => dirname(join(folder, path))))
  for (const path of folders) await mkdir(path, { recursive: true })
  await mapAtMost(options.concurrency ?? 4, files, (file) => layOut(storage, file, folder, options))
}

/**
 * The same, and whoever works on the files need not wait until they are verified: what is made of them may be handed on after `verified`,
 * which fails where one of them is damaged. It has to be waited for in any case, since it reads what the folder is made of.
 */
export const layOutAhead = async (
  storage: GuardedStorage,
  files: readonly TreeFile[],
  folder: string,
  options: LayOutOptions = {},
): Promise<{ verified: Promise<void> }> => {
  await layOutFiles(storage, files, folder, options)
  // What was fetched was verified on its way.
  const verify = async ({ storeKey }: TreeFile): Promise<void> => {
    options.signal?.throwIfAborted()
    if ((await storage.locateObject(storeKey)) !== undefined) await storage.readToEnd(storeKey, options.signal)
  }
  const verified = mapAtMost(options.concurrency ?? 4, files, verify).then(() => undefined)
  verified.catch(() => undefined) // reported to whoever waits
  return { verified }
}

/** The same for what is handed on as it is: nothing damaged is in the folder when it is there. */
export const layOutVerified = async (...laidOut: Parameters<typeof layOutAhead>): Promise<void> => {
  const { verified } = await layOutAhead(...laidOut)
  await verified
}

const layOut = async (
  storage: ObjectStorage,
  { path, storeKey }: TreeFile,
  folder: string,
  { onBytes, signal }: LayOutOptions,
): Promise<void> => {
  signal?.throwIfAborted()
  const target = join(folder, path)
  const local = await storage.locateObject(storeKey)
  if (local !== undefined) return linkFile(local, target)
  const { body } = await storage.getObject(storeKey, signal ? { signal } : {})
  if (onBytes) body.on('data', (chunk: Uint8Array) => onBytes(chunk.byteLength))
  await pipeline(body, createWriteStream(target, { flags: 'wx' }), signal ? { signal } : {})
}

const linkFile = async (local: string, target: string): Promise<void> => {
  try {
    // Who reads the folder may not be trusted: whatever else it may do there, what is stored it cannot open for writing.
    const { mode } = await lstat(local)
    if (mode & 0o222) await chmod(local, mode & 0o555)
    await link(local, target)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Another disk, a file system without hard links, or one that has as many of a file as it can.
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK' && code !== 'ENOTSUP') throw error
    await copyFile(local, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  }
}
