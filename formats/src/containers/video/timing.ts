/**
 * When the samples of an MP4 track are shown, from its index alone. mediabunny tells the same packet by packet, each through a
 * promise: of a file of 18,000 frames that took longer than copying it.
 */
import { type Box, findBox, viewOf } from './box-reader.ts'

export interface SampleTiming {
  /** In decode order, as the edit list shifts them. */
  readonly seconds: Float64Array
  readonly keys: Uint8Array
}

interface TrackBoxes {
  readonly trak: Box
  readonly mdia: Box
  readonly stbl: Box
}

/** Undefined where the index is unusual (several edits, another speed, times of some samples only): then mediabunny is asked. */
export function findSampleTiming(moov: Uint8Array, boxes: TrackBoxes, count: number): SampleTiming | undefined {
  const timescale = findTimescale(moov, findBox(moov, boxes.mdia, 'mdhd'))
  const startTick = findStartTick(moov, boxes.trak)
  const ticks = findDecodeTicks(moov, findBox(moov, boxes.stbl, 'stts'), count)
  if (!timescale || startTick === undefined || !ticks) return undefined
  const keys = findKeys(moov, findBox(moov, boxes.stbl, 'stss'), count)
  if (!keys || !addShifts(moov, findBox(moov, boxes.stbl, 'ctts'), ticks)) return undefined
  return { seconds: ticks.map((tick) => (tick - startTick) / timescale), keys }
}

function findTimescale(moov: Uint8Array, mdhd: Box | undefined): number | undefined {
  if (!mdhd) return undefined
  const view = viewOf(moov)
  const version = view.getUint8(mdhd.bodyStart)
  return version > 1 ? undefined : view.getUint32(mdhd.bodyStart + (version === 1 ? 20 : 12))
}

/** Where in the track's own time the film begins: 0 without an edit list. */
function findStartTick(moov: Uint8Array, trak: Box): number | undefined {
  const edits = findBox(moov, trak, 'edts')
  const elst = edits && findBox(moov, edits, 'elst')
  if (!elst) return edits ? undefined : 0
  const view = viewOf(moov)
  const isWide = view.getUint8(elst.bodyStart) === 1
  const at = elst.bodyStart + 8
  const start = isWide ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4)
  const rate = view.getUint32(at + (isWide ? 16 : 8))
  const isPlain = view.getUint32(elst.bodyStart + 4) === 1 && start >= 0 && rate === 0x10000
  return isPlain ? start : undefined
}

function findDecodeTicks(moov: Uint8Array, stts: Box | undefined, count: number): Float64Array | undefined {
  const ticks = new Float64Array(count)
  let tick = 0
  const isWhole = fillRuns(moov, stts, count, (first, end, delta) => {
    for (let sample = first; sample < end; sample++) {
      ticks[sample] = tick
      tick += delta
    }
  })
  return isWhole ? ticks : undefined
}

/** Adds what each sample is shown later than it is decoded; a table that is absent adds nothing. */
function addShifts(moov: Uint8Array, ctts: Box | undefined, ticks: Float64Array): boolean {
  if (!ctts) return true
  return fillRuns(moov, ctts, ticks.length, (first, end, shift) => {
    for (let sample = first; sample < end; sample++) ticks[sample] = (ticks[sample] as number) + (shift | 0)
  })
}

/** Runs of (count, value) that must cover the samples exactly. */
function fillRuns(
  moov: Uint8Array,
  box: Box | undefined,
  count: number,
  fill: (first: number, end: number, value: number) => void,
): boolean {
  if (!box) return false
  const view = viewOf(moov)
  const runCount = view.getUint32(box.bodyStart + 4)
  if (box.bodyStart + 8 + runCount * 8 > box.end) return false
  let first = 0
  for (let run = 0; run < runCount; run++) {
    const at = box.bodyStart + 8 + run * 8
    const end = first + view.getUint32(at)
    if (end > count) return false
    fill(first, end, view.getUint32(at + 4))
    first = end
  }
  return first === count
}

/** Every sample where the table is absent. */
function findKeys(moov: Uint8Array, stss: Box | undefined, count: number): Uint8Array | undefined {
  const keys = new Uint8Array(count)
  if (!stss) return keys.fill(1)
  const view = viewOf(moov)
  const keyCount = view.getUint32(stss.bodyStart + 4)
  if (stss.bodyStart + 8 + keyCount * 4 > stss.end) return undefined
  for (let key = 0; key < keyCount; key++) {
    const sample = view.getUint32(stss.bodyStart + 8 + key * 4) - 1
    if (!(sample >= 0 && sample < count)) return undefined
    keys[sample] = 1
  }
  return keys
}
