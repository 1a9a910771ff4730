/**
 * HDF5 files, read by h5wasm in a child process that sees one file (`entry.ts`). Rows that lie in the file as they
 * are, unfiltered, are read here at the place the child names: ten times as fast as through WebAssembly.
 */
import { open, realpath, stat } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import { BoundedMap } from '../../bounded-map.ts'
import { openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import { type Child, type ChildLimits, type ChildMessage, openInChild } from '../child/child.ts'
import type { Sandbox } from '../child/sandbox.ts'
import { type DescribeHead, type Hdf5Dataset, type LocateHead, maxLinks, type RowsHead } from './calls.ts'
import { createHdf5Tree, type Hdf5Tree } from './tree.ts'

export type { Hdf5Dataset, Hdf5Group, Hdf5Node } from './calls.ts'
export { maxSliceBytes } from './calls.ts'
export type { Hdf5Tree } from './tree.ts'

export interface Hdf5Options {
  /** Where the files lie, so that one child can read all of them; else it sees one file, and the next costs a new child. */
  folder?: string
  limits?: Partial<ChildLimits>
  signal?: AbortSignal | undefined
  /** Objects looked at before the tree is cut. Default 200,000. */
  maxLinks?: number
  /** Read rows at their place in the file where that is possible. Default true; false shows that both ways agree. */
  isDirect?: boolean
}

/** Rows of a dataset: packed elements, or one byte string per element. */
export type Hdf5Rows =
  | { readonly form: 'packed'; readonly bytes: Uint8Array }
  | { readonly form: 'ragged'; readonly items: readonly Uint8Array[] }

/** One child for any number of files, one after the other. A file that breaks the child costs a new one. */
export interface Hdf5Reader extends AsyncDisposable {
  /** Everything in the file but its values; throws `path_refused` when it refers to other files. */
  describe(path: string): Promise<Hdf5Tree>
  /** Rows `start` to `end` (exclusive), at most 64 MiB; a scalar has one row. */
  readRows(path: string, dataset: Hdf5Dataset, start: number, end: number): Promise<Hdf5Rows>
  readAttribute(path: string, object: string, name: string): Promise<JsonValue>
  close(): Promise<void>
}

const entry = new URL('./entry.ts', import.meta.url)
const hdf5Limits: Partial<ChildLimits> = {
  deadlineSeconds: 300,
  idleSeconds: 60,
  memoryBytes: 1024 ** 3,
  fileBytes: 0,
}
const smallestDirectRead = 128 * 1024
const maxOrigins = 10_000
/** Said by our own checks before HDF5 did anything; every other refusal may have spoiled the child. */
const ownRefusals: ReadonlySet<string> = new Set(['limit_exceeded', 'unsupported'])
const signature = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]

/** It reads what is at one place and writes nothing. */
export const sandboxOfHdf5 = (place: string): Sandbox => ({ reads: [place], writes: [] })

/** A link out of the folder shows the file that it leads to. */
async function findVisible(path: string, folder: string | undefined): Promise<string> {
  const [file, root] = await Promise.all([realpath(path), folder === undefined ? undefined : realpath(folder)])
  return root !== undefined && file.startsWith(root + sep) ? root : file
}

export function createHdf5Reader(options: Hdf5Options = {}): Hdf5Reader {
  const limits = { ...hdf5Limits, ...options.limits }
  let child: Child | undefined
  let openPath: string | undefined
  let visible: string | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let isClosed = false
  const origins = new BoundedMap<string, number>(maxOrigins)

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work, work)
    queue = turn.catch(() => {})
    return turn
  }

  async function enter(path: string): Promise<Child> {
    options.signal?.throwIfAborted()
    if (isClosed) throw new FormatError('child_failed', 'The HDF5 reader was closed.')
    if (child?.isAlive && openPath === path) return child
    const place = await findVisible(path, options.folder)
    if (!child?.isAlive || visible !== place) {
      await child?.close()
      visible = place
      child = openInChild({
        entry,
        subject: 'the HDF5 file',
        unreadableCode: 'container_invalid',
        sandbox: sandboxOfHdf5(place),
        limits,
        signal: options.signal,
      })
    }
    openPath = undefined
    child.readsBytes = (await stat(path)).size
    await child.request('open', { path })
    openPath = path
    return child
  }

  /** Sentences name the file; after any fault the child is not trusted with another one. */
  async function ask<T>(path: string, work: (child: Child) => Promise<T>): Promise<T> {
    return inTurn(async () => {
      try {
        return await work(await enter(path))
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!(error instanceof FormatError)) throw error
        if (child?.isAlive && ownRefusals.has(error.code)) throw nameFile(error, path)
        const failed = child
        child = undefined
        openPath = undefined
        failed?.abort(error)
        await failed?.close()
        throw nameFile(error, path)
      }
    })
  }

  async function describe(path: string): Promise<Hdf5Tree> {
    await requireHdf5(path)
    const { size } = await stat(path)
    return ask(path, async (reader) => {
      const nodes = []
      const answers = reader.call('describe', { maxLinks: options.maxLinks ?? maxLinks })
      for (;;) {
        const step: IteratorResult<ChildMessage, ChildMessage> = await answers.next()
        const head = step.value.head as DescribeHead
        for (const node of head.nodes) nodes.push(node)
        if (step.done) return createHdf5Tree(nodes, { sizeBytes: size, ...head })
      }
    })
  }

  async function readRows(path: string, dataset: Hdf5Dataset, start: number, end: number): Promise<Hdf5Rows> {
    if (dataset.refusal !== undefined) throw new FormatError('unsupported', dataset.refusal)
    const call = { dataset: dataset.path, start, end }
    const isPlain = dataset.filters.length === 0 && !/^(str|vlen)/.test(dataset.dtype)
    if (isPlain && options.isDirect !== false && (end - start) * getRowBytes(dataset) >= smallestDirectRead) {
      const extents = await locate(path, dataset, start, end)
      if (extents) return { form: 'packed', bytes: await readExtents(path, extents) }
    }
    const { head, body = new Uint8Array(0) } = await ask(path, (reader) => reader.request('rows', call))
    if ((head as RowsHead).form === 'packed') return { form: 'packed', bytes: body }
    return { form: 'ragged', items: splitRagged(body, countElements(dataset, start, end)) }
  }

  /** Where rows lie; an array without chunks is asked about once. */
  async function locate(
    path: string,
    dataset: Hdf5Dataset,
    start: number,
    end: number,
  ): Promise<LocateHead['extents']> {
    const rowBytes = getRowBytes(dataset)
    const key = `${path}\0${dataset.path}`
    const known = origins.get(key)
    if (known !== undefined) return [[known + start * rowBytes, (end - start) * rowBytes]]
    const { head } = await ask(path, (reader) => reader.request('locate', { dataset: dataset.path, start, end }))
    const { extents } = head as LocateHead
    const first = extents?.[0]
    if (first && dataset.chunks === null) origins.set(key, first[0] - start * rowBytes)
    return extents
  }

  async function close(): Promise<void> {
    isClosed = true
    await queue
    await child?.close()
  }

  return {
    describe,
    readRows,
    readAttribute: (path, object, name) =>
      ask(path, async (reader) => (await reader.request('attribute', { object, name })).head as JsonValue),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function nameFile(error: FormatError, path: string): FormatError {
  return new FormatError(error.code, `${basename(path)}: ${error.message}`, { cause: error })
}

export function getRowBytes(dataset: Hdf5Dataset): number {
  return dataset.shape.slice(1).reduce((product, size) => product * size, dataset.itemBytes)
}

function countElements({ shape }: Hdf5Dataset, start: number, end: number): number {
  return shape.slice(1).reduce((product, size) => product * size, end - start)
}

/** Whether a file begins as HDF5 does: at 0, or after a user block of 512, 1024, 2048, … bytes. */
export async function isHdf5(path: string): Promise<boolean> {
  await using source = await openFile(path)
  const sizeBytes = await source.length()
  for (let at = 0; at + 8 <= sizeBytes && at <= 1024 ** 2; at = at === 0 ? 512 : at * 2) {
    const bytes = await source.read(at, at + 8)
    if (signature.every((byte, index) => bytes[index] === byte)) return true
  }
  return false
}

/** The commonest things that are uploaded in the place of an HDF5 file get their own sentence. */
async function requireHdf5(path: string): Promise<void> {
  if (await isHdf5(path)) return
  await using source = await openFile(path)
  const start = new TextDecoder('latin1').decode(await source.read(0, Math.min(64, await source.length())))
  const what = start.startsWith('version https://git-lfs')
    ? 'is a Git LFS pointer; fetch the file itself (git lfs pull)'
    : start === ''
      ? 'is empty'
      : start.startsWith('PK')
        ? 'is a zip archive; unpack it'
        : 'is not an HDF5 file'
  throw new FormatError('container_invalid', `${basename(path)} ${what}.`)
}

async function readExtents(path: string, extents: NonNullable<LocateHead['extents']>): Promise<Uint8Array> {
  const total = extents.reduce((sum, [, sizeBytes]) => sum + sizeBytes, 0)
  const bytes = Buffer.allocUnsafeSlow(total)
  await using file = await open(path, 'r')
  let filled = 0
  for (const [offset, sizeBytes] of extents) {
    for (let done = 0; done < sizeBytes; ) {
      const { bytesRead } = await file.read(bytes, filled, sizeBytes - done, offset + done)
      if (bytesRead === 0) {
        throw new FormatError('container_invalid', `${basename(path)} became shorter while it was read.`)
      }
      filled += bytesRead
      done += bytesRead
    }
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, total)
}

function splitRagged(body: Uint8Array, count: number): Uint8Array[] {
  const lengths = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const items: Uint8Array[] = []
  let at = 4 * count
  for (let index = 0; index < count; index++) {
    const length = body.byteLength === 0 ? 0 : lengths.getUint32(4 * index, true)
    items.push(body.subarray(at, at + length))
    at += length
  }
  return items
}
