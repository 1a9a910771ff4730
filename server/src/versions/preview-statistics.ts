import { countValues, type NumericArray, type NumericDtype } from '@nmp/formats/feature'
import { isObject } from '@nmp/formats/json'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { countDimensions, presentStatistics } from '@nmp/formats/statistics/episode'
import { addValues, createMoments } from '@nmp/formats/statistics/moments'
import { QUANTILE_NAMES, QUANTILES, type QuantileName, quantileOfSorted } from '@nmp/formats/statistics/quantiles'
import { sortDimensions } from '@nmp/formats/statistics/sorting'
import { type ActionPlan, planAction, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../context.ts'
import type { FeatureEntry } from '../datasets/read-model/manifest.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/service.ts'
import { measureSelection } from './ordered-column.ts'
import { type RecipePlan, toActionSettings } from './plan.ts'
import type { Recipe } from './recipe.ts'
import { fitsInMemory, getColumn, getOrderedColumn, listNumericFeatures } from './source-columns.ts'

export interface PreviewedFeature {
  name: string
  names: string[] | null
  /** True: of every frame of the result. False: `sampled_episodes` of them were looked at, or none could be. */
  exact: boolean
  sampled_episodes: number | null
  statistics: Record<string, number[]> | null
}

type NumericFeature = FeatureEntry & { dtype: NumericDtype }

/** Additions that one preview may cost; beyond it some episodes stand for all, and the answer says so. */
const BUDGET = 250_000_000
/** What sorting a value for its quantiles costs, in additions. */
const SORT_COST = 30
const MAX_DIMENSIONS = 512

/** Statistics of what the recipe would give, over every frame wherever that is affordable. */
export async function previewStatistics(
  context: Context,
  revision: Revision,
  model: ReadModel,
  recipe: Recipe,
  plan: RecipePlan,
): Promise<PreviewedFeature[]> {
  const isWhole = plan.episodes.length === model.episodeCount
  const results: PreviewedFeature[] = []
  let dimensions = 0
  for (const feature of listNumericFeatures(model)) {
    dimensions += countValues(feature.shape)
    const { name, names } = feature
    const action = name === 'action' ? planAction(toActionSettings(recipe)) : undefined
    const stored = model.manifest.feature_statistics[name]
    if (isWhole && !action && isObject(stored))
      results.push({ name, names, exact: true, sampled_episodes: null, statistics: readStored(stored) })
    else if (dimensions > MAX_DIMENSIONS || !fitsInMemory(model, feature))
      results.push({ name, names, exact: false, sampled_episodes: 0, statistics: null })
    else if (!action) {
      const ordered = await getOrderedColumn(context, revision, model, feature)
      const { moments, quantiles } = measureSelection(ordered, plan.episodes, model.episodeCount)
      const statistics = copy(presentStatistics(moments, quantiles))
      results.push({ name, names, exact: true, sampled_episodes: null, statistics })
    } else {
      const column = await getColumn(context, revision, model, feature)
      results.push(measure(model, feature, column, plan, action))
    }
  }
  return results
}

function measure(
  model: ReadModel,
  feature: NumericFeature,
  column: NumericArray,
  plan: RecipePlan,
  action: ActionPlan,
): PreviewedFeature {
  const width = countValues(feature.shape)
  const cost = plan.frameCount * width * (SORT_COST + 2 * action.halo + 1)
  const step = Math.max(1, Math.ceil(cost / BUDGET))
  const moments = createMoments(countDimensions(feature))
  const blocks: NumericArray[] = []
  for (let place = 0; place < plan.episodes.length; place += step) {
    const episode = plan.episodes[place] as number
    const from = (model.columns.fromIndex[episode] as number) * width
    const length = model.columns.lengthFrames[episode] as number
    const values = column.subarray(from, from + length * width) as NumericArray
    const changed = storeAs(feature, action.change(toDoubles(values), width, 0, length))
    addValues(moments, changed, length)
    blocks.push(changed)
  }
  const probabilities = QUANTILE_NAMES.map((name) => QUANTILES[name])
  const rows = [
    ...sortDimensions(blocks, countDimensions(feature)).map((sorted) => {
      return probabilities.map((probability) => quantileOfSorted(sorted, probability))
    }),
  ]
  const entries = QUANTILE_NAMES.map((name, at) => [name, rows.map((row) => row[at] as number)] as const)
  const quantiles = Object.fromEntries(entries) as Record<QuantileName, number[]>
  const exact = step === 1
  const sampled = exact ? null : blocks.length
  const { name, names } = feature
  return { name, names, exact, sampled_episodes: sampled, statistics: copy(presentStatistics(moments, quantiles)) }
}

const readStored = (stored: Record<string, unknown>): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(stored).map(([key, values]) => [key, Array.isArray(values) ? values.map(Number) : []]),
  )

const copy = (statistics: Record<string, readonly number[]>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(statistics).map(([key, values]) => [key, [...values]]))
