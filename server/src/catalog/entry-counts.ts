import { binCount, type EntryColumns, edgeOf, type FacetColumn } from './entry-columns.ts'
import {
  type BrowseFilter,
  type FacetName,
  facetNames,
  type MeasureName,
  measureNames,
  type Range,
} from './repository.ts'

interface FacetCount {
  value: string
  count: number
}

export interface EntryCounts {
  total: number
  totals: { episodes: number; seconds: number; bytes: number }
  facets: Record<FacetName, FacetCount[]>
  histograms: Record<MeasureName, { low: number; high: number; count: number }[]>
}

const facetLength = 20

/**
 * How many entries each value would leave, by the other filters: its own is not counted in, so that one can change one's mind.
 * `isMatched` marks the entries that have the words; without it all have.
 */
export function countColumns(columns: EntryColumns, filter: BrowseFilter, isMatched?: Uint8Array): EntryCounts {
  const facets = facetNames.map((name, at) => ({
    bit: 1 << at,
    ...columns.facets[name],
    counts: countsOf(columns, name),
  }))
  const measures = measureNames.map((name, at) => ({
    bit: 1 << (facetNames.length + at),
    ...columns.measures[name],
    counts: new Uint32Array(binCount),
  }))
  const fails = listTests(columns, filter)
  const sums = { total: 0, episodes: 0, seconds: 0, bytes: 0 }
  for (let at = 0; at < columns.count; at++) {
    if (isMatched?.[at] === 0) continue
    let failed = 0
    for (const { bit, test } of fails) if (!test(at)) failed |= bit
    // What fails by two filters is left by no change of one of them.
    if ((failed & (failed - 1)) !== 0) continue
    for (const { bit, starts, codes, counts } of facets) {
      if (failed !== 0 && failed !== bit) continue
      const end = starts[at + 1] as number
      for (let place = starts[at] as number; place < end; place++) (counts[codes[place] as number] as number)++
    }
    for (const { bit, bins, counts } of measures)
      if (failed === 0 || failed === bit) (counts[bins[at] as number] as number)++
    if (failed !== 0) continue
    sums.total++
    for (const name of measureNames) sums[name] += columns.measures[name].values[at] as number
  }
  const { total, ...totals } = sums
  return {
    total,
    totals,
    facets: byName(facetNames, (_, at) => pickMost(facets[at] as FacetColumn & { counts: Uint32Array })),
    histograms: byName(measureNames, (_, at) => listBins((measures[at] as { counts: Uint32Array }).counts)),
  }
}

const countsOf = (columns: EntryColumns, name: FacetName): Uint32Array =>
  new Uint32Array(columns.facets[name].names.length)

const byName = <Name extends string, Value>(names: readonly Name[], make: (name: Name, at: number) => Value) =>
  Object.fromEntries(names.map((name, at) => [name, make(name, at)])) as Record<Name, Value>

/** A test for each filter that is set, with its bit. */
function listTests(columns: EntryColumns, filter: BrowseFilter): { bit: number; test(at: number): boolean }[] {
  const ofFacets = facetNames.flatMap((name, index) => {
    const value = filter.facets[name]
    if (value === undefined) return []
    const { starts, codes, codeOf } = columns.facets[name]
    const code = codeOf.get(value)
    const test = (at: number): boolean => {
      for (let place = starts[at] as number; place < (starts[at + 1] as number); place++)
        if (codes[place] === code) return true
      return false
    }
    return [{ bit: 1 << index, test }]
  })
  const ofMeasures = measureNames.flatMap((name, index) => {
    const range = filter.ranges[name]
    if (!range) return []
    const { values } = columns.measures[name]
    return [{ bit: 1 << (facetNames.length + index), test: (at: number) => isInside(values[at] as number, range) }]
  })
  return [...ofFacets, ...ofMeasures]
}

const isInside = (value: number, { low = 0, high = Number.POSITIVE_INFINITY }: Range): boolean =>
  value >= low && value <= high

/** Most frequent first, equal ones by name. */
function pickMost({ names, counts }: FacetColumn & { counts: Uint32Array }): FacetCount[] {
  const most: FacetCount[] = []
  const isBefore = (one: FacetCount, other: FacetCount): boolean =>
    one.count > other.count || (one.count === other.count && one.value < other.value)
  for (const [code, count] of counts.entries()) {
    const last = most[facetLength - 1]
    if (count === 0 || (last && count < last.count)) continue
    const entry = { value: names[code] as string, count }
    const place = most.findIndex((one) => isBefore(entry, one))
    most.splice(place < 0 ? most.length : place, 0, entry)
    most.length = Math.min(most.length, facetLength)
  }
  return most
}

const listBins = (counts: Uint32Array) =>
  [...counts].flatMap((count, bin) => (count === 0 ? [] : [{ low: edgeOf(bin), high: edgeOf(bin + 1), count }]))
