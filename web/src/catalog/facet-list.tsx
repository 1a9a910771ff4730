import { useRef } from 'react'
import { Check } from '../parts/controls.tsx'
import { formatCount } from '../parts/formats.ts'
import type { BrowsePage, Facet } from './queries.ts'
import { type CatalogSearch, type FacetKey, facets, nameFacetValue } from './search.ts'

interface FacetListProps {
  found: BrowsePage['facets']
  search: CatalogSearch
  onChange(key: FacetKey, value: string | undefined): void
}

/** Values that no longer match stay greyed in their place, so that nothing jumps. */
export function FacetList({ found, search, onChange }: FacetListProps) {
  const seen = useRef(new Map<FacetKey, string[]>())
  return facets.map(({ key, title }) => {
    const now = found?.[key] ?? []
    const known = seen.current.get(key) ?? []
    const order = [...known, ...now.map(({ value }) => value).filter((value) => !known.includes(value))]
    seen.current.set(key, order)
    const rows: Facet[] = order.map((value) => now.find((one) => one.value === value) ?? { value, count: 0 })
    const most = Math.max(1, ...rows.map(({ count }) => count))
    if (rows.length === 0) return null
    return (
      <fieldset className="facet" key={key}>
        <legend>{title}</legend>
        {rows.slice(0, 12).map(({ value, count }) => (
          <label key={value} data-none={count === 0}>
            <Check
              checked={search[key] === value}
              onChange={(event) => onChange(key, event.target.checked ? value : undefined)}
            />
            <span className="clip" title={value}>
              {nameFacetValue(key, value)}
            </span>
            <span className="facet-bar" aria-hidden="true">
              <i style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <em>{formatCount(count)}</em>
          </label>
        ))}
      </fieldset>
    )
  })
}
