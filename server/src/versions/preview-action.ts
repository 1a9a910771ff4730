import { countValues, type NumericArray } from '@nmp/formats/feature'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { planAction, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { toActionSettings } from './plan.ts'
import type { Recipe } from './recipe.ts'
import { fitsInMemory, getColumn, listNumericFeatures } from './source-columns.ts'

const maxPoints = 1000

/** One episode's actions before and after; every n-th frame of a long one. What earlier recipes do comes before both. */
export async function previewAction(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  earlier: readonly Recipe[],
  recipe: Recipe,
  { episode, stored }: { episode: number; stored: number },
) {
  const feature = listNumericFeatures(model).find(({ name }) => name === 'action')
  if (!feature || feature.dtype === 'bool' || !fitsInMemory(model, feature)) return null
  const column = await getColumn(context, revision, model, feature)
  const width = countValues(feature.shape)
  const length = model.columns.lengthFrames[stored] ?? 0
  const from = (model.columns.fromIndex[stored] ?? 0) * width
  const recorded = toDoubles(column.subarray(from, from + length * width) as NumericArray)
  const change = (values: Float64Array, by: Recipe): Float64Array => {
    const action = planAction(toActionSettings(by))
    return action ? toDoubles(storeAs(feature, action.change(values, width, 0, length))) : values
  }
  const before = earlier.reduce(change, recorded)
  const after = change(before, recipe)
  const step = Math.max(1, Math.ceil(length / maxPoints))
  const frames = Array.from({ length: Math.ceil(length / step) }, (_, place) => place * step)
  const pick = (values: Float64Array) =>
    Array.from({ length: width }, (_, dimension) => frames.map((frame) => finite(values[frame * width + dimension])))
  return {
    episode_index: episode,
    names: model.manifest.action?.names ?? [],
    frame_index: frames,
    timestamp: frames.map((frame) => frame / model.manifest.fps),
    before: pick(before),
    after: pick(after),
  }
}

/** JSON has no NaN. */
const finite = (value: number | undefined): number | null => (Number.isFinite(value) ? (value as number) : null)
