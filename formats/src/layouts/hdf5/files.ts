import { BoundedMap } from '../../bounded-map.ts'
/** The HDF5 files of a tree: found by their signature, described once, read through one child. */
import {
  createHdf5Reader,
  type Hdf5Dataset,
  type Hdf5Reader,
  type Hdf5Rows,
  isHdf5,
} from '../../containers/hdf5/hdf5.ts'
import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import type { OpenOptions } from '../layout.ts'
import { createHdf5Source, type Hdf5Source } from './source.ts'

const rememberedFiles = 4

export interface Hdf5Files extends AsyncDisposable {
  readonly tree: FileTree
  /** What a person said about the files; set by who opens them for good. */
  options: OpenOptions
  /** Relative paths, in order: numbers count (`episode_2` before `episode_10`). */
  readonly paths: readonly string[]
  openSource(path: string): Promise<Hdf5Source>
  findDataset(path: string, dataset: string): Promise<Hdf5Dataset | undefined>
  readRows(path: string, dataset: Hdf5Dataset, start: number, end: number): Promise<Hdf5Rows>
  close(): Promise<void>
}

const lists = new WeakMap<FileTree, Promise<string[]>>()

/** Files that begin as HDF5 does, or are named so: those get a clear refusal when they are something else. */
export function listHdf5Files(tree: FileTree): Promise<string[]> {
  const known = lists.get(tree)
  if (known) return known
  const list = findHdf5Files(tree)
  lists.set(tree, list)
  return list
}

async function findHdf5Files(tree: FileTree): Promise<string[]> {
  const found: string[] = []
  for (const { path } of await tree.list()) {
    const isNamed = /\.(h5|hdf5|hdf)$/i.test(path)
    if (isNamed || (!isOtherName(path) && (await isHdf5(await tree.locate(path))))) found.push(path)
  }
  return found.sort(compareNumbered)
}

/** A million JPEG files beside an index are not opened to see that they are no HDF5. */
function isOtherName(path: string): boolean {
  return /\.(jpe?g|png|mp4|json|parquet|txt|npy|svo|csv|md)$/i.test(path)
}

export function openHdf5Files(tree: FileTree, paths: readonly string[], options: OpenOptions = {}): Hdf5Files {
  const reader: Hdf5Reader = createHdf5Reader(paths.length > 1 ? { folder: tree.root } : {})
  const sources = new BoundedMap<string, Promise<Hdf5Source>>(rememberedFiles)

  async function describe(path: string): Promise<Hdf5Source> {
    const absolutePath = await tree.locate(path)
    const description = await reader.describe(absolutePath)
    if (description.isTruncated) {
      throw new FormatError('limit_exceeded', `${path} holds more than 200,000 objects; split it into several files.`)
    }
    const getOptions = () => files.options
    return createHdf5Source({ file: path, absolutePath, tree: description, reader, files: tree, getOptions })
  }

  function openSource(path: string): Promise<Hdf5Source> {
    files.options.signal?.throwIfAborted()
    const known = sources.get(path)
    const source = known ?? describe(path)
    sources.set(path, source)
    return source
  }

  const close = () => reader.close()
  const files: Hdf5Files = {
    tree,
    paths,
    options,
    openSource,
    findDataset: async (path, dataset) => (await openSource(path)).tree.findDataset(dataset),
    readRows: async (path, dataset, start, end) => {
      files.options.signal?.throwIfAborted()
      return reader.readRows(await tree.locate(path), dataset, start, end)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  return files
}

const heldSeconds = 5
const held = new WeakMap<FileTree, { files: Hdf5Files; timer: NodeJS.Timeout }>()

/** Keeps open files for whoever opens the tree next: a child takes most of a second to start. */
export function holdHdf5Files(files: Hdf5Files): void {
  const timer = setTimeout(() => {
    held.delete(files.tree)
    void files.close()
  }, heldSeconds * 1000)
  held.set(files.tree, { files, timer })
}

/** The files that were looked at just now, or newly opened ones; the caller closes them. */
export async function takeHdf5Files(tree: FileTree, options: OpenOptions): Promise<Hdf5Files> {
  const known = held.get(tree)
  if (!known) return openHdf5Files(tree, await listHdf5Files(tree), options)
  held.delete(tree)
  clearTimeout(known.timer)
  known.files.options = options
  return known.files
}

/** `demo_2` before `demo_10`; equal numbers by text. */
export function compareNumbered(a: string, b: string): number {
  const partsA = a.split(/(\d+)/)
  const partsB = b.split(/(\d+)/)
  for (let index = 0; index < Math.min(partsA.length, partsB.length); index++) {
    const [left = '', right = ''] = [partsA[index], partsB[index]]
    if (left === right) continue
    const difference = index % 2 === 1 ? Number(left) - Number(right) : 0
    return difference || (left < right ? -1 : 1)
  }
  return partsA.length - partsB.length
}
