import { useRef, useState } from 'react'
import type { BrowsePage, Facet } from '../data/catalog.ts'
import { Check } from '../parts/controls.tsx'
import { formatCount } from '../parts/formats.ts'
import { type CatalogSearch, type FacetKey, facets, nameFacetValue } from './search.ts'
import { SizeBrush } from './size-brush.tsx'
import './facet-list.css'

interface FacetListProps {
  found: Pick<BrowsePage, 'facets' | 'histograms'> | undefined
  search: CatalogSearch
  onChange(next: Partial<CatalogSearch>): void
}

const fewRows = 6

/** Values that no longer match stay greyed in their place, so that nothing jumps. */
export function FacetList({ found, search, onChange }: FacetListProps) {
  const [open, setOpen] = useState<ReadonlySet<FacetKey>>(new Set())
  const seen = useRef(new Map<FacetKey, string[]>())
  const rowsOf = (key: FacetKey): Facet[] => {
    const now = found?.facets?.[key] ?? []
    const known = seen.current.get(key) ?? []
    const order = [...known, ...now.map(({ value }) => value).filter((value) => !known.includes(value))]
    const chosen = search[key]
    if (chosen !== undefined && !order.includes(chosen)) order.push(chosen)
    if (key === 'cameras') order.sort()
    seen.current.set(key, order)
    return order.map((value) => now.find((one) => one.value === value) ?? { value, count: 0 })
  }
  return facets.map(({ key, title }) => {
    const rows = rowsOf(key)
    const most = Math.max(1, ...rows.map(({ count }) => count))
    const brush = key === 'cameras' && (
      <SizeBrush key="size" found={found?.histograms} search={search} onChange={onChange} />
    )
    if (rows.length === 0) return brush
    return [
      brush,
      <fieldset className="facet" key={key}>
        <legend>{title}</legend>
        {rows.slice(0, open.has(key) ? 20 : fewRows).map(({ value, count }) => (
          <label key={value} data-none={count === 0}>
            <Check
              checked={search[key] === value}
              onChange={(event) => onChange({ [key]: event.target.checked ? value : undefined })}
            />
            <span className="clip" title={value}>
              {nameFacetValue(key, value)}
            </span>
            {key !== 'task' && (
              <span className="facet-bar" aria-hidden="true">
                <i style={{ width: `${(count / most) * 100}%` }} />
              </span>
            )}
            <em>{formatCount(count)}</em>
          </label>
        ))}
        {rows.length > fewRows && !open.has(key) && (
          <button type="button" className="facet-more" onClick={() => setOpen(new Set([...open, key]))}>
            {rows.length - fewRows} more
            <span className="visually-hidden"> of {title}</span>
          </button>
        )}
      </fieldset>,
    ]
  })
}
