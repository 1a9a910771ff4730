import { countValues } from '@nmp/formats/feature'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { type ActionPlan, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../../context.ts'
import type { RowChange } from '../../datasets/read-model/derivation.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { replayColumn } from '../../datasets/read-model/replay.ts'
import type { Revision } from '../../datasets/seen-dataset.ts'
import type { DerivedFrames } from '../derive/derive-frames.ts'
import { fitsInMemory, getColumn, getSwitches, listNumericFeatures } from '../derive/source-columns.ts'

const maxPoints = 1000

/** An episode of the result, and what the source calls the one that it is made of. */
interface ShownEpisode {
  position: number
  episode: number
  /** The action of the source, and the column that it is stored in. */
  signal: { names: readonly string[]; column: string; dimensions: readonly number[] | undefined } | null
  /** How many of the last changes are the recipe's own. */
  ownChanges: number
  /** Of the result. */
  fps: number
}

/** One episode's actions before and after; every n-th frame of a long one. What earlier recipes do comes before both. */
export async function previewAction(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  { storedIndex, storedLength, frames: kept, changes }: DerivedFrames,
  { position, episode, signal, ownChanges, fps }: ShownEpisode,
) {
  if (!signal) return null
  const { column, dimensions } = signal
  const feature = listNumericFeatures(model.manifest.features).find(({ name }) => name === column)
  if (!feature || feature.dtype === 'bool' || !fitsInMemory(model, feature)) return null
  const rows = await getColumn(context, revision, model, feature)
  const width = countValues(feature.shape)
  const from = (model.columns.fromIndex[storedIndex[position] as number] ?? 0) * width
  const smooth =
    (dimension: number) =>
    (values: Float64Array, plan: ActionPlan): Float64Array => {
      const results = new Float64Array(values.length)
      plan.changeColumn(values, dimension, 0, results)
      return toDoubles(storeAs(feature, results))
    }
  const shown = dimensions ?? Array.from({ length: width }, (_, dimension) => dimension)
  const change = (done: readonly RowChange[]): Float64Array[] =>
    shown.map((dimension) => {
      const recorded = Float64Array.from({ length: storedLength[position] as number }, (_, frame) =>
        Number(rows[from + frame * width + dimension]),
      )
      return replayColumn(recorded, column, { frames: kept, changes: done }, position, smooth(dimension))
    })
  const switches = new Set(await getSwitches(context, revision, model, feature))
  const before = change(changes.slice(0, changes.length - ownChanges))
  const after = change(changes)
  const length = before[0]?.length ?? 0
  const step = Math.max(1, Math.ceil(length / maxPoints))
  const frames = Array.from({ length: Math.ceil(length / step) }, (_, place) => place * step)
  const pick = (values: readonly Float64Array[]) => values.map((row) => frames.map((frame) => finite(row[frame])))
  return {
    episode_index: episode,
    names: [...signal.names],
    is_switch: shown.map((dimension) => switches.has(dimension)),
    frame_index: frames,
    timestamp: frames.map((frame) => frame / fps),
    before: pick(before),
    after: pick(after),
  }
}

/** JSON has no NaN. */
const finite = (value: number | undefined): number | null => (Number.isFinite(value) ? (value as number) : null)
