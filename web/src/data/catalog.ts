import type { BrowseCatalogAnswer, BrowseCatalogInput } from '@nmp/sdk/generated/catalog'
import type { CatalogEntry } from '@nmp/sdk/generated/records'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export type CatalogItem = CatalogEntry
/** What a card shows of a dataset. */
export type CardItem = Pick<
  CatalogItem,
  | 'id'
  | 'title'
  | 'org_slug'
  | 'robot_type'
  | 'tags'
  | 'total_episodes'
  | 'total_seconds'
  | 'camera_keys'
  | 'length_histogram'
  | 'size_bytes'
  | 'poster_url'
> & {
  /** In a list of a project, where the owner is known; pictures of private ones are fetched with the session. */
  seenBy?: 'Private' | 'Public'
}
export type BrowsePage = BrowseCatalogAnswer
export type Facet = NonNullable<BrowsePage['facets']>['tag'][number]
export type BrowseFilter = Omit<BrowseCatalogInput, 'limit' | 'cursor' | 'counts'>

/** An empty catalog is looked at again: the first dataset is published while one waits for it. */
const emptyAgainMs = 5000

export const browseQuery = (filter: BrowseFilter) =>
  queryOptions({
    queryKey: ['catalog', 'jump', filter],
    queryFn: ({ signal }) => client.catalog.browseCatalog({ ...filter, counts: false, limit: 20 }, { signal }),
  })

/** What is known of all that the filters leave: asked for beside the pages, which wait for no count. */
export const browseCountsQuery = ({ sort: _, ...filter }: BrowseFilter) =>
  queryOptions({
    queryKey: ['catalog', 'counts', filter],
    queryFn: ({ signal }) => client.catalog.browseCatalog({ ...filter, limit: 1 }, { signal }),
    refetchInterval: (query) => (query.state.data?.total === 0 ? emptyAgainMs : false),
  })

export const browsePagesQuery = (filter: BrowseFilter) =>
  infiniteQueryOptions({
    queryKey: ['catalog', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      client.catalog.browseCatalog({ ...filter, counts: false, cursor: pageParam, limit: 48 }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: BrowsePage) => page.next_cursor ?? undefined,
    refetchInterval: (query) => (query.state.data?.pages[0]?.items.length === 0 ? emptyAgainMs : false),
  })
