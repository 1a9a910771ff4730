import { countValues, type NumericArray } from '@nmp/formats/feature'
import type { KeptRanges } from '@nmp/formats/frame-ranges'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { planAction, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../context.ts'
import type { RowChange } from '../datasets/read-model/derivation.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { keepWithin } from '../datasets/read-model/replay.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import type { DerivedFrames } from './derive-frames.ts'
import { fitsInMemory, getColumn, listNumericFeatures } from './source-columns.ts'

const maxPoints = 1000

/** An episode of the result, and what the source calls the one that it is made of. */
interface ShownEpisode {
  position: number
  episode: number
  /** The action of the source, and the column that it is stored in. */
  signal: { names: readonly string[]; column: string; dimensions: readonly number[] | undefined } | null
  /** How many of the last changes are the recipe's own. */
  ownChanges: number
}

/** One episode's actions before and after; every n-th frame of a long one. What earlier recipes do comes before both. */
export async function previewAction(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  { storedIndex, storedLength, frames: kept, changes }: DerivedFrames,
  { position, episode, signal, ownChanges }: ShownEpisode,
) {
  if (!signal) return null
  const { column, dimensions } = signal
  const feature = listNumericFeatures(model.manifest.features).find(({ name }) => name === column)
  if (!feature || feature.dtype === 'bool' || !fitsInMemory(model, feature)) return null
  const rows = await getColumn(context, revision, model, feature)
  const width = countValues(feature.shape)
  const from = (model.columns.fromIndex[storedIndex[position] as number] ?? 0) * width
  const recorded = toDoubles(rows.subarray(from, from + (storedLength[position] as number) * width) as NumericArray)
  const own = changes.filter((change) => change.column === column)
  const change = (done: readonly RowChange[]): Float64Array => {
    let [values, seen]: [Float64Array, KeptRanges | undefined] = [recorded, undefined]
    for (const { action, frames } of done) {
      values = keepRows(values, width, seen, frames.get(position))
      seen = frames.get(position)
      const plan = planAction(action)
      if (plan) values = toDoubles(storeAs(feature, plan.change(values, width, 0, values.length / width)))
    }
    return keepRows(values, width, seen, kept.get(position))
  }
  const before = change(own.slice(0, own.length - ownChanges))
  const after = change(own)
  const length = before.length / width
  const step = Math.max(1, Math.ceil(length / maxPoints))
  const frames = Array.from({ length: Math.ceil(length / step) }, (_, place) => place * step)
  const shown = dimensions ?? Array.from({ length: width }, (_, dimension) => dimension)
  const pick = (values: Float64Array) =>
    shown.map((dimension) => frames.map((frame) => finite(values[frame * width + dimension])))
  return {
    episode_index: episode,
    names: [...signal.names],
    frame_index: frames,
    timestamp: frames.map((frame) => frame / model.manifest.fps),
    before: pick(before),
    after: pick(after),
  }
}

function keepRows(
  values: Float64Array,
  width: number,
  outer: KeptRanges | undefined,
  inner: KeptRanges | undefined,
): Float64Array {
  const rows = keepWithin(
    Float64Array.from({ length: values.length / width }, (_, row) => row),
    outer,
    inner,
  )
  return Float64Array.from({ length: rows.length * width }, (_, at) => {
    const row = rows[Math.floor(at / width)] as number
    return values[row * width + (at % width)] as number
  })
}

/** JSON has no NaN. */
const finite = (value: number | undefined): number | null => (Number.isFinite(value) ? (value as number) : null)
