import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WrittenFile } from '../writer.ts'
import { ZipFile } from './zip-file.ts'

/** Where the files of a Zarr hierarchy go; paths are relative to its root. */
export interface ZarrStore {
  /** They are stored in the order they are put, whichever bytes are ready first; resolves when there is room for the next. */
  put(path: string, bytes: Promise<Uint8Array> | Uint8Array): Promise<void>
  /** All that was put is stored, and stays; what is put from here on can be taken back. */
  mark(): Promise<void>
  rewind(): Promise<void>
  /** What was written, relative to the target's folder. */
  finish(): Promise<WrittenFile[]>
  abandon(): Promise<void>
}

/** Chunks that are encoded while others are stored. */
const putsAtOnce = 8

interface Shelf {
  store(path: string, bytes: Uint8Array): Promise<void>
  mark(): Promise<void>
  rewind(): Promise<void>
  finish(): Promise<WrittenFile[]>
  abandon(): Promise<void>
}

function createStore(shelf: Shelf): ZarrStore {
  let waiting: Promise<void>[] = []
  let last: Promise<void> = Promise.resolve()
  return {
    put: async (path, bytes) => {
      const before = last
      last = Promise.all([bytes, before]).then(([ready]) => shelf.store(path, ready))
      last.catch(() => {})
      waiting.push(last)
      if (waiting.length >= putsAtOnce) await waiting.shift()
    },
    mark: async () => {
      await last
      waiting = []
      await shelf.mark()
    },
    rewind: async () => {
      await Promise.allSettled(waiting)
      waiting = []
      last = Promise.resolve()
      await shelf.rewind()
    },
    finish: async () => {
      await last
      return shelf.finish()
    },
    abandon: async () => {
      await Promise.allSettled(waiting)
      await shelf.abandon()
    },
  }
}

/** A file for every chunk. */
export function createFolderStore(
  root: string,
  name: string,
  onFile: ((file: WrittenFile) => void) | undefined,
): ZarrStore {
  const files: WrittenFile[] = []
  let sinceMark: WrittenFile[] = []
  const keep = () => {
    for (const file of sinceMark) {
      files.push(file)
      onFile?.(file)
    }
    sinceMark = []
  }
  const folders = new Set<string>()
  return createStore({
    store: async (path, bytes) => {
      const written = { path: `${name}/${path}`, sizeBytes: bytes.length }
      const full = join(root, written.path)
      if (!folders.has(dirname(full))) await mkdir(dirname(full), { recursive: true })
      folders.add(dirname(full))
      await writeFile(full, bytes)
      sinceMark.push(written)
    },
    mark: async () => keep(),
    rewind: async () => {
      for (const { path } of sinceMark) await rm(join(root, path), { force: true })
      sinceMark = []
    },
    finish: async () => {
      keep()
      return files
    },
    abandon: () => rm(join(root, name), { recursive: true, force: true }),
  })
}

/** One archive, in which every chunk lies as it is: readers find it by its place, and nothing is deflated twice. */
export async function createZipStore(
  root: string,
  name: string,
  workFolder: string,
  onFile: ((file: WrittenFile) => void) | undefined,
): Promise<ZarrStore> {
  const zip = await ZipFile.create(join(root, name), join(workFolder, 'directory'))
  return createStore({
    store: (path, bytes) => zip.add(path, bytes),
    mark: () => zip.mark(),
    rewind: () => zip.rewind(),
    finish: async () => {
      const file = { path: name, sizeBytes: await zip.finish() }
      onFile?.(file)
      return [file]
    },
    abandon: async () => {
      await zip.abandon()
      await rm(join(root, name), { force: true })
    },
  })
}
