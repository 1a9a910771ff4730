import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { BrowseView } from '../browsing/browse-view.tsx'
import type { CatalogSearch } from '../browsing/search.ts'
import { browseCountsQuery, browsePagesQuery } from '../data/catalog.ts'
import { Failure } from '../parts/states.tsx'
import { NothingMatches } from './nothing-matches.tsx'
import { OwnProjects } from './own-projects.tsx'

const routeApi = getRouteApi('/')

export function CatalogPage() {
  const search = routeApi.useSearch()
  const navigate = routeApi.useNavigate()
  const { view: _, measure: __, ...filter } = search
  const pages = useInfiniteQuery({ ...browsePagesQuery(filter), placeholderData: keepPreviousData })
  const counts = useQuery({ ...browseCountsQuery(filter), placeholderData: keepPreviousData })
  const isWhole = Object.values({ ...filter, sort: undefined }).every((value) => value === undefined)
  const change = (next: Partial<CatalogSearch>) =>
    void navigate({ search: (old: CatalogSearch) => ({ ...old, ...next }), replace: true })
  return (
    <BrowseView
      title="Catalog"
      search={search}
      onSearch={change}
      found={counts.data}
      items={pages.data?.pages.flatMap((page) => page.items) ?? []}
      isPending={pages.isPending}
      isLoaded={pages.data !== undefined}
      renderEmpty={(chosen, clearText) => (
        <NothingMatches search={search} chosen={chosen} onChange={change} onClearText={clearText} />
      )}
      onEnd={pages.hasNextPage ? () => void pages.fetchNextPage() : undefined}
    >
      {isWhole && <OwnProjects />}
      {pages.error && (
        <Failure
          error={pages.error}
          what="The catalog did not load"
          onRetry={() => void pages.refetch()}
          shownFrom={pages.data ? pages.dataUpdatedAt : undefined}
        />
      )}
    </BrowseView>
  )
}
