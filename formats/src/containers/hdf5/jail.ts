/**
 * h5wasm with one file in the world. Its browser build has a virtual file system only; that one file in it reads through
 * `fs.readSync` on one descriptor. HDF5 has three doors to other files (external links, external storage, virtual
 * datasets): whatever path they open shows in `FS.open`, finds nothing, and marks the file.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { ready } from 'h5wasm'
import { FormatError } from '../../errors.ts'

export type H5Module = Awaited<typeof ready>

const folder = '/one'
const jailedPath = `${folder}/f.h5`
/** h5wasm's throwing handler prints the stack of an error into such a file of the virtual system. */
const errorStackPath = /^\/tmp\/tmpfile_[A-Za-z]{6}$/

/** The parts of emscripten's file system that are used here; its own types do not name them. */
interface EmscriptenFs {
  open(path: string, ...rest: unknown[]): unknown
  mkdirTree(path: string): void
  writeFile(path: string, data: Uint8Array): void
  mount(type: unknown, options: unknown, path: string): unknown
  createNode(parent: unknown, name: string, mode: number, device: number): Record<string, unknown>
  isFile(mode: number): boolean
  ErrnoError: new (code: number) => Error
}

export interface Jail {
  readonly module: H5Module
  readonly fileId: bigint
  readonly sizeBytes: number
  /** Throws `path_refused` when the file reached for another one. */
  requireInnocence(): void
  openFile(path: string): void
  /** Runs `work` and lists the reads it made. Reads of exactly `blankBytes` are answered without reading. */
  traceReads(work: () => void, blankBytes?: number): (readonly [offset: number, sizeBytes: number])[]
  addPlugin(name: string, bytes: Uint8Array): void
}

export async function createJail(): Promise<Jail> {
  const module = await ready
  module.activate_throwing_error_handler()
  const fs = module.FS as unknown as EmscriptenFs
  const pluginFolder = (module.get_plugin_search_paths()[0] ?? '/plugins').replace(/\/+$/, '')
  while (module.get_plugin_search_paths().length > 1) module.remove_plugin_search_path(1)
  fs.mkdirTree(pluginFolder)
  let descriptor = -1
  let sizeBytes = 0
  let fileId = -1n
  let foreignPath: string | undefined
  let trace: [number, number][] | undefined
  let blankBytes = -1

  const streamOperations = {
    llseek(stream: { position: number }, offset: number, whence: number): number {
      const position = offset + (whence === 1 ? stream.position : whence === 2 ? sizeBytes : 0)
      if (position < 0) throw new fs.ErrnoError(28)
      return position
    },
    read(_stream: unknown, buffer: Uint8Array, offset: number, length: number, position: number): number {
      trace?.push([position, length])
      if (length === blankBytes) return length
      return position >= sizeBytes ? 0 : readSync(descriptor, buffer, offset, length, position)
    },
    write(): never {
      throw new fs.ErrnoError(29)
    },
  }
  const time = new Date(0)
  const nodeOperations = {
    getattr: (node: { id: number; mode: number }) => ({
      dev: 1,
      ino: node.id,
      mode: node.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size: fs.isFile(node.mode) ? sizeBytes : 4096,
      atime: time,
      mtime: time,
      ctime: time,
      blksize: 4096,
      blocks: Math.ceil(sizeBytes / 4096),
    }),
    lookup(): never {
      throw new fs.ErrnoError(44)
    },
    readdir: () => ['.', '..', 'f.h5'],
  }
  const oneFile = {
    mount() {
      const root = fs.createNode(null, '/', 0o40555, 0)
      root.node_ops = nodeOperations
      root.stream_ops = {}
      const file = fs.createNode(root, 'f.h5', 0o100444, 0)
      file.node_ops = nodeOperations
      file.stream_ops = streamOperations
      return root
    },
  }
  fs.mkdirTree(folder)
  fs.mount(oneFile, {}, folder)
  const open = fs.open.bind(fs)
  fs.open = (path, ...rest) => {
    const isOwn = path === jailedPath || path === pluginFolder || path.startsWith(`${pluginFolder}/`)
    if (!isOwn && !errorStackPath.test(path)) foreignPath ??= path
    return open(path, ...rest)
  }

  function requireInnocence(): void {
    if (foreignPath === undefined) return
    const name = JSON.stringify(foreignPath.slice(0, 200))
    throw new FormatError(
      'path_refused',
      `The HDF5 file refers to another file, ${name}; such files are refused. Copy the data into one file (h5repack).`,
    )
  }

  return {
    module,
    get fileId() {
      return fileId
    },
    get sizeBytes() {
      return sizeBytes
    },
    requireInnocence,
    openFile(path) {
      if (fileId >= 0n) module.close_file(fileId)
      if (descriptor >= 0) closeSync(descriptor)
      fileId = -1n
      foreignPath = undefined
      descriptor = openSync(path, 'r')
      sizeBytes = fstatSync(descriptor).size
      fileId = openReadOnly(module)
      requireInnocence()
    },
    traceReads(work, blank = -1) {
      trace = []
      blankBytes = blank
      try {
        work()
        return trace
      } finally {
        trace = undefined
        blankBytes = -1
      }
    },
    addPlugin: (name, bytes) => fs.writeFile(`${pluginFolder}/${name}`, bytes),
  }
}

/** A recorder that was killed while writing leaves the SWMR mark; readers may then open in SWMR mode only. */
function openReadOnly(module: H5Module): bigint {
  try {
    return module.open(jailedPath, module.H5F_ACC_RDONLY, false, -1, -1)
  } catch (error) {
    if (!/SWMR/.test(String(error))) throw error
    return module.open(jailedPath, module.H5F_ACC_SWMR_READ, false, -1, -1)
  }
}
