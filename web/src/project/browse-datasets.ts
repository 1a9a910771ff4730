import type { ProjectDataset } from '@nmp/sdk/generated/records'
import type { FoundDatasets } from '../browsing/browse-view.tsx'
import { type CatalogSearch, type FacetKey, facets, type Measure, measures } from '../browsing/search.ts'

/** The datasets of a project that a search leaves, and what the filters would: as the catalog answers, but of a list that is all here. */
export function browseDatasets(all: readonly ProjectDataset[], search: CatalogSearch) {
  const entries = all.map((dataset) => ({ dataset, words: splitWords(textOf(dataset)) }))
  const leave = (without: Partial<CatalogSearch>) => {
    const passes = passOf({ ...search, ...without })
    return entries.filter(passes).map(({ dataset }) => dataset)
  }
  const items = leave({}).sort(orders[search.sort ?? 'newest'])
  const sum = (measure: Measure) => items.reduce((total, dataset) => total + amountOf[measure](dataset), 0)
  const found: FoundDatasets = {
    total: items.length,
    totals: { episodes: sum('episodes'), seconds: sum('seconds'), bytes: sum('bytes') },
    facets: {
      ...(Object.fromEntries(
        facets.map(({ key }) => [key, countValues(leave({ [key]: undefined }).flatMap(valuesOf[key]))]),
      ) as Record<FacetKey, Count[]>),
      size: [],
    },
    histograms: Object.fromEntries(
      measures.map((measure) => [
        measure,
        countBins(leave({ [`min_${measure}`]: undefined, [`max_${measure}`]: undefined }).map(amountOf[measure])),
      ]),
    ) as NonNullable<FoundDatasets['histograms']>,
  }
  return { items, found }
}

interface Count {
  value: string
  count: number
}

const textOf = ({ title, slug, tags, tasks, robot_type, embodiment, description }: ProjectDataset): string =>
  [title, slug, ...tags, ...tasks, robot_type ?? '', embodiment ?? '', description].join(' ')

const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')

const valuesOf: Record<FacetKey, (dataset: ProjectDataset) => string[]> = {
  robot_type: ({ robot_type }) => (robot_type ? [robot_type] : []),
  task: ({ tasks }) => tasks,
  tag: ({ tags }) => tags,
  cameras: ({ camera_keys: { length } }) => [length > 3 ? '4-or-more' : String(length)],
  source_kind: ({ source_kind }) => [source_kind],
}

const amountOf: Record<Measure, (dataset: ProjectDataset) => number> = {
  seconds: ({ total_seconds }) => total_seconds,
  bytes: ({ size_bytes }) => size_bytes,
  episodes: ({ total_episodes }) => total_episodes,
}

/** Each word must begin one of the dataset's. */
function passOf(search: CatalogSearch) {
  const wanted = splitWords(search.q ?? '')
  return ({ dataset, words }: { dataset: ProjectDataset; words: readonly string[] }): boolean =>
    wanted.every((start) => words.some((word) => word.startsWith(start))) &&
    facets.every(({ key }) => {
      const value = search[key]
      return value === undefined || valuesOf[key](dataset).includes(value)
    }) &&
    measures.every((measure) => {
      const amount = amountOf[measure](dataset)
      return (
        amount >= (search[`min_${measure}`] ?? 0) && amount <= (search[`max_${measure}`] ?? Number.POSITIVE_INFINITY)
      )
    })
}

const orders: Record<NonNullable<CatalogSearch['sort']>, (a: ProjectDataset, b: ProjectDataset) => number> = {
  newest: (a, b) => b.created_at.localeCompare(a.created_at),
  name: (a, b) => a.title.localeCompare(b.title),
  recorded: (a, b) => b.total_seconds - a.total_seconds,
  episodes: (a, b) => b.total_episodes - a.total_episodes,
  size: (a, b) => b.size_bytes - a.size_bytes,
}

function countValues(values: readonly string[]): Count[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
    .slice(0, 20)
}

/** Bins of half a power of ten, as the catalog has them; the first holds all below one, too. */
function countBins(amounts: readonly number[]): { low: number; high: number; count: number }[] {
  const counts = new Map<number, number>()
  for (const amount of amounts) {
    const bin = Math.floor(Math.log10(Math.max(amount, 1)) * 2)
    counts.set(bin, (counts.get(bin) ?? 0) + 1)
  }
  const edgeOf = (bin: number) => (bin === 0 ? 0 : Number((10 ** (bin / 2)).toPrecision(6)))
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([bin, count]) => ({ low: edgeOf(bin), high: edgeOf(bin + 1), count }))
}
