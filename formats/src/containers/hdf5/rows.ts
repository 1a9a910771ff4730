import { BoundedMap } from '../../bounded-map.ts'
/** Row ranges of one dataset, in the child: their values through HDF5, or where they lie in the file. */
import { FormatError } from '../../errors.ts'
import type { ChildMessage } from '../child/message.ts'
import { type LocateHead, maxChunkBytes, maxSliceBytes, type RowsCall, type RowsHead } from './calls.ts'
import { type FilterFacts, findFilterRefusal, findPlugin } from './filter.ts'
import type { H5Module, Jail } from './jail.ts'
import { describeType } from './value.ts'

type Metadata = ReturnType<H5Module['get_dataset_metadata']>

interface Facts {
  readonly metadata: Metadata
  readonly shape: readonly number[]
  readonly filters: readonly FilterFacts[]
  readonly dtype: string
  /** Bytes of one row in HDF5's memory: pointers where the elements vary in length. */
  readonly rowBytes: number
  readonly chunkBytes: number
}

const maxRemembered = 4096
/** Smaller chunks are read through HDF5: a read of a B-tree node could have the same length. */
const smallestLocatedChunk = 64 * 1024

/** Reads rows; remembers the facts of a file's datasets until `forget`. */
export function createRowReader(jail: Jail) {
  const facts = new BoundedMap<string, Facts>(maxRemembered)
  const installed = new Set<number>()

  function getFacts(path: string): Facts {
    const known = facts.get(path)
    if (known) return known
    const metadata = jail.module.get_dataset_metadata(jail.fileId, path)
    if (metadata.virtual_sources) throw new FormatError('path_refused', `${path} is a virtual dataset.`)
    const filters = jail.module.get_dataset_filters(jail.fileId, path) as FilterFacts[]
    const refusal = findFilterRefusal(filters)
    if (refusal) throw new FormatError('unsupported', `${path} is not read: ${refusal}.`)
    const chunkBytes = metadata.chunks?.reduce((product, size) => product * size, metadata.size) ?? 0
    if (chunkBytes > maxChunkBytes) {
      throw new FormatError('limit_exceeded', `${path} is not read: its chunks have ${chunkBytes} bytes.`)
    }
    const shape = metadata.shape ?? [0]
    const rowBytes = shape.slice(1).reduce((product, size) => product * size, metadata.size)
    const found = { metadata, shape, filters, dtype: describeType(metadata).dtype, rowBytes, chunkBytes }
    facts.set(path, found)
    return found
  }

  function requireRows(call: RowsCall, found: Facts): number {
    const rowCount = call.end - call.start
    const rows = found.shape.length === 0 ? 1 : (found.shape[0] ?? 0)
    if (!(call.start >= 0 && call.end >= call.start && call.end <= rows)) {
      throw new FormatError('container_invalid', `${call.dataset} has no rows ${call.start} to ${call.end}.`)
    }
    const sizeBytes = rowCount * found.rowBytes
    if (sizeBytes > maxSliceBytes) {
      throw new FormatError('limit_exceeded', `${call.dataset}: ${sizeBytes} bytes in one read; at most 64 MiB.`)
    }
    return sizeBytes
  }

  function read(call: RowsCall): ChildMessage {
    const found = getFacts(call.dataset)
    const sizeBytes = requireRows(call, found)
    for (const { id } of found.filters) {
      if (installed.has(id)) continue
      installed.add(id)
      const plugin = findPlugin(id)
      if (plugin) jail.addPlugin(plugin.name, plugin.bytes)
    }
    const { module, fileId } = jail
    const pointer = module._malloc(Math.max(8, sizeBytes))
    if (pointer === 0) throw new FormatError('parser_memory', 'The HDF5 reader has no memory left.')
    const [count, offset, ones] = selectRows(found.shape, call)
    const isRagged = found.dtype === 'str' || found.dtype.startsWith('vlen')
    let isRead = false
    try {
      if (sizeBytes > 0 && isRagged) module.HEAPU8.fill(0, pointer, pointer + sizeBytes)
      const status =
        sizeBytes === 0
          ? 0
          : found.shape.length === 0
            ? module.get_dataset_data(fileId, call.dataset, null, null, null, BigInt(pointer))
            : module.get_dataset_data(fileId, call.dataset, count, offset, ones, BigInt(pointer))
      jail.requireInnocence()
      if (status < 0) throw new Error(`${call.dataset} could not be read`)
      isRead = true
      const head: RowsHead = { form: isRagged ? 'ragged' : 'packed' }
      const body = isRagged
        ? copyRagged(module, pointer, sizeBytes, found)
        : module.HEAPU8.slice(pointer, pointer + sizeBytes)
      return { head, body }
    } finally {
      if (isRead && isRagged && found.shape.length > 0 && sizeBytes > 0) {
        module.reclaim_vlen_memory_count(fileId, call.dataset, '', BigInt(pointer), count)
      } else if (isRead && isRagged && sizeBytes > 0) {
        module.reclaim_vlen_memory(fileId, call.dataset, '', BigInt(pointer))
      }
      module._free(pointer)
    }
  }

  /** Where rows lie, told by the reads that HDF5 makes for one element of each contiguous piece. */
  function locate(call: RowsCall): LocateHead {
    const found = getFacts(call.dataset)
    const { metadata, shape, filters, dtype } = found
    const isPlain = filters.length === 0 && shape.length > 0 && /^(u?int|float|bool|S|V)/.test(dtype)
    if (!isPlain || call.end <= call.start || call.end > (shape[0] ?? 0)) return { extents: null }
    if (!metadata.littleEndian && metadata.size > 1 && !/^[SV]/.test(dtype)) return { extents: null }
    const { chunks } = metadata
    if (!chunks) return { extents: locateContiguous(call, found) }
    const isWholeRows = chunks.slice(1).every((size, axis) => size === shape[axis + 1])
    if (!isWholeRows || found.chunkBytes < smallestLocatedChunk) return { extents: null }
    return { extents: locateChunks(call, found, chunks[0] ?? 1) }
  }

  function touch(path: string, offset: bigint[], count: bigint[], strides: bigint[], blankBytes?: number) {
    const sizeBytes = Number(count.reduce((product, size) => product * size, BigInt(getFacts(path).metadata.size)))
    const pointer = jail.module._malloc(Math.max(8, sizeBytes))
    try {
      return jail.traceReads(() => {
        jail.module.get_dataset_data(jail.fileId, path, count, offset, strides, BigInt(pointer))
      }, blankBytes)
    } finally {
      jail.module._free(pointer)
    }
  }

  function locateContiguous(call: RowsCall, { shape, metadata, rowBytes }: Facts) {
    const ones = shape.map(() => 1n)
    const first = touch(
      call.dataset,
      shape.map(() => 0n),
      ones,
      ones,
    ).at(-1)?.[0]
    const lastPlace = shape.map((size) => BigInt(size - 1))
    const last = touch(call.dataset, lastPlace, ones, ones).at(-1)?.[0]
    jail.requireInnocence()
    if (first === undefined || last === undefined) return null
    if (last - first !== (shape[0] ?? 0) * rowBytes - metadata.size || last + metadata.size > jail.sizeBytes)
      return null
    return [[first + call.start * rowBytes, (call.end - call.start) * rowBytes] as const]
  }

  function locateChunks(call: RowsCall, { shape, rowBytes, chunkBytes }: Facts, rowsPerChunk: number) {
    const firstChunk = Math.floor(call.start / rowsPerChunk)
    const chunkCount = Math.ceil(call.end / rowsPerChunk) - firstChunk
    const tail = shape.slice(1)
    const ones = tail.map(() => 1n)
    const offset = [BigInt(firstChunk * rowsPerChunk), ...tail.map(() => 0n)]
    const reads = touch(
      call.dataset,
      offset,
      [BigInt(chunkCount), ...ones],
      [BigInt(rowsPerChunk), ...ones],
      chunkBytes,
    )
    const chunks = reads.filter(([, sizeBytes]) => sizeBytes === chunkBytes)
    // Fewer reads than chunks: some were never written and hold the fill value.
    if (chunks.length !== chunkCount) return null
    const extents: [number, number][] = []
    for (const [place, [address]] of chunks.entries()) {
      const chunkStart = (firstChunk + place) * rowsPerChunk
      const from = Math.max(call.start, chunkStart)
      const to = Math.min(call.end, chunkStart + rowsPerChunk)
      const start = address + (from - chunkStart) * rowBytes
      const sizeBytes = (to - from) * rowBytes
      if (start + sizeBytes > jail.sizeBytes) return null
      const last = extents.at(-1)
      if (last && last[0] + last[1] === start) last[1] += sizeBytes
      else extents.push([start, sizeBytes])
    }
    return extents
  }

  return { read, locate, forget: () => facts.clear() }
}

function selectRows(shape: readonly number[], call: RowsCall): [bigint[], bigint[], bigint[]] {
  const tail = shape.slice(1)
  const count = [BigInt(call.end - call.start), ...tail.map(BigInt)]
  const offset = [BigInt(call.start), ...tail.map(() => 0n)]
  return [count, offset, shape.map(() => 1n)]
}

/** Elements of varying length lie behind pointers: `char *`, or `{size_t length; void *data}`. */
function copyRagged(module: H5Module, pointer: number, sizeBytes: number, { metadata, dtype }: Facts): Uint8Array {
  const heap = module.HEAPU8
  const view = new DataView(heap.buffer, pointer, sizeBytes)
  const isText = dtype === 'str'
  const count = sizeBytes / metadata.size
  const baseBytes = isText ? 1 : (metadata.vlen_type?.size ?? 1)
  const places: [number, number][] = []
  let total = 4 * count
  for (let index = 0; index < count; index++) {
    const at = index * metadata.size
    const start = view.getUint32(isText ? at : at + 4, true)
    const length = start === 0 ? 0 : isText ? heap.indexOf(0, start) - start : view.getUint32(at, true) * baseBytes
    places.push([start, Math.max(0, length)])
    total += Math.max(0, length)
  }
  if (total > 2 * maxSliceBytes) throw new FormatError('limit_exceeded', 'The rows hold more than 128 MiB.')
  const body = new Uint8Array(total)
  const lengths = new DataView(body.buffer)
  let at = 4 * count
  for (const [index, [start, length]] of places.entries()) {
    lengths.setUint32(4 * index, length, true)
    body.set(heap.subarray(start, start + length), at)
    at += length
  }
  return body
}
