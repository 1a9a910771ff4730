/** The index (`ftyp` and `moov`) of an MP4 file with one video track, built from numbers alone. */
import type { DecoderConfig } from './config.ts'

export interface TrackPlan {
  readonly config: DecoderConfig
  /** Ticks per second, and ticks a frame is shown. */
  readonly timescale: number
  readonly frameTicks: number
  /** Bytes of each packet, in decode order. */
  readonly sizes: readonly number[]
  /** Decode places of keyframes. */
  readonly keyPackets: readonly number[]
  /** Runs of (place shown less place decoded); undefined when the two orders are the same. */
  readonly shiftRuns: readonly ShiftRun[] | undefined
}

export interface ShiftRun {
  shift: number
  length: number
}

const packetsPerChunk = 64
const u16 = (values: readonly number[]) => writeEach(values, 2, (buffer, value, at) => buffer.writeUInt16BE(value, at))
const u32 = (values: readonly number[]) => writeEach(values, 4, (buffer, value, at) => buffer.writeUInt32BE(value, at))
const u64 = (values: readonly number[]) =>
  writeEach(values, 8, (buffer, value, at) => buffer.writeBigUInt64BE(BigInt(value), at))
const text = (value: string) => Buffer.from(value, 'latin1')
const unityMatrix = u32([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000])

/** `ftyp`, `moov` and the header of `mdat`: all bytes before the first packet. */
export function buildFileHead(plan: TrackPlan, packetBytes: number): Uint8Array {
  const ftyp = box('ftyp', text('isom'), u32([0x200]), text('isomiso2mp41'))
  const isWide = packetBytes > 0xf0000000
  const mdat = isWide
    ? Buffer.concat([u32([1]), text('mdat'), u64([packetBytes + 16])])
    : Buffer.concat([u32([packetBytes + 8]), text('mdat')])
  // The length of `moov` does not depend on the offsets in it, so a first build tells where the packets will start.
  const packetStart = ftyp.length + buildMoov(plan, 0, isWide).length + mdat.length
  return Buffer.concat([ftyp, buildMoov(plan, packetStart, isWide), mdat])
}

function buildMoov(plan: TrackPlan, packetStart: number, isWide: boolean): Buffer {
  const duration = plan.sizes.length * plan.frameTicks
  const { width, height } = plan.config
  const clock = [u64([0, 0]), u32([plan.timescale]), u64([duration])]
  const mvhd = fullBox(
    'mvhd',
    1,
    0,
    ...clock,
    u32([0x10000]),
    u16([0x100, 0]),
    u32([0, 0]),
    unityMatrix,
    Buffer.alloc(24),
    u32([2]),
  )
  const life = [u64([0, 0]), u32([1, 0]), u64([duration]), u32([0, 0]), u16([0, 0, 0, 0])]
  const tkhd = fullBox('tkhd', 1, 3, ...life, unityMatrix, u32([width * 0x10000, height * 0x10000]))
  const mdhd = fullBox('mdhd', 1, 0, ...clock, u16([0x55c4, 0]))
  const hdlr = fullBox('hdlr', 0, 0, u32([0]), text('vide'), u32([0, 0, 0]), text('VideoHandler\0'))
  const vmhd = fullBox('vmhd', 0, 1, u16([0, 0, 0, 0]))
  const dinf = box('dinf', fullBox('dref', 0, 0, u32([1]), fullBox('url ', 0, 1)))
  const mdia = box('mdia', mdhd, hdlr, box('minf', vmhd, dinf, buildTables(plan, packetStart, isWide)))
  const edit = plan.shiftRuns ? [buildEdit(plan, plan.shiftRuns, duration)] : []
  return box('moov', mvhd, box('trak', tkhd, ...edit, mdia))
}

/** With B-frames no packet may be shown before it is decoded, so all are delayed, and the edit list takes the delay back. */
function buildEdit(plan: TrackPlan, shiftRuns: readonly ShiftRun[], duration: number): Buffer {
  return box(
    'edts',
    fullBox('elst', 1, 0, u32([1]), u64([duration, findDelay(shiftRuns) * plan.frameTicks]), u16([1, 0])),
  )
}

function buildTables(plan: TrackPlan, packetStart: number, isWide: boolean): Buffer {
  const count = plan.sizes.length
  const tables = [
    fullBox('stsd', 0, 0, u32([1]), buildSampleEntry(plan.config)),
    fullBox('stts', 0, 0, u32([1, count, plan.frameTicks])),
  ]
  if (plan.keyPackets.length < count) {
    const numbers = plan.keyPackets.map((packet) => packet + 1)
    tables.push(fullBox('stss', 0, 0, u32([numbers.length]), u32(numbers)))
  }
  if (plan.shiftRuns) {
    const delay = findDelay(plan.shiftRuns)
    const entries = plan.shiftRuns.flatMap(({ shift, length }) => [length, (shift + delay) * plan.frameTicks])
    tables.push(fullBox('ctts', 0, 0, u32([plan.shiftRuns.length]), u32(entries)))
  }
  const offsets = listChunkOffsets(plan.sizes, packetStart)
  const chunkRuns = listChunkRuns(count)
  tables.push(
    fullBox('stsc', 0, 0, u32([chunkRuns.length / 3]), u32(chunkRuns)),
    fullBox('stsz', 0, 0, u32([0, count]), u32(plan.sizes)),
    fullBox(isWide ? 'co64' : 'stco', 0, 0, u32([offsets.length]), isWide ? u64(offsets) : u32(offsets)),
  )
  return box('stbl', ...tables)
}

function listChunkRuns(count: number): number[] {
  const rest = count % packetsPerChunk
  const fullChunks = (count - rest) / packetsPerChunk
  return [...(fullChunks > 0 ? [1, packetsPerChunk, 1] : []), ...(rest > 0 ? [fullChunks + 1, rest, 1] : [])]
}

function listChunkOffsets(sizes: readonly number[], packetStart: number): number[] {
  const offsets: number[] = []
  let offset = packetStart
  sizes.forEach((size, packet) => {
    if (packet % packetsPerChunk === 0) offsets.push(offset)
    offset += size
  })
  return offsets
}

function buildSampleEntry(config: DecoderConfig): Buffer {
  const size = [Buffer.alloc(6), u16([1]), Buffer.alloc(16), u16([config.width, config.height])]
  const display = [u32([0x480000, 0x480000, 0]), u16([1]), Buffer.alloc(32), u16([0x18, 0xffff])]
  return box(config.format, ...size, ...display, ...config.boxes)
}

/** How many frames the worst packet is decoded after the moment at which it should be shown. */
function findDelay(shiftRuns: readonly ShiftRun[]): number {
  return shiftRuns.reduce((delay, { shift }) => Math.max(delay, -shift), 0)
}

function box(type: string, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32([body.length + 8]), text(type), body])
}

function fullBox(type: string, version: number, flags: number, ...parts: Uint8Array[]): Buffer {
  return box(type, u32([version * 0x1000000 + flags]), ...parts)
}

function writeEach(
  values: readonly number[],
  width: number,
  write: (buffer: Buffer, value: number, at: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(values.length * width)
  values.forEach((value, index) => {
    write(buffer, value, index * width)
  })
  return buffer
}
