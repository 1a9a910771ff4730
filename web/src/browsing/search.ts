import type { BrowseFilter } from '../data/catalog.ts'

/** All filters of the catalog stand in the address. */
export interface CatalogSearch extends BrowseFilter {
  view?: 'list' | undefined
  /** What the histogram of sizes counts; hours when absent. */
  measure?: 'bytes' | 'episodes' | undefined
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
/** Bins end at fractions; bytes and episodes are whole. */
const bound = (value: unknown, round = (number: number) => number): number | undefined => {
  const number = Number(value)
  return text(value) !== undefined && Number.isFinite(number) && number >= 0 ? round(number) : undefined
}
const choice = <const T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === String(value))

export const sorts = [
  { value: 'newest', label: 'Newest' },
  { value: 'name', label: 'Name' },
  { value: 'recorded', label: 'Most recorded' },
  { value: 'episodes', label: 'Most episodes' },
  { value: 'size', label: 'Largest' },
] as const

export const readCatalogSearch = (search: Record<string, unknown>): CatalogSearch => {
  const sort = choice(
    sorts.map(({ value }) => value),
    search.sort,
  )
  return {
    q: text(search.q),
    robot_type: text(search.robot_type),
    task: text(search.task),
    tag: text(search.tag),
    cameras: choice(['0', '1', '2', '3', '4-or-more'], search.cameras),
    source_kind: text(search.source_kind),
    min_seconds: bound(search.min_seconds),
    max_seconds: bound(search.max_seconds),
    min_bytes: bound(search.min_bytes, Math.ceil),
    max_bytes: bound(search.max_bytes, Math.floor),
    min_episodes: bound(search.min_episodes, Math.ceil),
    max_episodes: bound(search.max_episodes, Math.floor),
    sort: sort === 'newest' ? undefined : sort,
    view: search.view === 'list' ? 'list' : undefined,
    measure: choice(['bytes', 'episodes'], search.measure),
  }
}

export const facets = [
  { key: 'robot_type', title: 'Robot type' },
  { key: 'task', title: 'Task' },
  { key: 'tag', title: 'Tags' },
  { key: 'cameras', title: 'Cameras' },
  { key: 'source_kind', title: 'Source' },
] as const
export type FacetKey = (typeof facets)[number]['key']

const names: Record<string, string> = {
  '4-or-more': '4 or more',
  huggingface: 'Hugging Face',
  hdf5: 'HDF5',
  lerobot: 'LeRobot folder',
}

export const nameFacetValue = (key: FacetKey, value: string): string =>
  key === 'cameras' || key === 'source_kind' ? (names[value] ?? value) : value

export const measures = ['seconds', 'bytes', 'episodes'] as const
export type Measure = (typeof measures)[number]

export const rangeOf = (
  search: CatalogSearch,
  measure: Measure,
): { low: number; high: number | undefined } | undefined => {
  const [low, high] = [search[`min_${measure}`], search[`max_${measure}`]]
  return low === undefined && high === undefined ? undefined : { low: low ?? 0, high }
}

export const noRange = (measure: Measure): Partial<CatalogSearch> => ({
  [`min_${measure}`]: undefined,
  [`max_${measure}`]: undefined,
})

/** Nothing chosen; how it is shown stays. */
export const noFilter: Partial<CatalogSearch> = {
  ...Object.fromEntries(facets.map(({ key }) => [key, undefined])),
  ...Object.assign({}, ...measures.map(noRange)),
}
