/** The tree of an HDF5 file, within bounds: every object once, whatever its links do. */
import { FormatError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import {
  type DescribeHead,
  type Hdf5Dataset,
  type Hdf5Node,
  inlineAttributeBytes,
  maxAttributeBytes,
  maxChunkBytes,
  maxDepth,
} from './calls.ts'
import { type FilterFacts, findFilterRefusal, nameFilter } from './filter.ts'
import type { Jail } from './jail.ts'
import { decodeText, describeType, toJson } from './value.ts'

const nodesPerMessage = 128
const maxAttributesPerObject = 512
const maxInlineBytes = 64 * 1024 * 1024
/** gzip gives at most 1032:1. */
const maxExpansion = 1100
const alwaysPlausibleBytes = 64 * 1024 * 1024
/** External storage shows only when it is read; so many unchunked datasets are touched to see it. */
const maxProbes = 2000

interface Budget {
  inlineBytes: number
  declaredBytes: number
  probes: number
}

/** Yields the nodes in batches, so that a long walk shows its progress. */
export function* describeTree(jail: Jail, bound: number): Generator<DescribeHead, DescribeHead> {
  const { module, fileId } = jail
  // H5Lvisit enters each group once: rings and lattices of hard links end. Soft and external links are not followed.
  const names = module.get_names(fileId, '/', true) as string[]
  jail.requireInnocence()
  const isTruncated = names.length > bound
  const budget: Budget = { inlineBytes: 0, declaredBytes: 0, probes: 0 }
  let batch: Hdf5Node[] = [{ kind: 'group', path: '/', ...readAttributes(jail, '/', budget) }]
  let skippedLinks = 0
  for (const name of names.slice(0, bound)) {
    const path = `/${name}`
    requireDepth(path)
    const node = describeNode(jail, path, budget)
    if (node) batch.push(node)
    else skippedLinks++
    if (batch.length < nodesPerMessage) continue
    yield { nodes: batch, skippedLinks: 0, isTruncated }
    batch = []
  }
  return { nodes: batch, skippedLinks, isTruncated }
}

function requireDepth(path: string): void {
  let depth = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++
  if (depth > maxDepth) throw new FormatError('limit_exceeded', `The HDF5 file nests deeper than ${maxDepth} groups.`)
}

function describeNode(jail: Jail, path: string, budget: Budget): Hdf5Node | undefined {
  const { module, fileId } = jail
  const external = module.get_external_link(fileId, path) as { filename?: string }
  if (external.filename !== undefined) {
    const target = JSON.stringify(external.filename.slice(0, 200))
    throw new FormatError('path_refused', `${path} is a link to another file, ${target}; such files are refused.`)
  }
  if (module.get_symbolic_link(fileId, path) !== null) return undefined
  const type = module.get_type(fileId, path)
  jail.requireInnocence()
  if (type === module.H5G_GROUP) return { kind: 'group', path, ...readAttributes(jail, path, budget) }
  return type === module.H5G_DATASET ? describeDataset(jail, path, budget) : undefined
}

function describeDataset(jail: Jail, path: string, budget: Budget): Hdf5Dataset {
  const { module, fileId } = jail
  const metadata = module.get_dataset_metadata(fileId, path)
  if (metadata.virtual_sources) {
    throw new FormatError(
      'path_refused',
      `${path} is a virtual dataset, made of parts that may be in other files; such files are refused. Copy the data into one file (h5repack).`,
    )
  }
  const filters = module.get_dataset_filters(fileId, path) as FilterFacts[]
  const type = describeType(metadata)
  const shape = metadata.shape === null ? [0] : [...metadata.shape, ...type.dims]
  const declaredBytes = shape.reduce((product, size) => product * size, type.itemBytes)
  budget.declaredBytes += declaredBytes
  requirePlausible('The file', budget.declaredBytes, jail.sizeBytes * 16)
  const chunkBytes = metadata.chunks?.reduce((product, size) => product * size, metadata.size) ?? 0
  const isTooDense = declaredBytes > alwaysPlausibleBytes && declaredBytes > jail.sizeBytes * maxExpansion
  const reason = isTooDense
    ? `it declares ${declaredBytes} bytes in a file of ${jail.sizeBytes}`
    : chunkBytes > maxChunkBytes
      ? `its chunks have ${chunkBytes} bytes; the limit is ${maxChunkBytes}`
      : findFilterRefusal(filters)
  if (!metadata.chunks && declaredBytes > 0 && reason === undefined && budget.probes++ < maxProbes) {
    probeStorage(jail, path, shape.length - type.dims.length)
  }
  return {
    kind: 'dataset',
    path,
    shape,
    dtype: type.dtype,
    itemBytes: type.itemBytes,
    chunks: metadata.chunks,
    filters: filters.map((filter) => ({ id: filter.id, name: nameFilter(filter) })),
    ...readAttributes(jail, path, budget),
    ...(reason !== undefined && { refusal: `${path} is not read: ${reason}.` }),
  }
}

/** Cumulative: a lattice of plausible datasets is a bomb too. */
function requirePlausible(what: string, declaredBytes: number, sizeBytes: number): void {
  if (declaredBytes <= 2 ** 62 && (declaredBytes <= 2 ** 40 || declaredBytes <= sizeBytes * maxExpansion)) return
  throw new FormatError('limit_exceeded', `${what} declares ${declaredBytes} bytes, far more than the file can hold.`)
}

/** One element of a dataset that is not chunked: reaching for external storage marks the file. */
function probeStorage(jail: Jail, path: string, rank: number): void {
  const { module, fileId } = jail
  const metadata = module.get_dataset_metadata(fileId, path)
  if (metadata.vlen || metadata.type === module.H5T_class_t.H5T_VLEN.value || metadata.size > 65536) return
  const pointer = module._malloc(65536)
  const ones = Array<bigint>(rank).fill(1n)
  const zeros = Array<bigint>(rank).fill(0n)
  try {
    if (rank === 0) module.get_dataset_data(fileId, path, null, null, null, BigInt(pointer))
    else module.get_dataset_data(fileId, path, ones, zeros, ones, BigInt(pointer))
  } catch {
    jail.requireInnocence()
  } finally {
    module._free(pointer)
  }
  jail.requireInnocence()
}

function readAttributes(
  jail: Jail,
  path: string,
  budget: Budget,
): { attrs: Record<string, JsonValue>; largeAttrs?: string[] } {
  const attrs: Record<string, JsonValue> = {}
  const largeAttrs: string[] = []
  const names = jail.module.get_attribute_names(jail.fileId, path)
  for (const name of names.slice(0, maxAttributesPerObject)) {
    const bound = Math.min(inlineAttributeBytes, maxInlineBytes - budget.inlineBytes)
    const found = readAttribute(jail, path, name, bound)
    if (!found) largeAttrs.push(name)
    else {
      budget.inlineBytes += found.sizeBytes
      Object.defineProperty(attrs, name, { value: found.value, enumerable: true })
    }
  }
  return largeAttrs.length > 0 ? { attrs, largeAttrs } : { attrs }
}

/** Undefined when the attribute is larger than `boundBytes`. */
export function readAttribute(
  jail: Jail,
  path: string,
  name: string,
  boundBytes = maxAttributeBytes,
): { value: JsonValue; sizeBytes: number } | undefined {
  const { module, fileId } = jail
  const metadata = module.get_attribute_metadata(fileId, path, name)
  if (metadata.shape === null) return { value: null, sizeBytes: 0 }
  const sizeBytes = metadata.size * metadata.total_size
  if (!(sizeBytes <= boundBytes)) return undefined
  const type = describeType(metadata)
  if (type.dtype.startsWith('vlen') || type.dtype === 'compound' || type.dtype === 'reference') {
    return { value: null, sizeBytes }
  }
  const pointer = module._malloc(Math.max(8, sizeBytes))
  if (pointer === 0) throw new FormatError('parser_memory', 'The HDF5 reader has no memory left.')
  let isRead = false
  try {
    module.get_attribute_data(fileId, path, name, BigInt(pointer))
    isRead = true
    const bytes = module.HEAPU8.slice(pointer, pointer + sizeBytes)
    if (type.dtype !== 'str') return { value: toJson(type, metadata.shape, bytes), sizeBytes }
    const texts = readTexts(jail, bytes, boundBytes)
    if (!texts) return undefined
    const textBytes = texts.reduce((sum, text) => sum + text.length, 0)
    return { value: metadata.shape.length === 0 ? (texts[0] ?? null) : texts, sizeBytes: sizeBytes + textBytes }
  } finally {
    if (isRead && type.dtype === 'str') module.reclaim_vlen_memory(fileId, path, name, BigInt(pointer))
    module._free(pointer)
  }
}

/** Strings behind 32-bit pointers into the WASM heap; undefined when they are larger than the bound together. */
function readTexts(jail: Jail, pointers: Uint8Array, boundBytes: number): string[] | undefined {
  const view = new DataView(pointers.buffer, pointers.byteOffset, pointers.byteLength)
  const heap = jail.module.HEAPU8
  const texts: string[] = []
  let total = 0
  for (let at = 0; at + 4 <= view.byteLength && texts.length < 256; at += 4) {
    const start = view.getUint32(at, true)
    const end = start === 0 ? 0 : heap.indexOf(0, start)
    total += end - start
    if (total > boundBytes || end < 0) return undefined
    texts.push(decodeText(heap.subarray(start, end)))
  }
  return texts
}
