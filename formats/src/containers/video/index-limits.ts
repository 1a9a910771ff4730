/**
 * The tables of an MP4 index, held against the bytes of the file before anybody expands them. A run of a table says in eight
 * bytes that it stands for four billion samples; a reader that takes its word is busy for a day with a file of two kilobytes.
 */
import { FormatError } from '../../errors.ts'
import { type Box, findBox, listBoxes, readType, viewOf } from './box-reader.ts'

const maxFrames = 4_000_000
const smallestFrameBytes = 4
const maxDepth = 12

/** Boxes that hold boxes, of those that readers of an index open. */
const containers: ReadonlySet<string> = new Set(
  'trak mdia minf dinf stbl edts mvex moof traf mfra sinf schi'.split(' '),
)

export interface IndexFile {
  readonly name: string
  readonly sizeBytes: number
}

interface TableForm {
  /** Where the count of entries stands in the body, and where the first entry does. */
  readonly countAt: number
  readonly firstAt: number
  readonly entryBytes: number
}

/** How many frames a file of this size can hold, whatever it says. */
export function findFrameLimit(sizeBytes: number): number {
  return Math.min(maxFrames, Math.ceil(sizeBytes / smallestFrameBytes))
}

/** Throws `limit_exceeded` where a table of the boxes between `start` and `end` has more entries or samples than there can be. */
export function requireBoundedIndex(bytes: Uint8Array, start: number, end: number, file: IndexFile): void {
  // Samples of sound may be a byte each.
  checkBoxes(bytes, { start, end, depth: 0, sampleLimit: Math.max(1, file.sizeBytes) }, file)
}

interface Stretch {
  start: number
  end: number
  depth: number
  sampleLimit: number
}

function checkBoxes(bytes: Uint8Array, { start, end, depth, sampleLimit }: Stretch, file: IndexFile): void {
  if (depth > maxDepth) throw new FormatError('container_invalid', `${file.name} has an index that nests without end.`)
  for (const box of listBoxes(bytes, start, end)) {
    if (containers.has(box.type)) {
      const isVideo = box.type === 'trak' && isVideoTrack(bytes, box)
      const limit = isVideo ? findFrameLimit(file.sizeBytes) : sampleLimit
      checkBoxes(bytes, { start: box.bodyStart, end: box.end, depth: depth + 1, sampleLimit: limit }, file)
    } else checkTable(bytes, box, sampleLimit, file)
  }
}

function isVideoTrack(bytes: Uint8Array, trak: Box): boolean {
  const mdia = findBox(bytes, trak, 'mdia')
  const handler = mdia && findBox(bytes, mdia, 'hdlr')
  return handler !== undefined && readType(viewOf(bytes), handler.bodyStart + 8) === 'vide'
}

function checkTable(bytes: Uint8Array, box: Box, sampleLimit: number, file: IndexFile): void {
  const view = viewOf(bytes)
  const form = findForm(view, box)
  if (!form) return
  const count = view.getUint32(box.bodyStart + form.countAt)
  if (box.bodyStart + form.firstAt + Math.ceil(count * form.entryBytes) > box.end)
    throw new FormatError(
      'limit_exceeded',
      `${file.name}: its table ${box.type} counts ${count} entries, more than it holds.`,
    )
  const samples = countSamples(view, box, count)
  if (samples > sampleLimit)
    throw new FormatError(
      'limit_exceeded',
      `${file.name}: its table ${box.type} counts ${samples} samples, and ${file.sizeBytes} bytes hold at most ${sampleLimit}.`,
    )
}

/** Undefined for a box that is no table. */
function findForm(view: DataView, { type, bodyStart }: Box): TableForm | undefined {
  switch (type) {
    case 'stts':
    case 'ctts':
      return { countAt: 4, firstAt: 8, entryBytes: 8 }
    case 'stsc':
      return { countAt: 4, firstAt: 8, entryBytes: 12 }
    case 'stss':
    case 'stps':
    case 'stco':
      return { countAt: 4, firstAt: 8, entryBytes: 4 }
    case 'stsd':
    case 'co64':
    case 'keys':
      return { countAt: 4, firstAt: 8, entryBytes: 8 }
    case 'stsz':
      return { countAt: 8, firstAt: 12, entryBytes: view.getUint32(bodyStart + 4) === 0 ? 4 : 0 }
    case 'stz2':
      return { countAt: 8, firstAt: 12, entryBytes: view.getUint8(bodyStart + 7) / 8 }
    case 'elst':
      return { countAt: 4, firstAt: 8, entryBytes: view.getUint8(bodyStart) === 1 ? 20 : 12 }
    case 'tfra':
      return { countAt: 12, firstAt: 16, entryBytes: view.getUint8(bodyStart) === 1 ? 19 : 11 }
    case 'trun':
      return { countAt: 4, firstAt: 8, entryBytes: findRunEntryBytes(view.getUint32(bodyStart)) }
    case 'senc':
      return { countAt: 4, firstAt: 8, entryBytes: 0 }
    default:
      return undefined
  }
}

/** Four bytes for each of duration, size, flags and shift that the flags of a `trun` announce. */
function findRunEntryBytes(flags: number): number {
  return [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4
}

/** How many samples a table speaks of; of `stsc` the most that one chunk is said to have. */
function countSamples(view: DataView, { type, bodyStart }: Box, count: number): number {
  if (type !== 'stts' && type !== 'ctts' && type !== 'stsc') return isPerSample(type) ? count : 0
  const [entryBytes, sampleAt] = type === 'stsc' ? [12, 4] : [8, 0]
  let total = 0
  for (let entry = 0; entry < count; entry++) {
    const samples = view.getUint32(bodyStart + 8 + entry * entryBytes + sampleAt)
    total = type === 'stsc' ? Math.max(total, samples) : total + samples
  }
  return total
}

function isPerSample(type: string): boolean {
  return ['stsz', 'stz2', 'stss', 'trun', 'senc'].includes(type)
}
