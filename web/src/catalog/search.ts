/** All filters of the catalog stand in the address. */
export interface CatalogSearch {
  q?: string | undefined
  robot_type?: string | undefined
  task?: string | undefined
  tag?: string | undefined
  size?: string | undefined
  view?: 'list' | undefined
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

export const readCatalogSearch = (search: Record<string, unknown>): CatalogSearch => ({
  q: text(search.q),
  robot_type: text(search.robot_type),
  task: text(search.task),
  tag: text(search.tag),
  size: text(search.size),
  view: search.view === 'list' ? 'list' : undefined,
})

export const facets = [
  { key: 'robot_type', title: 'Robot type' },
  { key: 'task', title: 'Task' },
  { key: 'tag', title: 'Tags' },
  { key: 'size', title: 'Episodes' },
] as const
export type FacetKey = (typeof facets)[number]['key']

const sizeNames: Record<string, string> = {
  'under-100': 'under 100',
  '100-to-1k': '100 to 1,000',
  '1k-to-10k': '1,000 to 10,000',
  'over-10k': '10,000 or more',
}

export const nameFacetValue = (key: FacetKey, value: string): string =>
  key === 'size' ? (sizeNames[value] ?? value) : value
