import { countValues, type NumericArray, type NumericDtype } from '@nmp/formats/feature'
import { isObject } from '@nmp/formats/json'
import { countDimensions, presentStatistics } from '@nmp/formats/statistics/episode'
import type { Moments } from '@nmp/formats/statistics/moments'
import { type QuantileName, quantileNames } from '@nmp/formats/statistics/quantiles'
import { planAction } from '@nmp/formats/steps/action'
import type { Context } from '../../context.ts'
import { changesColumn } from '../../datasets/read-model/derivation.ts'
import type { FeatureEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { Revision } from '../../datasets/seen-dataset.ts'
import type { DerivedFrames } from '../derive/derive-frames.ts'
import { measureSelection } from '../derive/ordered-column.ts'
import { pickStatistics } from '../derive/picked-statistics.ts'
import { fitsInMemory, getColumn, getOrderedColumn, listNumericFeatures } from '../derive/source-columns.ts'
import { packChanges } from './measure-changed.ts'
import { measureInThreads } from './measure-threads.ts'

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
const unmeasured = { exact: false, sampled_episodes: 0, statistics: null }

type NumericFeature = FeatureEntry & { dtype: NumericDtype }

/** Additions that one preview may cost; beyond it some episodes stand for all, and the answer says so. */
const budget = 250_000_000
/** What taking, storing, counting and selecting a value costs, in additions. */
const costPerValue = 20
const maxDimensions = 512

/** Statistics of what a recipe would give, over every frame wherever that is affordable. */
export async function previewStatistics(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  derived: DerivedFrames,
  shown: readonly FeatureEntry[],
): Promise<PreviewedFeature[]> {
  const storedFeatures = listNumericFeatures(model.manifest.features)
  const place = { revision, model }
  let dimensions = 0
  const features = listNumericFeatures(shown).flatMap(({ name, names }) => {
    const column = derived.columns.get(name)
    const feature = storedFeatures.find((candidate) => candidate.name === (column?.name ?? name))
    if (!feature) return []
    dimensions += countValues(feature.shape)
    const isMeasured = dimensions <= maxDimensions && fitsInMemory(model, feature)
    return [{ name, names, column, feature, isMeasured }]
  })
  return Promise.all(
    features.map(async ({ name, names, column, feature, isMeasured }) => {
      const { statistics, ...how } = await findStatistics(context, place, derived, { feature, isMeasured })
      return { name, names, ...how, statistics: statistics && pickStatistics(statistics, column) }
    }),
  )
}

async function findStatistics(
  context: Context,
  { revision, model }: { revision: Revision; model: ReadModel },
  derived: DerivedFrames,
  { feature, isMeasured }: { feature: NumericFeature; isMeasured: boolean },
): Promise<Measured> {
  const isCut = derived.frames.size > 0
  const isWhole = !isCut && derived.storedIndex.length === model.episodeCount
  const changes = derived.changes.filter((change) => changesColumn(change, feature.name))
  const known = model.manifest.feature_statistics[feature.name]
  if (isWhole && changes.length === 0 && isObject(known)) return { ...exactly, statistics: readStored(known) }
  if (!isMeasured) return unmeasured
  if (changes.length > 0 || isCut) {
    const values = await getColumn(context, revision, model, feature)
    return measureChanged(model, feature, values, { ...derived, changes })
  }
  const ordered = await getOrderedColumn(context, revision, model, feature)
  const { moments, quantiles } = measureSelection(ordered, derived.storedIndex, model.episodeCount)
  return { ...exactly, statistics: copy(presentStatistics(moments, quantiles)) }
}

async function measureChanged(
  model: ReadModel,
  feature: NumericFeature,
  column: NumericArray,
  derived: DerivedFrames,
): Promise<Measured> {
  const width = countValues(feature.shape)
  const { storedIndex, storedLength } = derived
  const costs = derived.changes.map((change) =>
    change.kind === 'action' ? (planAction(change.settings)?.valueCost ?? 0) : 1,
  )
  const valueCost = costs.reduce((sum, cost) => sum + cost + costPerValue, costPerValue)
  const frameCount = storedLength.reduce((sum, length) => sum + length, 0)
  const step = Math.max(1, Math.ceil((frameCount * width * valueCost) / budget))
  const positions = Uint32Array.from(storedLength.keys()).filter((position) => position % step === 0)
  const measured = await measureInThreads({
    values: column,
    feature: { name: feature.name, dtype: feature.dtype },
    width,
    dimensionCount: countDimensions(feature),
    firstRow: Float64Array.from(positions, (position) => model.columns.fromIndex[storedIndex[position] as number] ?? 0),
    storedLength: positions.map((position) => storedLength[position] as number),
    ...packChanges(derived, positions),
  })
  const entries = quantileNames.map(
    (name, at) => [name, measured.map(({ quantiles }) => quantiles[at] as number)] as const,
  )
  const quantiles = Object.fromEntries(entries) as Record<QuantileName, number[]>
  const exact = step === 1
  const sampled = exact ? null : positions.length
  const statistics = copy(presentStatistics(joinMoments(measured.map(({ moments }) => moments)), quantiles))
  return { exact, sampled_episodes: sampled, statistics }
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
