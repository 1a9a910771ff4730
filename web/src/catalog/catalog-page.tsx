import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type BrowsePage, browsePagesQuery } from '../data/catalog.ts'
import { Button, Field, Kbd, Segmented } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck } from '../parts/menu.tsx'
import { Failure } from '../parts/states.tsx'
import { CatalogList } from './catalog-list.tsx'
import { DatasetCard } from './dataset-card.tsx'
import { FacetList } from './facet-list.tsx'
import { type ChosenFilter, NothingMatches } from './nothing-matches.tsx'
import { type CatalogSearch, facets, measures, nameFacetValue, noFilter, noRange, rangeOf, sorts } from './search.ts'
import { formatMeasure } from './size-brush.tsx'
import './catalog-page.css'

const routeApi = getRouteApi('/')

export function CatalogPage() {
  const search = routeApi.useSearch()
  const navigate = routeApi.useNavigate()
  const { view, measure: _, ...filter } = search
  const pages = useInfiniteQuery({ ...browsePagesQuery(filter), placeholderData: keepPreviousData })
  const [text, setText] = useState(search.q ?? '')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const change = (next: Partial<CatalogSearch>) =>
    void navigate({ search: (old: CatalogSearch) => ({ ...old, ...next }), replace: true })
  useEffect(() => {
    document.title = 'Catalog · nmp'
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((search.q ?? '') !== text.trim()) change({ q: text.trim() || undefined })
    }, 200)
    return () => clearTimeout(timer)
  })
  // A table has no room there.
  const isSmall = matchMedia('(max-width: 640px)').matches
  const first = pages.data?.pages[0]
  const items = pages.data?.pages.flatMap((page) => page.items) ?? []
  const chosen = listChosen(search)
  const list = <FacetList found={first} search={search} onChange={change} />
  const sorting = <SortMenu search={search} onChange={change} />
  return (
    <div className="catalog">
      <aside className="facets desktop-only" aria-label="Filters">
        {list}
      </aside>
      <section className="catalog-main">
        <div className="catalog-head">
          <h1>Catalog</h1>
          <Field
            label="Name, task, robot or tag"
            placeholder="Name, task, robot or tag"
            type="search"
            icon="search"
            className="fill max-width-420"
            data-page-search
            value={text}
            onChange={(event) => setText(event.target.value)}
            hint={
              <span className="desktop-only">
                <Kbd>/</Kbd>
              </span>
            }
          />
          <Button className="phone-only" icon="filter" onClick={() => setSheetOpen(true)}>
            Filter
            {chosen.length > 0 && <span className="count">{chosen.length}</span>}
          </Button>
          <span className="end row desktop-only">
            {sorting}
            <Segmented
              label="Show as"
              value={view === 'list' ? 'list' : 'grid'}
              onChange={(next) => change({ view: next === 'list' ? 'list' : undefined })}
              options={[
                { value: 'grid', label: <ViewSymbol name="grid" text="Grid" />, title: 'Grid' },
                { value: 'list', label: <ViewSymbol name="list" text="List" />, title: 'List' },
              ]}
            />
          </span>
        </div>
        <div className="catalog-summary" aria-live="polite">
          {first && <Totals page={first} />}
          {chosen.length > 0 && (
            <span className="row gap-6 wrap">
              {chosen.map(({ name, without }) => (
                <button type="button" className="chip pick" key={name} onClick={() => change(without)}>
                  {name}
                  <Icon name="close" />
                  <span className="visually-hidden">, drop this filter</span>
                </button>
              ))}
              <button type="button" className="link" onClick={() => change(noFilter)}>
                Clear
              </button>
            </span>
          )}
        </div>
        {pages.error && (
          <Failure
            error={pages.error}
            what="The catalog did not load"
            onRetry={() => void pages.refetch()}
            shownFrom={pages.data ? pages.dataUpdatedAt : undefined}
          />
        )}
        {pages.isPending && <CardSkeletons />}
        {first && items.length === 0 && (
          <NothingMatches search={search} chosen={chosen} onChange={change} onClearText={() => setText('')} />
        )}
        {items.length === 0 ? null : view === 'list' && !isSmall ? (
          <CatalogList items={items} />
        ) : (
          <div className="dataset-cards">
            {items.map((item) => (
              <DatasetCard key={item.id} item={item} />
            ))}
          </div>
        )}
        {pages.hasNextPage && <More onSeen={() => void pages.fetchNextPage()} />}
      </section>
      <Dialog title="Filter" open={isSheetOpen} onClose={() => setSheetOpen(false)} sheet="full">
        <div className="below-16">{sorting}</div>
        {list}
        <div className="filter-sheet-end">
          <Button look="primary" className="full-width" onClick={() => setSheetOpen(false)}>
            Show {formatCount(first?.total ?? items.length)}
          </Button>
        </div>
      </Dialog>
    </div>
  )
}

function listChosen(search: CatalogSearch): ChosenFilter[] {
  const values = facets.flatMap(({ key, title }) => {
    const value = search[key]
    if (value === undefined) return []
    const name = nameFacetValue(key, value)
    return [{ name: key === 'cameras' ? `${title} ${name}` : name, without: { [key]: undefined } }]
  })
  const ranges = measures.flatMap((measure) => {
    const range = rangeOf(search, measure)
    if (!range) return []
    const unit = measure === 'episodes' ? ' episodes' : ''
    const [low, high] = [formatMeasure(measure, range.low), range.high && formatMeasure(measure, range.high)]
    const name = high === undefined ? `${low}${unit} or more` : `${low} to ${high}${unit}`
    return [{ name, without: noRange(measure) }]
  })
  return [...values, ...ranges]
}

interface SortMenuProps {
  search: CatalogSearch
  onChange(next: Partial<CatalogSearch>): void
}

function SortMenu({ search, onChange }: SortMenuProps) {
  const current = sorts.find(({ value }) => value === search.sort) ?? sorts[0]
  return (
    <Menu
      align="end"
      trigger={
        <Button>
          <span className="dim">Sort</span> {current.label}
          <Icon name="down" small />
        </Button>
      }
    >
      {sorts.map(({ value, label }) => (
        <MenuCheck
          key={value}
          checked={value === current.value}
          onChange={() => onChange({ sort: value === 'newest' ? undefined : value })}
        >
          {label}
        </MenuCheck>
      ))}
    </Menu>
  )
}

const ViewSymbol = ({ name, text }: { name: 'grid' | 'list'; text: string }) => (
  <>
    <Icon name={name} small />
    <span className="visually-hidden">{text}</span>
  </>
)

const Totals = ({ page: { total, totals } }: { page: BrowsePage }) => (
  <>
    <span>
      <b>{formatCount(total ?? 0)}</b> {total === 1 ? 'dataset' : 'datasets'}
    </span>
    {totals && total !== null && total > 0 && (
      <>
        <span>
          <b>{formatCount(totals.episodes)}</b> {totals.episodes === 1 ? 'episode' : 'episodes'}
        </span>
        <span>
          <b>{formatShortDuration(totals.seconds)}</b> recorded
        </span>
        <span className="desktop-only">
          <b>{formatBytes(totals.bytes)}</b>
        </span>
      </>
    )}
  </>
)

/** Asks for the next page when its end comes near. */
function More({ onSeen }: { onSeen(): void }) {
  const ref = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    if (!ref.current) return
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) seen.current()
      },
      { rootMargin: '600px' },
    )
    watcher.observe(ref.current)
    return () => watcher.disconnect()
  }, [])
  return <div ref={ref} className="height-1" />
}

const CardSkeletons = () => (
  <div className="dataset-cards late" role="status" aria-label="Loading">
    {[1, 2, 3, 4, 5, 6, 7, 8].map((n) => (
      <div key={n}>
        <div className="skeleton skeleton-poster" />
        <div className="skeleton above-1 height-26" />
        <div className="skeleton above-8 height-14 width-60-percent" />
        <div className="skeleton above-8 height-12 width-40-percent" />
      </div>
    ))}
  </div>
)
