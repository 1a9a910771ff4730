import { createWriteStream } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ObjectStorage } from './storage.ts'

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
 * Makes stored objects a folder of files, which is what the readers of `formats` open: by links where the store is a folder of this
 * machine (no byte is copied; open the tree with `links: 'anywhere'`), by download otherwise. The folder is the caller's to remove.
 */
export const layOutFiles = async (
  storage: ObjectStorage,
  files: readonly TreeFile[],
  folder: string,
  { concurrency = 4, onBytes, signal }: LayOutOptions = {},
): Promise<void> => {
  const folders = new Set(files.map(({ path }) => dirname(join(folder, path))))
  for (const path of folders) await mkdir(path, { recursive: true })
  const waiting = [...files]
  const layOutNext = async (): Promise<void> => {
    for (let file = waiting.pop(); file; file = waiting.pop()) await layOut(storage, file, folder, onBytes, signal)
  }
  await Promise.all(Array.from({ length: concurrency }, layOutNext))
}

const layOut = async (
  storage: ObjectStorage,
  { path, storeKey }: TreeFile,
  folder: string,
  onBytes: LayOutOptions['onBytes'],
  signal: AbortSignal | undefined,
): Promise<void> => {
  signal?.throwIfAborted()
  const target = join(folder, path)
  const local = await storage.locateObject(storeKey)
  if (local !== undefined) return symlink(local, target)
  const { body } = await storage.getObject(storeKey, signal ? { signal } : {})
  if (onBytes) body.on('data', (chunk: Uint8Array) => onBytes(chunk.byteLength))
  await pipeline(body, createWriteStream(target, { flags: 'wx' }), signal ? { signal } : {})
}
