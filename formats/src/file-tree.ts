import { opendir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { BoundedMap } from './bounded-map.ts'
import { type OpenByteSource, openFile } from './bytes.ts'
import { FormatError } from './errors.ts'

export interface FileEntry {
  /** Relative to the tree, with forward slashes. */
  readonly path: string
  readonly sizeBytes: number
}

/** The files of one dataset. Paths are relative, with forward slashes, and never lead out of the tree. */
export interface FileTree {
  /** Absolute folder: the only one that native readers are allowed to see. */
  readonly root: string
  find(path: string): Promise<FileEntry | undefined>
  /** All plain files below `folder`, in the order of their paths. */
  list(folder?: string): Promise<FileEntry[]>
  /** Absolute path of a file for readers that open it themselves; throws when it is absent or refused. */
  locate(path: string): Promise<string>
  open(path: string): Promise<OpenByteSource>
}

export interface FolderOptions {
  /** `inside`: links must end inside the folder. `anywhere`: trusted folders such as the Hugging Face cache, made of links. */
  links?: 'inside' | 'anywhere'
  /** A folder with more files than this is refused. */
  maxFiles?: number
}

const defaultMaxFiles = 5_000_000
const maxPathLength = 4096
const rememberedFiles = 4096

/** A local folder, or a single file seen as a folder that holds nothing else. */
export async function openFolder(path: string, options: FolderOptions = {}): Promise<FileTree> {
  const absolute = resolve(path)
  const found = await stat(absolute).catch(() => undefined)
  if (!found) throw new FormatError('path_refused', `${path} does not exist.`)
  const only = found.isFile() ? basename(absolute) : undefined
  const root = await realpath(only === undefined ? absolute : dirname(absolute))
  const maxFiles = options.maxFiles ?? defaultMaxFiles
  const linksAnywhere = options.links === 'anywhere'
  /** What was seen to be a file of the tree: readers ask where it is again and again. */
  const seen = new BoundedMap<string, true>(rememberedFiles)

  async function find(relative: string): Promise<FileEntry | undefined> {
    requireRelative(relative)
    if (only !== undefined && relative !== only) return undefined
    const target = join(root, relative)
    const real = await realpath(target).catch(() => undefined)
    if (real === undefined) return undefined
    if (!linksAnywhere && only === undefined && !real.startsWith(root + sep)) {
      throw new FormatError('path_refused', `${relative} is a link that leads outside the dataset's folder.`)
    }
    const facts = await stat(real).catch(() => undefined)
    if (!facts?.isFile()) return undefined
    seen.set(relative, true)
    return { path: relative, sizeBytes: facts.size }
  }

  async function locate(relative: string): Promise<string> {
    if (!seen.has(relative) && !(await find(relative))) throw new FormatError('path_refused', `${relative} is missing.`)
    return join(root, relative)
  }

  async function list(folder = ''): Promise<FileEntry[]> {
    if (folder !== '') requireRelative(folder)
    if (only !== undefined) return [await find(only)].filter((entry) => entry !== undefined)
    const paths = await listPaths(join(root, folder), maxFiles)
    const entries: FileEntry[] = []
    for (const name of paths.sort(compareText)) {
      const entry = await find(folder === '' ? name : `${folder}/${name}`)
      if (entry) entries.push(entry)
    }
    return entries
  }

  return { root, find, list, locate, open: async (relative) => openFile(await locate(relative)) }
}

/**
 * Relative paths of everything below a folder that is no folder, links included, with forward slashes; none where there is no
 * such folder. Folder by folder, since Node's own recursion keeps a list of all that it has open; throws `limit_exceeded` as soon
 * as there are more files and folders than `maxEntries`, or deeper ones than a path can name.
 */
export async function listPaths(root: string, maxEntries: number): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  let count = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const directory = await opendir(join(root, folder), { bufferSize: 256 }).catch(() => undefined)
    for await (const entry of directory ?? []) {
      const path = folder + entry.name
      if (++count > maxEntries)
        throw new FormatError('limit_exceeded', `The folder holds more than ${maxEntries} files.`)
      if (!entry.isDirectory()) paths.push(path)
      else if (path.length < maxPathLength) folders.push(`${path}/`)
      else throw new FormatError('limit_exceeded', `The folder holds names longer than ${maxPathLength} characters.`)
    }
  }
  return paths
}

/** Byte order of code units, the same on every machine and locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function requireRelative(path: string): void {
  const parts = path.split('/')
  const bad =
    path.length > maxPathLength ||
    path.includes('\0') ||
    path.includes('\\') ||
    parts.some((part) => part === '' || part === '.' || part === '..')
  if (bad)
    throw new FormatError('path_refused', `${JSON.stringify(path.slice(0, 200))} is not a path inside a dataset.`)
}
