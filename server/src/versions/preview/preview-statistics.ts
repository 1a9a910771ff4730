import { setImmediate } from 'node:timers/promises'
import { countValues, type NumericArray, type NumericDtype } from '@nmp/formats/feature'
import { countKept } from '@nmp/formats/frame-ranges'
import { isObject } from '@nmp/formats/json'
import { toDoubles } from '@nmp/formats/statistics/doubles'
import { countDimensions, presentStatistics } from '@nmp/formats/statistics/episode'
import { addValues, createMoments, type Moments } from '@nmp/formats/statistics/moments'
import { type QuantileName, quantileLevels, quantileNames } from '@nmp/formats/statistics/quantiles'
import { selectQuantiles } from '@nmp/formats/statistics/selection'
import { planAction, storeAs } from '@nmp/formats/steps/action'
import type { Context } from '../../context.ts'
import { changesColumn } from '../../datasets/read-model/derivation.ts'
import type { FeatureEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { replayColumn } from '../../datasets/read-model/replay.ts'
import type { Revision } from '../../datasets/seen-dataset.ts'
import type { DerivedFrames } from '../derive/derive-frames.ts'
import { measureSelection } from '../derive/ordered-column.ts'
import { pickStatistics } from '../derive/picked-statistics.ts'
import { fitsInMemory, getColumn, getOrderedColumn, listNumericFeatures } from '../derive/source-columns.ts'

export interface PreviewedFeature {
  name: string
  names: string[] | null
  /** True: of every frame of the result. False: `sampled_episodes` of them were looked at, or none could be. */
  exact: boolean
  sampled_episodes: number | null
  statistics: Record<string, number[]> | null
}

type Measured = Pick<PreviewedFeature, 'exact' | 'sampled_episodes' | 'statistics'>
const exactly = { exact: true, sampled_episodes: null } as const

type NumericFeature = FeatureEntry & { dtype: NumericDtype }

/** Additions that one preview may cost; beyond it some episodes stand for all, and the answer says so. */
const budget = 250_000_000
/** What taking, storing, counting and selecting a value costs, in additions. */
const costPerValue = 20
const maxDimensions = 512
const turnMilliseconds = 20

/** Statistics of what a recipe would give, over every frame wherever that is affordable. */
export async function previewStatistics(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  derived: DerivedFrames,
  features: readonly FeatureEntry[],
): Promise<PreviewedFeature[]> {
  const isCut = derived.frames.size > 0
  const isWhole = !isCut && derived.storedIndex.length === model.episodeCount
  const results: PreviewedFeature[] = []
  let dimensions = 0
  const storedFeatures = listNumericFeatures(model.manifest.features)
  for (const { name, names } of listNumericFeatures(features)) {
    const column = derived.columns.get(name)
    const feature = storedFeatures.find((candidate) => candidate.name === (column?.name ?? name))
    if (!feature) continue
    dimensions += countValues(feature.shape)
    const changes = derived.changes.filter((change) => changesColumn(change, feature.name))
    const known = model.manifest.feature_statistics[feature.name]
    const add = ({ statistics, ...how }: Measured): unknown =>
      results.push({ name, names, ...how, statistics: statistics && pickStatistics(statistics, column) })
    if (isWhole && changes.length === 0 && isObject(known)) add({ ...exactly, statistics: readStored(known) })
    else if (dimensions > maxDimensions || !fitsInMemory(model, feature))
      add({ exact: false, sampled_episodes: 0, statistics: null })
    else if (changes.length === 0 && !isCut) {
      const ordered = await getOrderedColumn(context, revision, model, feature)
      const { moments, quantiles } = measureSelection(ordered, derived.storedIndex, model.episodeCount)
      add({ ...exactly, statistics: copy(presentStatistics(moments, quantiles)) })
    } else {
      const values = await getColumn(context, revision, model, feature)
      add(await measure(model, feature, values, { ...derived, changes }))
    }
  }
  return results
}

async function measure(
  model: ReadModel,
  feature: NumericFeature,
  column: NumericArray,
  derived: DerivedFrames,
): Promise<Measured> {
  const width = countValues(feature.shape)
  const { storedLength } = derived
  const costs = derived.changes.map((change) =>
    change.kind === 'action' ? (planAction(change.settings)?.valueCost ?? 0) : 1,
  )
  const valueCost = costs.reduce((sum, cost) => sum + cost + costPerValue, costPerValue)
  const frameCount = storedLength.reduce((sum, length) => sum + length, 0)
  const step = Math.max(1, Math.ceil((frameCount * width * valueCost) / budget))
  const positions = Uint32Array.from(storedLength.keys()).filter((position) => position % step === 0)
  const { moments, dimensions } = await changeEpisodes(model, { feature, column, derived, positions })
  const levels: number[][] = []
  for (const [dimension, values] of dimensions.entries()) {
    const [entry] = moments.slice(dimension)
    const range = { count: entry?.valueCount[0] ?? 0, min: entry?.min[0] ?? 0, max: entry?.max[0] ?? 0 }
    levels.push(selectQuantiles(values, range, probabilities))
    await setImmediate()
  }
  const entries = quantileNames.map((name, at) => [name, levels.map((row) => row[at] as number)] as const)
  const quantiles = Object.fromEntries(entries) as Record<QuantileName, number[]>
  const exact = step === 1
  const sampled = exact ? null : positions.length
  const statistics = copy(presentStatistics(joinMoments(moments), quantiles))
  return { exact, sampled_episodes: sampled, statistics }
}

interface ChangedRows {
  feature: NumericFeature
  column: NumericArray
  derived: DerivedFrames
  /** Episodes of the result that are looked at. */
  positions: Uint32Array
}

/** The values of each dimension as they will be, all episodes one after the other, and their moments. Other requests get their turns. */
async function changeEpisodes(model: ReadModel, { feature, column, derived, positions }: ChangedRows) {
  const width = countValues(feature.shape)
  const dimensionCount = countDimensions(feature)
  const isFloat = feature.dtype === 'float32' || feature.dtype === 'float64'
  const Values = feature.dtype === 'float32' ? Float32Array : Float64Array
  const { storedIndex, storedLength, frames } = derived
  let [valueCount, longest] = [0, 0]
  for (const position of positions) {
    const stored = storedLength[position] as number
    const kept = frames.get(position)
    valueCount += kept ? countKept(kept) : stored
    longest = Math.max(longest, stored)
  }
  const dimensions = Array.from({ length: dimensionCount }, () => new Values((valueCount * width) / dimensionCount))
  const moments = Array.from({ length: dimensionCount }, () => createMoments(1))
  const filled = new Uint32Array(dimensionCount)
  const [before, after, rounded] = [new Float64Array(longest), new Float64Array(longest), new Values(longest)]
  let turn = performance.now()
  for (const position of positions) {
    const from = (model.columns.fromIndex[storedIndex[position] as number] as number) * width
    for (let place = 0; place < width; place++) {
      const dimension = place % dimensionCount
      const [values, entry] = [dimensions[dimension] as Float64Array, moments[dimension] as Moments]
      const start = filled[dimension] as number
      const recorded = before.subarray(0, storedLength[position])
      takePlace(column, from + place, width, recorded)
      const own = replayColumn(recorded, feature.name, derived, position, (seen, plan) => {
        const changed = after.subarray(0, seen.length)
        plan.changeColumn(seen, place, 0, changed)
        // As they are stored, and as the next recipe would find them.
        rounded.set(isFloat ? changed : toDoubles(storeAs(feature, changed)))
        const results = before.subarray(0, seen.length)
        results.set(rounded.subarray(0, seen.length))
        return results
      })
      values.set(own, start)
      addValues(entry, own, place === dimension ? own.length : 0)
      filled[dimension] = start + own.length
    }
    if (performance.now() - turn < turnMilliseconds) continue
    await setImmediate()
    turn = performance.now()
  }
  return { dimensions, moments }
}

const probabilities = quantileNames.map((name) => quantileLevels[name])

/** One number of each frame, from the place of the first one on. */
function takePlace(column: NumericArray, from: number, width: number, into: Float64Array): void {
  for (let row = 0; row < into.length; row++) into[row] = Number(column[from + row * width])
}

/** Moments of single dimensions as those of one feature. */
function joinMoments(parts: readonly Moments[]): Moments {
  const join = (pick: (part: Moments) => Float64Array) => Float64Array.from(parts, (part) => pick(part)[0] as number)
  return {
    frameCount: parts[0]?.frameCount ?? 0,
    notFiniteCount: parts.reduce((sum, { notFiniteCount }) => sum + notFiniteCount, 0),
    valueCount: join(({ valueCount }) => valueCount),
    min: join(({ min }) => min),
    max: join(({ max }) => max),
    mean: join(({ mean }) => mean),
    squares: join(({ squares }) => squares),
  }
}

const readStored = (stored: Record<string, unknown>): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(stored).map(([key, values]) => [key, Array.isArray(values) ? values.map(Number) : []]),
  )

const copy = (statistics: Record<string, readonly number[]>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(statistics).map(([key, values]) => [key, [...values]]))
