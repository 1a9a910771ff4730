/** What a source says of a feature, as far as it is held against the numbers themselves; by dimension. */
export type StatedFeature = Readonly<Partial<Record<StatedName, readonly number[]>>>

/** By feature, as the source names it. */
export type StatedStatistics = ReadonlyMap<string, StatedFeature>

/** The columns whose statistics normalise what a policy reads and gives. */
export const statedFeatures = ['observation.state', 'action'] as const

/** In the order in which they have to be, from the lowest to the highest. */
export const ascending = ['min', 'q01', 'q10', 'q50', 'q90', 'q99', 'max'] as const
const compared = ['min', 'max', 'mean'] as const
export type StatedName = (typeof ascending)[number] | 'mean'
const statedNames: readonly StatedName[] = [...ascending, 'mean']

/** Of the range: programs add up in single precision, and find quantiles in bins. */
const nearShare = 0.01

/** Of the block of one feature in stats.json, a line of episodes_stats.jsonl or a row of meta/episodes; what is no list of numbers is left out. */
export function takeStated(block: Readonly<Record<string, unknown>>): StatedFeature {
  const isNumbers = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number')
  return Object.fromEntries(statedNames.flatMap((name) => (isNumbers(block[name]) ? [[name, block[name]]] : [])))
}

/** Two statistics of a dimension that are in the wrong order, in words; undefined where none are. */
export function findDisorder(stated: StatedFeature): string | undefined {
  const order = ascending.filter((name) => stated[name])
  const pairs = [
    ...order.slice(1).map((name, at) => [order[at] as StatedName, name] as const),
    ['min', 'mean'] as const,
    ['mean', 'max'] as const,
  ]
  for (const [lower, higher] of pairs) {
    const [low, high] = [stated[lower], stated[higher]]
    if (!low || !high) continue
    for (const [dimension, value] of low.entries()) {
      const other = high[dimension]
      if (other === undefined || !(value - other > nearShare * findSpread(stated, dimension) + 1e-6)) continue
      return `${lower} of dimension ${dimension} is ${round(value)} and ${higher} ${round(other)}`
    }
  }
  return undefined
}

/** How far apart the lowest and the highest of a dimension are: programs that count in bins are off by a part of that. */
function findSpread(stated: StatedFeature, dimension: number): number {
  const values = ascending.flatMap((name) => stated[name]?.[dimension] ?? [])
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values)
}

/** What the numbers themselves are; by dimension. */
export interface MeasuredFeature {
  readonly min: ArrayLike<number>
  readonly max: ArrayLike<number>
  readonly mean: ArrayLike<number>
}

/** The first statistic that contradicts the numbers, in words; undefined where all agree. */
export function findContradiction(stated: StatedFeature, measured: MeasuredFeature): string | undefined {
  for (const name of compared) {
    for (const [dimension, value] of stated[name]?.entries() ?? []) {
      const [own, low, high] = [measured[name][dimension], measured.min[dimension], measured.max[dimension]]
      if (own === undefined || low === undefined || high === undefined || !Number.isFinite(own)) continue
      const near = nearShare * (high - low) + 1e-4 * Math.max(Math.abs(low), Math.abs(high)) + 1e-9
      if (Math.abs(value - own) > near)
        return `${name} of dimension ${dimension} is stated as ${round(value)} and is ${round(own)}`
    }
  }
  return undefined
}

const round = (value: number): number => Number(value.toPrecision(4))
