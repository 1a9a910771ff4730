import { type ColumnFeature, countValues, type NumericArray } from '@nmp/formats/feature'
import type { JsonValue } from '@nmp/formats/json'
import { createBucketFinder, Extremes, listBucketFrames, planBuckets } from '../decimation.ts'
import type { EpisodeRows, RowRange } from '../episode-rows.ts'

export interface Series {
  name: string
  dtype: string
  shape: number[]
  /** Per dimension: one value per entry of `frame_index`. Text has one dimension. Rendered as they are taken, once. */
  values: Iterable<JsonValue[]>
}

export interface SeriesPage {
  frame_index: number[]
  timestamp: number[]
  is_decimated: boolean
  series: Series[]
}

/** Of all series together. */
export const countNumbers = ({ frame_index, series }: SeriesPage): number =>
  series.reduce((sum, { dtype, shape }) => sum + (isText(dtype) ? 1 : countValues(shape)) * frame_index.length, 0)

/** Takes the rows of an episode block by block and keeps what a chart of `points` positions shows of them. */
export interface SeriesCollector {
  take(rows: EpisodeRows): void
  finish(): SeriesPage
}

export function createSeriesCollector(
  columns: readonly ColumnFeature[],
  { startFrame, endFrame }: RowRange,
  points: number,
  fps: number,
): SeriesCollector {
  const buckets = planBuckets(startFrame, endFrame, points)
  const frames = buckets ? listBucketFrames(buckets) : listFrames(startFrame, endFrame)
  const timestamps = frames.map((frame) => frame / fps)
  const places = new Map(frames.map((frame, place) => [frame, place]))
  const findBucket = buckets ? createBucketFinder(buckets) : undefined
  const sinks = columns.map((column) => createSink(column, frames.length, buckets?.count))

  return {
    take(rows) {
      for (let row = 0; row < rows.rowCount; row++) {
        const frame = rows.startFrame + row
        const place = places.get(frame)
        if (place !== undefined) timestamps[place] = rows.timestamps[row] ?? 0
        const bucket = findBucket?.(frame)
        for (const [index, sink] of sinks.entries()) sink.add(rows.columns[index] as never, row, frame, place, bucket)
      }
    },
    finish: () => ({
      frame_index: frames,
      timestamp: timestamps,
      is_decimated: buckets !== undefined,
      series: columns.map(({ name, dtype, shape }, index) => ({
        name,
        dtype,
        shape: [...shape],
        values: sinks[index]?.finish() ?? [],
      })),
    }),
  }
}

const isText = (dtype: string): boolean => dtype === 'string' || dtype === 'language'

interface Sink {
  add(values: never, row: number, frame: number, place: number | undefined, bucket: number | undefined): void
  finish(): Iterable<JsonValue[]>
}

function createSink(column: ColumnFeature, placeCount: number, bucketCount: number | undefined): Sink {
  if (isText(column.dtype))
    return createPlaceSink(1, placeCount, (values: readonly JsonValue[], index) => values[index] ?? null)
  const width = countValues(column.shape)
  const show = column.dtype === 'float32' ? shortenFloat : showNumber
  if (bucketCount === undefined)
    return createPlaceSink(width, placeCount, (values: NumericArray, index) => show(Number(values[index])))
  const dimensions = Array.from({ length: width }, () => new Extremes(bucketCount))
  return {
    add(values: NumericArray, row, frame, _place, bucket = 0) {
      for (const [dimension, extremes] of dimensions.entries())
        extremes.add(bucket, frame, Number(values[row * width + dimension]))
    },
    // Not all at once: the shortest text of a million numbers takes a second.
    finish: () => dimensions.values().map((extremes) => extremes.list().map(show)),
  }
}

/** The values at the frames shown, as they are. */
function createPlaceSink<V>(width: number, placeCount: number, read: (values: V, index: number) => JsonValue): Sink {
  const dimensions = Array.from({ length: width }, () => new Array<JsonValue>(placeCount).fill(null))
  return {
    add(values: never, row, _frame, place) {
      if (place === undefined) return
      for (const [dimension, list] of dimensions.entries()) list[place] = read(values, row * width + dimension)
    },
    finish: () => dimensions,
  }
}

const listFrames = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index)

/** JSON has no NaN and no Infinity. */
const showNumber = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The shortest text that is the same float32: half the bytes of what the double of it would print. */
export function shortenFloat(value: number): number | null {
  if (!Number.isFinite(value)) return null
  for (let digits = 7; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(9))
}
