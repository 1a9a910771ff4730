import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { BrowsePage, CardItem } from '../data/catalog.ts'
import { Button, Field, Kbd, Segmented } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck } from '../parts/menu.tsx'
import { type ChosenFilter, listChosen } from './chosen-filters.ts'
import { DatasetCard } from './dataset-card.tsx'
import { DatasetList } from './dataset-list.tsx'
import { FacetList } from './facet-list.tsx'
import { type CatalogSearch, noFilter, sorts } from './search.ts'
import './browse-view.css'

/** What is known of all that the filters leave. */
export type FoundDatasets = Pick<BrowsePage, 'total' | 'totals' | 'facets' | 'histograms'>

interface BrowseViewProps {
  title: string
  search: CatalogSearch
  onSearch(next: Partial<CatalogSearch>): void
  found: FoundDatasets | undefined
  items: readonly CardItem[]
  isPending: boolean
  /** Then a list without items is an empty one. */
  isLoaded: boolean
  /** Beside the title. */
  actions?: ReactNode
  /** Above the list: a failure, one's own projects. */
  children?: ReactNode
  /** In place of a list without items. */
  renderEmpty(chosen: readonly ChosenFilter[], clearText: () => void): ReactNode
  /** Drawn on a card and in a row of the list. */
  renderMark?: ((item: CardItem) => ReactNode) | undefined
  /** The end of the list has come near. */
  onEnd?: (() => void) | undefined
}

/** Datasets as cards or rows, with search, filters and sorting: the catalog's, and a project's. */
export function BrowseView(props: BrowseViewProps) {
  const {
    title,
    search,
    onSearch,
    found,
    items,
    isPending,
    isLoaded,
    actions,
    children,
    renderEmpty,
    renderMark,
    onEnd,
  } = props
  const [text, setText] = useState(search.q ?? '')
  const [isSheetOpen, setSheetOpen] = useState(false)
  useEffect(() => {
    document.title = `${title} · nmp`
  }, [title])
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((search.q ?? '') !== text.trim()) onSearch({ q: text.trim() || undefined })
    }, 200)
    return () => clearTimeout(timer)
  })
  // A table has no room there.
  const isSmall = matchMedia('(max-width: 640px)').matches
  const chosen = listChosen(search)
  const list = <FacetList found={found} search={search} onChange={onSearch} />
  const sorting = <SortMenu search={search} onChange={onSearch} />
  return (
    <div className="catalog">
      <aside className="facets desktop-only" aria-label="Filters">
        {list}
      </aside>
      <section className="catalog-main">
        <div className="catalog-head">
          <h1>{title}</h1>
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
              value={search.view === 'list' ? 'list' : 'grid'}
              onChange={(next) => onSearch({ view: next === 'list' ? 'list' : undefined })}
              options={[
                { value: 'grid', label: <ViewSymbol name="grid" text="Grid" />, title: 'Grid' },
                { value: 'list', label: <ViewSymbol name="list" text="List" />, title: 'List' },
              ]}
            />
          </span>
          {actions}
        </div>
        <div className="catalog-summary" aria-live="polite">
          {found && <Totals found={found} />}
          {chosen.length > 0 && (
            <span className="row gap-6 wrap">
              {chosen.map(({ name, without }) => (
                <button type="button" className="chip pick" key={name} onClick={() => onSearch(without)}>
                  {name}
                  <Icon name="close" />
                  <span className="visually-hidden">, drop this filter</span>
                </button>
              ))}
              <button type="button" className="link" onClick={() => onSearch(noFilter)}>
                Clear
              </button>
            </span>
          )}
        </div>
        {children}
        {isPending && <CardSkeletons />}
        {isLoaded && items.length === 0 && renderEmpty(chosen, () => setText(''))}
        {items.length === 0 ? null : search.view === 'list' && !isSmall ? (
          <DatasetList items={items} renderMark={renderMark} />
        ) : (
          <div className="dataset-cards">
            {items.map((item) => (
              <DatasetCard key={item.id} item={item} mark={renderMark?.(item)} />
            ))}
          </div>
        )}
        {onEnd && <More onSeen={onEnd} />}
      </section>
      <Dialog title="Filter" open={isSheetOpen} onClose={() => setSheetOpen(false)} sheet="full">
        <div className="below-16">{sorting}</div>
        {list}
        <div className="filter-sheet-end">
          <Button look="primary" className="full-width" onClick={() => setSheetOpen(false)}>
            Show {formatCount(found?.total ?? items.length)}
          </Button>
        </div>
      </Dialog>
    </div>
  )
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

const Totals = ({ found: { total, totals } }: { found: FoundDatasets }) => (
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
