import type { NumericArray, NumericDtype } from '@nmp/formats/feature'
import { countKept } from '@nmp/formats/frame-ranges'
import { toDoubles, viewAsDoubles } from '@nmp/formats/statistics/doubles'
import { addValues, createMoments, type Moments } from '@nmp/formats/statistics/moments'
import { quantileLevels, quantileNames } from '@nmp/formats/statistics/quantiles'
import { selectQuantiles } from '@nmp/formats/statistics/selection'
import { storeAs } from '@nmp/formats/steps/action'
import type { RowChange } from '../../datasets/read-model/derivation.ts'
import type { KeptFrames } from '../../datasets/read-model/kept-frames.ts'
import { type PackedFrames, packFrames, unpackFrames } from '../../datasets/read-model/packed-frames.ts'
import { replayColumn } from '../../datasets/read-model/replay.ts'

/** A column of the source and what becomes of it in some episodes of a result: everything that a thread is told. */
export interface ChangedColumn {
  /** Every row of the source. */
  values: NumericArray
  feature: { name: string; dtype: NumericDtype }
  /** Numbers of a row. */
  width: number
  /** Of which statistics are made: those of a row, or of its last axis. */
  dimensionCount: number
  /** By episode that is looked at: its first row in the source, and how many it has there. */
  firstRow: Float64Array
  storedLength: Uint32Array
  frames: PackedFrames | null
  changes: Packed<RowChange>[]
}

type Packed<T> = { [Key in keyof T]: T[Key] extends KeptFrames ? PackedFrames | null : T[Key] }

export interface MeasuredDimension {
  moments: Moments
  /** One for each of `quantileNames`. */
  quantiles: number[]
}

/** Frames of the episodes at these places, which are numbered anew. */
export function packChanges(
  { frames, changes }: { frames: KeptFrames; changes: readonly RowChange[] },
  episodes: Uint32Array,
): Pick<ChangedColumn, 'frames' | 'changes'> {
  // What one change has left, the next one begins with.
  const packed = new Map<KeptFrames, PackedFrames | null>()
  const pack = (kept: KeptFrames): PackedFrames | null => {
    const known = packed.get(kept)
    if (known !== undefined) return known
    const own = packFrames(kept, episodes)
    packed.set(kept, own)
    return own
  }
  return {
    frames: pack(frames),
    changes: changes.map((change) =>
      change.kind === 'action'
        ? { ...change, frames: pack(change.frames) }
        : { ...change, frames: pack(change.frames), left: pack(change.left) },
    ),
  }
}

function unpackChanges({ frames, changes }: ChangedColumn): { frames: KeptFrames; changes: RowChange[] } {
  const unpacked = new Map<PackedFrames | null, KeptFrames>()
  const unpack = (packed: PackedFrames | null): KeptFrames => {
    const kept = unpacked.get(packed) ?? unpackFrames(packed)
    unpacked.set(packed, kept)
    return kept
  }
  return {
    frames: unpack(frames),
    changes: changes.map((change) =>
      change.kind === 'action'
        ? { ...change, frames: unpack(change.frames) }
        : { ...change, frames: unpack(change.frames), left: unpack(change.left) },
    ),
  }
}

const probabilities = quantileNames.map((name) => quantileLevels[name])

/** The dimensions `from` to `to` as they will be stored: their values, all episodes one after the other, are counted and selected from. */
export function measureDimensions(column: ChangedColumn, from: number, to: number): MeasuredDimension[] {
  const { values, feature, width, dimensionCount, firstRow, storedLength } = column
  const derived = unpackChanges(column)
  const isFloat = feature.dtype === 'float32' || feature.dtype === 'float64'
  const Values = feature.dtype === 'float32' ? Float32Array : Float64Array
  const longest = storedLength.reduce((most, length) => Math.max(most, length), 0)
  const [before, after, rounded] = [new Float64Array(longest), new Float64Array(longest), new Values(longest)]
  const valueCount = (countFrames(derived.frames, storedLength) * width) / dimensionCount
  const dimensions = Array.from({ length: to - from }, () => ({
    all: new Values(valueCount),
    filled: 0,
    moments: createMoments(1),
  }))
  for (const [episode, length] of storedLength.entries()) {
    const first = (firstRow[episode] as number) * width
    const rows = viewAsDoubles(values.subarray(first, first + length * width) as NumericArray)
    for (let place = 0; place < width; place++) {
      const dimension = dimensions[(place % dimensionCount) - from]
      if (!dimension) continue
      const recorded = before.subarray(0, length)
      for (let row = 0, at = place; row < length; row++, at += width) recorded[row] = rows[at] as number
      const own = replayColumn(recorded, feature.name, derived, episode, (seen, plan) => {
        const changed = after.subarray(0, seen.length)
        plan.changeColumn(seen, place, 0, changed)
        // As they are stored, and as the next recipe would find them.
        rounded.set(isFloat ? changed : toDoubles(storeAs(feature, changed)))
        const results = before.subarray(0, seen.length)
        results.set(rounded.subarray(0, seen.length))
        return results
      })
      dimension.all.set(own, dimension.filled)
      dimension.filled += own.length
      addValues(dimension.moments, own, place < dimensionCount ? own.length : 0)
    }
  }
  return dimensions.map(({ all, moments }) => {
    const range = { count: moments.valueCount[0] ?? 0, min: moments.min[0] ?? 0, max: moments.max[0] ?? 0 }
    return { moments, quantiles: selectQuantiles(all, range, probabilities) }
  })
}

function countFrames(frames: KeptFrames, storedLength: Uint32Array): number {
  let count = 0
  for (const [episode, length] of storedLength.entries()) {
    const kept = frames.get(episode)
    count += kept ? countKept(kept) : length
  }
  return count
}
