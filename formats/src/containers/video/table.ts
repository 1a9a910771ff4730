/**
 * Where the samples of an MP4 or QuickTime video track lie. mediabunny tells everything about a packet but its place in
 * the file; with the place, neighbouring packets are copied as one piece instead of one by one.
 */
import type { ByteSource } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { type Box, findBox, listBoxes, readType, viewOf } from './box-reader.ts'
import { findFrameLimit, type IndexFile, requireBoundedIndex } from './index-limits.ts'
import { findSampleTiming, type SampleTiming } from './timing.ts'

export interface SampleTable {
  /** Four letters of the sample entry, e.g. `av01`. */
  readonly format: string
  readonly width: number
  readonly height: number
  /** The boxes inside the sample entry, header included, by type. */
  readonly entryBoxes: ReadonlyMap<string, Uint8Array>
  /** In decode order. */
  readonly sizes: Uint32Array
  readonly offsets: Float64Array
  /** When each is shown, and 1 where it is a keyframe; undefined where the index leaves a doubt. */
  readonly timing: SampleTiming | undefined
}

const maxMoovBytes = 256 * 1024 * 1024
const maxTopBoxes = 100_000
const indexBoxes: ReadonlySet<string> = new Set(['moov', 'moof', 'mfra'])

/** The table of the first video track; undefined when the file is no MP4, or keeps its samples in fragments. */
export async function findSampleTable(source: ByteSource, name: string): Promise<SampleTable | undefined> {
  const file = { name, sizeBytes: await source.length() }
  try {
    const moov = await readIndex(source, file)
    if (!moov) return undefined
    for (const trak of listBoxes(moov, 0, moov.length).filter((box) => box.type === 'trak')) {
      const table = readTrack(moov, trak, file)
      if (table) return table
    }
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError('container_invalid', `${name} has a damaged MP4 index.`)
    throw error
  }
  return undefined
}

/** The body of `moov`, once every table of it, and of the fragments that it announces, is known to be bounded. */
async function readIndex(source: ByteSource, file: IndexFile): Promise<Uint8Array | undefined> {
  const { name, sizeBytes } = file
  let moov: Uint8Array | undefined
  let position = 0
  for (let count = 0; position + 8 <= sizeBytes; count++) {
    if (count >= maxTopBoxes) throw new FormatError('limit_exceeded', `${name} has more than ${maxTopBoxes} parts.`)
    const header = viewOf(await source.read(position, Math.min(sizeBytes, position + 16)))
    const type = readType(header, 4)
    if (count === 0 && !/^(ftyp|moov|mdat|wide|free|skip)$/.test(type)) return undefined
    const small = header.getUint32(0)
    const isLarge = small === 1 && header.byteLength === 16
    const size = small === 0 ? sizeBytes - position : isLarge ? Number(header.getBigUint64(8)) : small
    if (size < 8) return moov
    const end = position + size
    if (indexBoxes.has(type)) {
      if (size > maxMoovBytes) throw new FormatError('limit_exceeded', `${name} has an index of ${size} bytes.`)
      if (end > sizeBytes) throw new FormatError('container_invalid', `${name} ends within its MP4 index.`)
      const body = await source.read(position + (isLarge ? 16 : 8), end)
      requireBoundedIndex(body, 0, body.length, file)
      if (type === 'moov') moov ??= body
      // Without fragments nothing of the index comes after it.
      if (moov && !listBoxes(moov, 0, moov.length).some((box) => box.type === 'mvex')) return moov
    }
    position = end
  }
  return moov
}

function readTrack(moov: Uint8Array, trak: Box, file: IndexFile): SampleTable | undefined {
  const mdia = findBox(moov, trak, 'mdia')
  const handler = mdia && findBox(moov, mdia, 'hdlr')
  if (!mdia || !handler || readType(viewOf(moov), handler.bodyStart + 8) !== 'vide') return undefined
  const minf = findBox(moov, mdia, 'minf')
  const stbl = minf && findBox(moov, minf, 'stbl')
  const stsd = stbl && findBox(moov, stbl, 'stsd')
  if (!stbl || !stsd) return undefined
  const view = viewOf(moov)
  if (view.getUint32(stsd.bodyStart + 4) !== 1) return undefined
  const [entry] = listBoxes(moov, stsd.bodyStart + 8, stsd.end)
  if (!entry || entry.end - entry.bodyStart < 78) return undefined
  const entryBoxes = new Map(
    listBoxes(moov, entry.bodyStart + 78, entry.end).map((box) => [box.type, moov.slice(box.start, box.end)]),
  )
  const sizes = readSizes(moov, stbl, file)
  const offsets = sizes && readOffsets(moov, stbl, sizes)
  if (!sizes || !offsets) return undefined
  const width = view.getUint16(entry.bodyStart + 24)
  const height = view.getUint16(entry.bodyStart + 26)
  const timing = findSampleTiming(moov, { trak, mdia, stbl }, sizes.length)
  return { format: entry.type, width, height, entryBoxes, sizes, offsets, timing }
}

function readSizes(moov: Uint8Array, stbl: Box, { name, sizeBytes }: IndexFile): Uint32Array | undefined {
  const stsz = findBox(moov, stbl, 'stsz')
  if (!stsz) return undefined
  const view = viewOf(moov)
  const constantSize = view.getUint32(stsz.bodyStart + 4)
  const count = view.getUint32(stsz.bodyStart + 8)
  const frameLimit = findFrameLimit(sizeBytes)
  if (count > frameLimit) throw new FormatError('limit_exceeded', `${name} has more than ${frameLimit} frames.`)
  const sizes = new Uint32Array(count)
  if (constantSize > 0) return sizes.fill(constantSize)
  if (stsz.bodyStart + 12 + count * 4 > stsz.end) throw new RangeError('stsz is shorter than its count')
  for (let index = 0; index < count; index++) sizes[index] = view.getUint32(stsz.bodyStart + 12 + index * 4)
  return sizes
}

function readOffsets(moov: Uint8Array, stbl: Box, sizes: Uint32Array): Float64Array | undefined {
  const stsc = findBox(moov, stbl, 'stsc')
  const co64 = findBox(moov, stbl, 'co64')
  const chunks = co64 ?? findBox(moov, stbl, 'stco')
  if (!stsc || !chunks) return undefined
  const view = viewOf(moov)
  const runCount = view.getUint32(stsc.bodyStart + 4)
  const chunkCount = view.getUint32(chunks.bodyStart + 4)
  const offsets = new Float64Array(sizes.length)
  let sample = 0
  for (let run = 0; run < runCount && sample < sizes.length; run++) {
    const at = stsc.bodyStart + 8 + run * 12
    const firstChunk = view.getUint32(at)
    const samplesPerChunk = view.getUint32(at + 4)
    const nextChunk = run + 1 < runCount ? view.getUint32(at + 12) : chunkCount + 1
    for (let chunk = firstChunk; chunk < nextChunk && sample < sizes.length; chunk++) {
      if (chunk < 1 || chunk > chunkCount) return undefined
      const position = chunks.bodyStart + 8 + (chunk - 1) * (co64 ? 8 : 4)
      let offset = co64 ? Number(view.getBigUint64(position)) : view.getUint32(position)
      for (let i = 0; i < samplesPerChunk && sample < sizes.length; i++) {
        offsets[sample] = offset
        offset += sizes[sample++] ?? 0
      }
    }
  }
  return sample === sizes.length ? offsets : undefined
}
