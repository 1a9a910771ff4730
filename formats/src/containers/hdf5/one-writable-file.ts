/**
 * h5wasm with one file in the world that it may write: the virtual file system of its browser build, in which that file is a
 * descriptor of ours. What was there before a mark is kept while it is written over, so that a rewind gives the file as it was:
 * h5wasm cannot remove what an episode that turned out to be unusable left behind.
 */
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { ready } from 'h5wasm'
import type { H5Module } from './jail.ts'

const folder = '/one'
const writtenPath = `${folder}/f.h5`
const [ioError, noEntry] = [29, 44]

/** The parts of emscripten's file system that are used here; its own types do not name them. */
interface EmscriptenFs {
  mkdirTree(path: string): void
  mount(type: unknown, options: unknown, path: string): unknown
  createNode(parent: unknown, name: string, mode: number, device: number): Record<string, unknown>
  isFile(mode: number): boolean
  getStream(descriptor: number): { stream_ops: Record<string, unknown> }
  ErrnoError: new (code: number) => Error
}

export interface OneWritableFile {
  readonly module: H5Module
  readonly fileId: bigint
  create(path: string): void
  /** From here on a rewind leads back to here. */
  mark(): void
  rewind(): void
  /** The size in bytes. Who keeps the file waits for the disk, as with every other target: half a second for each 100 MB. */
  finish(): number
  /** Runs what fails by design, and prints nothing of it. */
  inSilence(work: () => void): void
  /** Throws what the disk said, which HDF5 tells by other words. */
  requireDisk(): void
}

export async function openOneWritableFile(): Promise<OneWritableFile> {
  const module = await ready
  module.activate_throwing_error_handler()
  // The time of its creation stands in every array; the same rows are to give the same bytes.
  Date.now = () => 0
  const fs = module.FS as unknown as EmscriptenFs
  let descriptor = -1
  let sizeBytes = 0
  let fileId = -1n
  let diskFault: unknown
  let markedBytes = 0
  let overwritten: { position: number; bytes: Uint8Array }[] = []

  const keepOld = (position: number, length: number) => {
    const count = Math.min(length, markedBytes - position)
    if (count <= 0) return
    const bytes = new Uint8Array(count)
    readSync(descriptor, bytes, 0, count, position)
    overwritten.push({ position, bytes })
  }
  const onDisk = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      diskFault ??= error
      throw new fs.ErrnoError(ioError)
    }
  }
  const resize = (size: number) =>
    onDisk(() => {
      if (size < markedBytes) keepOld(size, markedBytes - size)
      ftruncateSync(descriptor, size)
      sizeBytes = size
    })

  const streamOperations = {
    llseek: (stream: { position: number }, offset: number, whence: number): number =>
      offset + (whence === 1 ? stream.position : whence === 2 ? sizeBytes : 0),
    read: (_stream: unknown, buffer: Uint8Array, offset: number, length: number, position: number): number =>
      position >= sizeBytes ? 0 : onDisk(() => readSync(descriptor, buffer, offset, length, position)),
    write: (_stream: unknown, buffer: Uint8Array, offset: number, length: number, position: number): number =>
      onDisk(() => {
        keepOld(position, length)
        writeWhole(descriptor, buffer.subarray(offset, offset + length), position)
        sizeBytes = Math.max(sizeBytes, position + length)
        return length
      }),
  }
  const time = new Date(0)
  const nodeOperations = {
    getattr: (node: { id: number; mode: number }) => ({
      ...{ dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0 },
      ...{ size: fs.isFile(node.mode) ? sizeBytes : 4096, atime: time, mtime: time, ctime: time },
      ...{ blksize: 4096, blocks: Math.ceil(sizeBytes / 4096) },
    }),
    setattr(_node: unknown, { size }: { size?: number }) {
      if (size !== undefined) resize(size)
    },
    lookup(): never {
      throw new fs.ErrnoError(noEntry)
    },
    readdir: () => ['.', '..', 'f.h5'],
  }
  fs.mkdirTree(folder)
  const mount = () => {
    const root = fs.createNode(null, '/', 0o40777, 0)
    root.node_ops = nodeOperations
    root.stream_ops = {}
    const file = fs.createNode(root, 'f.h5', 0o100666, 0)
    file.node_ops = nodeOperations
    file.stream_ops = streamOperations
    return root
  }
  fs.mount({ mount }, {}, folder)

  return {
    module,
    get fileId() {
      return fileId
    },
    create(path) {
      descriptor = openSync(path, 'wx+')
      fileId = module.open(writtenPath, module.H5F_ACC_TRUNC, false, -1, -1)
    },
    mark() {
      module.flush(fileId)
      markedBytes = sizeBytes
      overwritten = []
    },
    rewind() {
      module.close_file(fileId)
      const old = overwritten.toReversed()
      const size = markedBytes
      markedBytes = 0
      for (const { position, bytes } of old) writeWhole(descriptor, bytes, position)
      resize(size)
      fileId = module.open(writtenPath, module.H5F_ACC_RDWR, false, -1, -1)
    },
    finish() {
      markedBytes = 0
      module.close_file(fileId)
      closeSync(descriptor)
      return sizeBytes
    },
    inSilence(work) {
      const errors = fs.getStream(2)
      const { stream_ops } = errors
      errors.stream_ops = { ...stream_ops, write: (_s: unknown, _b: unknown, _o: number, length: number) => length }
      module.deactivate_throwing_error_handler()
      try {
        work()
      } finally {
        module.activate_throwing_error_handler()
        errors.stream_ops = stream_ops
      }
    },
    requireDisk() {
      if (diskFault !== undefined) throw diskFault
    },
  }
}

function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done)
}
