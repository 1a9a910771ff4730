import { interpolate } from './quantiles.ts'

const binCount = 8192

/**
 * Exact quantiles without sorting: values are counted by where they lie between `min` and `max`, and only the few that share a bin with
 * a wanted rank are sorted. Values that are not finite take no part; `count` is how many are left, `min` and `max` theirs.
 */
export function selectQuantiles(
  values: Float32Array | Float64Array,
  { count, min, max }: { readonly count: number; readonly min: number; readonly max: number },
  probabilities: readonly number[],
): number[] {
  if (count === 0 || min === max) return probabilities.map(() => (count === 0 ? 0 : min))
  // A range beyond the doubles cannot be divided.
  const scale = Number.isFinite(max - min) && max - min > 1e-290 ? (binCount - 1) / (max - min) : 0
  const bins = countBins(values, min, scale)
  const ranks = listRanks(count, probabilities)
  const bounds = findBins(bins, ranks)
  const groups = gather(values, min, scale, bins, new Set(bounds.map(({ bin }) => bin)))
  const found = new Map(bounds.map(({ rank, bin, before }) => [rank, groups.get(bin)?.[rank - before] ?? 0]))
  return probabilities.map((probability) => interpolate(count, probability, (rank) => found.get(rank) ?? 0))
}

function countBins(values: Float32Array | Float64Array, min: number, scale: number): Uint32Array {
  const bins = new Uint32Array(binCount)
  for (let at = 0; at < values.length; at++) {
    const place = ((values[at] as number) - min) * scale
    // False for what is not finite.
    if (place >= 0 && place < binCount) bins[place | 0] = (bins[place | 0] as number) + 1
  }
  return bins
}

function listRanks(count: number, probabilities: readonly number[]): number[] {
  const ranks = new Set<number>()
  for (const probability of probabilities)
    interpolate(count, probability, (rank) => {
      ranks.add(rank)
      return 0
    })
  return [...ranks].sort((one, other) => one - other)
}

/** For each rank, ascending, the bin it lies in and how many values lie below that bin. */
function findBins(bins: Uint32Array, ranks: readonly number[]): { rank: number; bin: number; before: number }[] {
  let bin = 0
  let before = 0
  return ranks.map((rank) => {
    while (bin < binCount - 1 && before + (bins[bin] as number) <= rank) before += bins[bin++] as number
    return { rank, bin, before }
  })
}

/** The values of some bins, each sorted. */
function gather(
  values: Float32Array | Float64Array,
  min: number,
  scale: number,
  bins: Uint32Array,
  wanted: ReadonlySet<number>,
): Map<number, Float64Array> {
  const groups = new Map([...wanted].map((bin) => [bin, new Float64Array(bins[bin] as number)]))
  const filled = new Uint32Array(binCount)
  const isWanted = new Uint8Array(binCount)
  for (const bin of wanted) isWanted[bin] = 1
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    const place = (value - min) * scale
    if (!(place >= 0 && place < binCount) || isWanted[place | 0] === 0) continue
    const group = groups.get(place | 0) as Float64Array
    group[filled[place | 0] as number] = value
    filled[place | 0] = (filled[place | 0] as number) + 1
  }
  for (const group of groups.values()) if (!isConstant(group)) group.sort()
  return groups
}

/** Grippers and clipped actions have many equal values in one bin. */
const isConstant = (group: Float64Array): boolean => group.every((value) => value === group[0])
