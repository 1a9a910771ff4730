/** The child that writes one HDF5 file, step by step as the parent sends them. */
import { arrayTypes } from '../../feature.ts'
import type { ChildMessage } from '../child/message.ts'
import { serveCalls } from '../child/server.ts'
import { openOneWritableFile } from './one-writable-file.ts'
import { type CreateCall, gzipLevel, type Hdf5Dtype, type RowsAgain, type WriteStep } from './write-calls.ts'

const [integerClass, floatClass, stringClass] = [0, 1, 3]
const gzipFilter = 1
const [asciiSet, utf8Set] = [0, 1]

const file = await openOneWritableFile()
const { module } = file
const shapes = new Map<string, readonly number[]>()
let memory = { at: 0, sizeBytes: 0 }

/** One place in WebAssembly's memory for all that is written; it grows with the largest. */
function place(bytes: Uint8Array): number {
  if (bytes.length > memory.sizeBytes) {
    if (memory.sizeBytes > 0) module._free(memory.at)
    memory = { at: module._malloc(bytes.length), sizeBytes: bytes.length }
    if (memory.at === 0) throw new Error('there is not enough memory for the rows')
  }
  module.HEAPU8.set(bytes, memory.at)
  return memory.at
}

const toBigInts = (sizes: readonly number[]): bigint[] => sizes.map(BigInt)

const describeType = (dtype: Hdf5Dtype) => ({
  type: dtype.startsWith('float') ? floatClass : integerClass,
  size: arrayTypes[dtype].BYTES_PER_ELEMENT,
  signed: !dtype.startsWith('uint'),
  vlen: false,
  littleEndian: true,
})

const describeText = (size: number, isLong: boolean) => ({
  ...{ type: stringClass, size, signed: false, vlen: isLong, littleEndian: true },
  cset: isLong ? utf8Set : asciiSet,
})

const describeSpace = (shape: readonly number[]) => ({ shape: toBigInts(shape), maxshape: toBigInts(shape) })

/** Its rows come later: HDF5 makes the array, then refuses to write it from nowhere. */
function createArray({ path, dtype, shape, chunkRows }: Extract<WriteStep, { do: 'array' }>): void {
  const chunks = chunkRows === undefined ? null : toBigInts([chunkRows, ...shape.slice(1)])
  const gzip = chunks && { compression: gzipFilter, compression_opts: [gzipLevel] }
  const metadata = { ...describeType(dtype), ...describeSpace(shape), chunks, ...gzip, total_size: 0 }
  file.inSilence(() => module.create_dataset(file.fileId, path, 0n, metadata))
  shapes.set(path, shape)
}

function writeRows({ again = [], ...rows }: Extract<WriteStep, { do: 'rows' }>, body: Uint8Array): void {
  const at = place(body)
  const rowBytes = body.length / rows.count
  for (const { from, ...some } of [{ ...rows, from: 0 }, ...again]) putRows(some, at + from * rowBytes)
}

function putRows({ path, start, count }: Omit<RowsAgain, 'from'>, at: number): void {
  const shape = shapes.get(path)
  if (!shape) throw new Error(`${path} was not made before its rows`)
  const rest = shape.slice(1)
  const [counts, offsets] = [toBigInts([count, ...rest]), toBigInts([start, ...rest.map(() => 0)])]
  const strides = toBigInts(shape.map(() => 1))
  module.set_dataset_data(file.fileId, path, counts, offsets, strides, BigInt(at))
}

/** As numpy writes texts: all of one width, filled up with zeros. */
function writeTexts({ path, texts }: Extract<WriteStep, { do: 'texts' }>): void {
  const width = Math.max(1, ...texts.map((text) => Buffer.byteLength(text)))
  const bytes = Buffer.alloc(width * Math.max(1, texts.length))
  for (const [index, text] of texts.entries()) bytes.write(text, index * width)
  const metadata = { ...describeText(width, false), ...describeSpace([texts.length]), total_size: 0 }
  module.create_dataset(file.fileId, path, BigInt(place(bytes)), metadata)
}

function writeAttribute({ path, name, value }: Extract<WriteStep, { do: 'attribute' }>): void {
  if (typeof value === 'string') {
    const metadata = { ...describeText(0, true), ...describeSpace([]), total_size: 0 }
    module.create_vlen_str_attribute(file.fileId, path, name, [value], metadata)
    return
  }
  const bytes = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer)
  const metadata = { ...describeType('int64'), ...describeSpace([]), total_size: 0 }
  module.create_attribute(file.fileId, path, name, BigInt(place(bytes)), metadata)
}

function apply({ head, body = new Uint8Array(0) }: ChildMessage): void {
  const step = head as WriteStep
  switch (step.do) {
    case 'group':
      module.create_group(file.fileId, step.path)
      return
    case 'array':
      createArray(step)
      return
    case 'rows':
      writeRows(step, body)
      return
    case 'texts':
      writeTexts(step)
      return
    case 'attribute':
      writeAttribute(step)
  }
}

function guard<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    file.requireDisk()
    throw error
  } finally {
    file.requireDisk()
  }
}

serveCalls({
  create: ({ path }: CreateCall) => {
    guard(() => file.create(path))
    return { head: null }
  },
  mark: () => {
    shapes.clear()
    guard(() => file.mark())
    return { head: null }
  },
  rewind: () => {
    guard(() => file.rewind())
    return { head: null }
  },
  write: (_params: object, input) => {
    for (const message of input) guard(() => apply(message))
    return { head: null }
  },
  finish: () => ({ head: { sizeBytes: guard(() => file.finish()) } }),
})
