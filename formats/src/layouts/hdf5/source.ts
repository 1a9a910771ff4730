/** One HDF5 file of a tree, as a family looks at it: its tree, its small values, and the files beside it. */

import { type Hdf5Dataset, type Hdf5Reader, type Hdf5Tree, maxSliceBytes } from '../../containers/hdf5/hdf5.ts'
import { decodeText } from '../../containers/hdf5/value.ts'
import { describeCause } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import { isObject, type JsonObject, type JsonValue, parseJson, readJson } from '../../json.ts'
import type { OpenOptions } from '../layout.ts'
import { toNumbers } from './numbers.ts'

const maxSmallBytes = 32 * 1024 * 1024

export interface Hdf5Source {
  /** Relative to the file tree. */
  readonly file: string
  readonly tree: Hdf5Tree
  readonly files: FileTree
  readonly options: OpenOptions
  /** An attribute of any size up to 4 MiB. */
  readAttribute(path: string, name: string): Promise<JsonValue | undefined>
  /** An attribute that holds JSON text. */
  readJsonAttribute(path: string, name: string): Promise<JsonObject | undefined>
  /** All numbers of a small array; undefined when there is none or it cannot be read. */
  readNumbers(path: string): Promise<Float64Array | undefined>
  /** All texts of a small string dataset. */
  readTexts(path: string): Promise<string[] | undefined>
  /** The bytes of one element: a row of bytes, a fixed string, an element of varying length. */
  readElement(dataset: Hdf5Dataset, row: number): Promise<Uint8Array>
  /** All bytes of a one-dimensional byte array of at most 64 MiB. */
  readBytes(dataset: Hdf5Dataset): Promise<Uint8Array | undefined>
  /** A JSON file beside this one, by its path relative to this file's folder. */
  readSibling(relative: string): Promise<JsonValue | undefined>
  /** What was found out about a relative path once, for the next episode of the same file. */
  readonly memory: Map<string, unknown>
}

interface SourceParts {
  file: string
  absolutePath: string
  tree: Hdf5Tree
  reader: Hdf5Reader
  files: FileTree
  getOptions(): OpenOptions
}

export function createHdf5Source({ file, absolutePath, tree, reader, files, getOptions }: SourceParts): Hdf5Source {
  async function readAll(path: string) {
    const dataset = tree.findDataset(path)
    const total = dataset?.shape.reduce((product, size) => product * size, dataset.itemBytes) ?? 0
    if (!dataset || total === 0 || total > maxSmallBytes) return undefined
    const rows = await reader.readRows(absolutePath, dataset, 0, dataset.shape[0] ?? 1)
    return { dataset, rows }
  }

  async function readAttribute(path: string, name: string): Promise<JsonValue | undefined> {
    const node = tree.find(path)
    if (node?.largeAttrs?.includes(name)) {
      return reader.readAttribute(absolutePath, path, name).catch(() => undefined)
    }
    return tree.findAttribute(path, name)
  }

  return {
    file,
    tree,
    files,
    get options() {
      return getOptions()
    },
    memory: new Map(),
    readAttribute,
    async readJsonAttribute(path, name) {
      const text = await readAttribute(path, name)
      if (typeof text !== 'string') return undefined
      try {
        const { value } = parseJson(text, name)
        return isObject(value) ? value : undefined
      } catch {
        return undefined
      }
    },
    async readNumbers(path) {
      const found = await readAll(path)
      if (found?.rows.form !== 'packed') return undefined
      return toNumbers(found.dataset.dtype, found.rows.bytes)
    },
    async readTexts(path) {
      const found = await readAll(path)
      if (!found) return undefined
      const { rows, dataset } = found
      if (rows.form === 'ragged') return dataset.dtype === 'str' ? rows.items.map(decodeText) : undefined
      if (!dataset.dtype.startsWith('S')) return undefined
      const count = rows.bytes.length / dataset.itemBytes
      return Array.from({ length: count }, (_, index) =>
        decodeText(rows.bytes.subarray(index * dataset.itemBytes, (index + 1) * dataset.itemBytes)),
      )
    },
    async readElement(dataset, row) {
      const rows = await reader.readRows(absolutePath, dataset, row, row + 1)
      return rows.form === 'packed' ? rows.bytes : (rows.items[0] ?? new Uint8Array(0))
    },
    async readBytes(dataset) {
      if ((dataset.shape[0] ?? 0) > maxSliceBytes) return undefined
      const rows = await reader.readRows(absolutePath, dataset, 0, dataset.shape[0] ?? 0)
      return rows.form === 'packed' ? rows.bytes : undefined
    },
    async readSibling(relative) {
      const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : ''
      const path = resolveRelative(folder, relative)
      if (path === undefined || !(await files.find(path).catch(() => undefined))) return undefined
      try {
        return (await readJson(files, path)).value
      } catch (error) {
        return { unreadable: describeCause(error) }
      }
    },
  }
}

/** A path inside the tree, or undefined when it leads out of it or is absolute. */
export function resolveRelative(folder: string, relative: string): string | undefined {
  if (relative.startsWith('/') || relative.includes('\\') || relative.includes('\0') || relative.includes('://')) {
    return undefined
  }
  const parts: string[] = []
  for (const part of `${folder}${relative}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.length > 0 ? parts.join('/') : undefined
}
