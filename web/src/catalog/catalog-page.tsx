import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import './catalog.css'
import { useWorkspace } from '../app/workspace.ts'
import { Button, Field, Kbd, Segmented } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, formatCount, formatShortDuration, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { signIn, useSession } from '../sign-in/sign-in.ts'
import { CatalogList } from './catalog-list.tsx'
import { DatasetCard } from './dataset-card.tsx'
import { FacetList } from './facet-list.tsx'
import { browsePagesQuery, browseQuery } from './queries.ts'
import { type CatalogSearch, type FacetKey, facets, nameFacetValue } from './search.ts'

const routeApi = getRouteApi('/')

export function CatalogPage() {
  const search = routeApi.useSearch()
  const navigate = routeApi.useNavigate()
  const { view, ...filter } = search
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
  const first = pages.data?.pages[0]
  const items = pages.data?.pages.flatMap((page) => page.items) ?? []
  const chosen = facets.flatMap(({ key }) => (search[key] === undefined ? [] : [{ key, value: search[key] }]))
  const list = (
    <FacetList found={first?.facets} search={search} onChange={(key: FacetKey, value) => change({ [key]: value })} />
  )
  return (
    <div className="cat">
      <aside className="facets desk" aria-label="Filters">
        {list}
      </aside>
      <section className="cat-main">
        <div className="cat-head">
          <h1>Catalog</h1>
          <Field
            label="Name, task, robot or tag"
            placeholder="Name, task, robot or tag"
            type="search"
            icon="search"
            className="fill"
            style={{ maxWidth: 420 }}
            data-page-search
            value={text}
            onChange={(event) => setText(event.target.value)}
            hint={
              <span className="desk">
                <Kbd>/</Kbd>
              </span>
            }
          />
          <Button className="mob" icon="filter" onClick={() => setSheetOpen(true)}>
            Filter
            {chosen.length > 0 && <span className="count">{chosen.length}</span>}
          </Button>
          <span className="end row desk">
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
        <div className="cat-sum" aria-live="polite">
          {first && <Totals items={items} total={first.total ?? items.length} isWhole={!pages.hasNextPage} />}
          {chosen.length > 0 && (
            <span className="row gap-1.5">
              {chosen.map(({ key, value }) => (
                <button type="button" className="chip pick" key={key} onClick={() => change({ [key]: undefined })}>
                  {nameFacetValue(key, value)}
                  <Icon name="close" />
                  <span className="vh">, drop this filter</span>
                </button>
              ))}
              <button
                type="button"
                className="lk"
                onClick={() => change({ robot_type: undefined, task: undefined, tag: undefined, size: undefined })}
              >
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
        {view === 'list' ? (
          <CatalogList items={items} />
        ) : (
          <div className="cards">
            {items.map((item) => (
              <DatasetCard key={item.id} item={item} />
            ))}
          </div>
        )}
        {pages.hasNextPage && <More onSeen={() => void pages.fetchNextPage()} />}
      </section>
      <Dialog title="Filter" open={isSheetOpen} onClose={() => setSheetOpen(false)} sheet="full">
        {list}
        <Button look="primary" className="w-full" onClick={() => setSheetOpen(false)}>
          Show {formatCount(first?.total ?? items.length)}
        </Button>
      </Dialog>
    </div>
  )
}

const ViewSymbol = ({ name, text }: { name: 'grid' | 'list'; text: string }) => (
  <>
    <Icon name={name} small />
    <span className="vh">{text}</span>
  </>
)

interface TotalsProps {
  items: readonly { total_episodes: number; total_seconds: number; size_bytes: number }[]
  total: number
  isWhole: boolean
}

function Totals({ items, total, isWhole }: TotalsProps) {
  const sum = (read: (item: TotalsProps['items'][number]) => number) => items.reduce((all, item) => all + read(item), 0)
  return (
    <>
      <span>
        <b>{formatCount(total)}</b> {total === 1 ? 'dataset' : 'datasets'}
      </span>
      {isWhole && total > 0 && (
        <>
          <span>
            <b>{formatCount(sum((item) => item.total_episodes))}</b> episodes
          </span>
          <span>
            <b>{formatShortDuration(sum((item) => item.total_seconds))}</b> recorded
          </span>
          <span className="desk">
            <b>{formatBytes(sum((item) => item.size_bytes))}</b>
          </span>
        </>
      )}
    </>
  )
}

interface NothingMatchesProps {
  search: CatalogSearch
  chosen: { key: FacetKey; value: string }[]
  onChange(next: Partial<CatalogSearch>): void
  onClearText(): void
}

/** Says which filter to drop and how many it would give. */
function NothingMatches({ search, chosen, onChange, onClearText }: NothingMatchesProps) {
  const session = useSession()
  const workspace = useWorkspace()
  const last = chosen.at(-1)
  const { view: _, ...filter } = search
  const without = useQuery({
    ...browseQuery(last ? { ...filter, [last.key]: undefined } : {}),
    enabled: last !== undefined || search.q !== undefined,
  })
  if (!last && !search.q)
    return (
      <Empty
        title="The catalog is empty"
        actions={
          workspace ? (
            <Link
              className="btn pri"
              to="/orgs/$org/projects/$project/imports"
              params={{ org: workspace.org, project: workspace.project }}
            >
              Import a dataset
            </Link>
          ) : session === 'signed-in' ? null : (
            <Button look="primary" onClick={() => void signIn()}>
              Sign in
            </Button>
          )
        }
      >
        Datasets that a project publishes stand here for everybody. A new dataset is private until an admin publishes
        it.
      </Empty>
    )
  const count = without.data?.total ?? without.data?.items.length
  return (
    <Empty
      title={`No dataset matches${search.q ? ` “${search.q}”` : ''}${last ? ` with ${nameFacetValue(last.key, last.value)}` : ''}`}
      actions={
        <>
          {last && <Button onClick={() => onChange({ [last.key]: undefined })}>Drop that filter</Button>}
          <Button
            look="ghost"
            onClick={() => {
              onClearText()
              onChange({ q: undefined, robot_type: undefined, task: undefined, tag: undefined, size: undefined })
            }}
          >
            Clear all
          </Button>
        </>
      }
    >
      {last && count !== undefined && `${plural(count, 'dataset matches', 'match')} without that filter.`}
    </Empty>
  )
}

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
  return <div ref={ref} style={{ height: 1 }} />
}

const CardSkeletons = () => (
  <div className="cards late" role="status" aria-label="Loading">
    {[1, 2, 3, 4, 5, 6, 7, 8].map((n) => (
      <div key={n}>
        <div className="sk" style={{ aspectRatio: '16/10' }} />
        <div className="sk mt-px" style={{ height: 26 }} />
        <div className="sk mt-2" style={{ height: 14, width: '60%' }} />
        <div className="sk mt-2" style={{ height: 12, width: '40%' }} />
      </div>
    ))}
  </div>
)
