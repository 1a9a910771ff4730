import type { Values } from '../dataset.ts'
import { createCountBefore, type KeptRanges } from '../frame-ranges.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'

/** Of a frame's length: a time that was rounded to float32 belongs to the frame it names. */
const rounding = 1e-3

/** Of each list of ranges: every frame of an episode repeats the same rows. */
const counters = new WeakMap<KeptRanges, (frame: number) => number>()

function findCounter(ranges: KeptRanges): (frame: number) => number {
  const counter = counters.get(ranges) ?? createCountBefore(ranges)
  counters.set(ranges, counter)
  return counter
}

/** Frames per second that the ranges count, and that the result has. */
export interface Rates {
  readonly fps: number
  readonly newFps: number
}

/**
 * LeRobot's language rows after a cut. Rows with a time say what holds from then on, so those before a kept frame begin with it, where
 * no later one of the same kind does; those after the last frame go. Rows without a time belong to their frame and stay as they are.
 */
export function moveLanguageRows(rows: JsonValue, ranges: KeptRanges, { fps, newFps }: Rates): JsonValue {
  if (!Array.isArray(rows)) return rows
  const end = ranges.at(-1)?.[1] ?? 0
  const countKeptBefore = findCounter(ranges)
  const newest = new Map<string, number>()
  const moved: { row: JsonObject; key: string; from: number }[] = []
  for (const row of rows) {
    if (!isObject(row) || typeof row.timestamp !== 'number') return rows
    const { timestamp } = row
    const frame = Math.floor(timestamp * fps + rounding)
    if (frame >= end) continue
    const place = countKeptBefore(frame)
    const isKept = countKeptBefore(frame + 1) > place
    const rest = isKept && newFps === fps ? Math.max(0, timestamp - frame / fps) : 0
    const at = Math.fround(place / newFps + rest)
    const key = JSON.stringify([row.style ?? null, row.role ?? null, row.camera ?? null, at])
    newest.set(key, Math.max(newest.get(key) ?? timestamp, timestamp))
    moved.push({ row: { ...row, timestamp: at }, key, from: timestamp })
  }
  return moved.filter(({ key, from }) => newest.get(key) === from).map(({ row }) => row)
}

/** Rows that speak of a camera speak of it by the name that it has now. */
export function renameLanguageCameras(values: Values, renames: ReadonlyMap<string, string>): Values {
  const renameRow = (row: JsonValue): JsonValue =>
    isObject(row) && typeof row.camera === 'string' ? { ...row, camera: renames.get(row.camera) ?? row.camera } : row
  return (values as readonly JsonValue[]).map((rows) => (Array.isArray(rows) ? rows.map(renameRow) : rows))
}
