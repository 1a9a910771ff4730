import { countValues, type NumericArray } from '@nmp/formats/feature'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { planAction, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/service.ts'
import { toActionSettings } from './plan.ts'
import type { Recipe } from './recipe.ts'
import { fitsInMemory, getColumn, listNumericFeatures } from './source-columns.ts'

const MAX_POINTS = 1000

/** One episode's actions before and after; every n-th frame of a long one. */
export async function previewAction(
  context: Context,
  revision: Revision,
  model: ReadModel,
  recipe: Recipe,
  episode: number,
) {
  const feature = listNumericFeatures(model).find(({ name }) => name === 'action')
  if (!feature || feature.dtype === 'bool' || !fitsInMemory(model, feature)) return null
  const column = await getColumn(context, revision, model, feature)
  const width = countValues(feature.shape)
  const length = model.columns.lengthFrames[episode] ?? 0
  const from = (model.columns.fromIndex[episode] ?? 0) * width
  const before = toDoubles(column.subarray(from, from + length * width) as NumericArray)
  const action = planAction(toActionSettings(recipe))
  const after = action ? toDoubles(storeAs(feature, action.change(before, width, 0, length))) : before
  const step = Math.max(1, Math.ceil(length / MAX_POINTS))
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
