import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../app/keys.ts'
import type { EpisodesSearch } from '../app/router.tsx'
import { setSelection, toggleSelected, useSelection } from '../app/selection.ts'
import { canEdit } from '../app/workspace.ts'
import { Check, Field, Kbd, Segmented } from '../parts/controls.tsx'
import { formatCount } from '../parts/formats.ts'
import { Empty, Failure } from '../parts/states.tsx'
import { EpisodeRow } from './episode-row.tsx'
import { EpisodesHead } from './episodes-head.tsx'
import { type Flag, useFlagging, useFlags } from './flags-query.ts'
import { insightsQuery } from './insights-query.ts'
import { type Episode, episodesQuery, filteringQuery, useManifest } from './queries.ts'

const routeApi = getRouteApi('/datasets/$datasetId/')
const pageSize = 50

/** Ten thousand rows scroll without blanks: rows have one height, pages of fifty come ahead of the eye. */
export function EpisodesTab() {
  const { datasetId } = routeApi.useParams()
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const navigate = useNavigate()
  const { data: dataset } = useManifest(datasetId)
  const flags = useFlags(dataset)
  const filtering = useQuery(filteringQuery(datasetId))
  const insights = useQuery(insightsQuery(datasetId))
  const selected = useSelection(datasetId)
  const { flag } = useFlagging(dataset)
  const scroll = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const [text, setText] = useState(search.q ?? '')
  const change = (next: Partial<EpisodesSearch>) =>
    void go({ search: (old: EpisodesSearch) => ({ ...old, ...next }), replace: true })
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((search.q ?? '') !== text.trim()) change({ q: text.trim() || undefined })
    }, 200)
    return () => clearTimeout(timer)
  })

  const flagsOf = useMemo(() => groupFlags(flags.data ?? []), [flags.data])
  const chosen = useMemo(() => {
    if (search.show === 'flagged') return [...flagsOf.keys()].sort((a, b) => a - b)
    if (search.show === 'low-motion') return filtering.data?.low_motion_episodes.map((one) => one.episode_index)
    if (search.show === 'high-variance') return filtering.data?.high_variance_episodes.map((one) => one.episode_index)
    return undefined
  }, [search.show, flagsOf, filtering.data])

  const listing = { q: search.q, sort: search.sort, order: search.order, limit: pageSize }
  const first = useQuery({
    ...episodesQuery(datasetId, { ...listing, offset: 0 }),
    placeholderData: keepPreviousData,
    enabled: chosen === undefined,
  })
  const total = chosen?.length ?? first.data?.total ?? 0
  const rowHeight = matchMedia('(max-width: 640px)').matches ? 64 : 46
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 24,
    scrollMargin: rowHeight === 46 ? 30 : 0,
  })
  const rows = virtual.getVirtualItems()
  const pages = useMemo(() => {
    const wanted = new Set<number>()
    for (const { index } of rows) wanted.add(Math.floor(index / pageSize))
    return [...wanted]
  }, [rows])
  const loaded = useQueries({
    queries: chosen
      ? rows.flatMap(({ index }) => {
          const episode = chosen[index]
          return episode === undefined ? [] : [episodesQuery(datasetId, { offset: episode, limit: 1 })]
        })
      : pages.map((page) => episodesQuery(datasetId, { ...listing, offset: page * pageSize })),
  })
  const byPlace = new Map<number, Episode>()
  for (const { data } of loaded)
    for (const [at, episode] of data?.items.entries() ?? [])
      byPlace.set(chosen ? chosen.indexOf(episode.episode_index) : data ? data.offset + at : 0, episode)

  const open = (episode: number) =>
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId, episode: String(episode) },
    })
  const move = (step: number) => {
    const next = Math.max(0, Math.min(total - 1, current + step))
    setCurrent(next)
    virtual.scrollToIndex(next)
  }
  const at = byPlace.get(current)
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => at && open(at.episode_index),
    x: () => at && toggleSelected(datasetId, at.episode_index),
    ...(canEdit(dataset?.role) && selected.size === 0
      ? { f: () => at && void flag([{ episode_index: at.episode_index, reason: 'other' }]) }
      : {}),
  })
  if (!dataset) return null
  const allShown = chosen ?? [...byPlace.values()].map(({ episode_index }) => episode_index)
  const isAllSelected = allShown.length > 0 && allShown.every((index) => selected.has(index))
  return (
    <>
      <div className="ep-bar">
        <Field
          label="Task text or episode number"
          placeholder="Task text or episode number"
          type="search"
          icon="search"
          style={{ width: 240 }}
          data-page-search
          value={text}
          onChange={(event) => setText(event.target.value)}
          hint={
            <span className="desk">
              <Kbd>/</Kbd>
            </span>
          }
        />
        <Segmented
          label="Show"
          value={search.show ?? 'all'}
          onChange={(show) => change({ show: show === 'all' ? undefined : show })}
          options={[
            { value: 'all', label: `All ${formatCount(dataset.metrics.total_episodes)}` },
            ...(dataset.role ? [{ value: 'flagged' as const, label: `Flagged ${formatCount(flagsOf.size)}` }] : []),
            ...(filtering.data?.supports_motion_insights
              ? [
                  { value: 'low-motion' as const, label: `Low motion ${filtering.data.low_motion_episodes.length}` },
                  {
                    value: 'high-variance' as const,
                    label: `High variance ${filtering.data.high_variance_episodes.length}`,
                  },
                ]
              : []),
          ]}
        />
        <span className="end row sm dim desk">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> move <Kbd>X</Kbd> select <Kbd>F</Kbd> flag <Kbd>⏎</Kbd> open
        </span>
      </div>
      {first.error && (
        <Failure error={first.error} what="The episodes did not load" onRetry={() => void first.refetch()} />
      )}
      {total === 0 && (chosen !== undefined || first.data) && (
        <div className="px-4">
          <Empty title={search.show === 'flagged' ? 'No episode is flagged' : `No episode matches “${search.q ?? ''}”`}>
            {search.show === 'flagged'
              ? 'Flag episodes with F here, in the player, in Frames or in Insights.'
              : 'The search looks at task texts and episode numbers.'}
          </Empty>
        </div>
      )}
      <div className="ep-scroll" ref={scroll} role="table" aria-label="Episodes" aria-rowcount={total + 1}>
        <EpisodesHead
          cameras={dataset.observation.cameras.slice(0, 2).map(({ label }) => label)}
          search={search}
          onSort={change}
          check={
            <Check
              kind="row"
              aria-label="Select all that are listed"
              checked={isAllSelected}
              indeterminate={selected.size > 0 && !isAllSelected}
              onChange={() => setSelection(datasetId, isAllSelected ? [] : allShown)}
            />
          }
        />
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {rows.map(({ index, start }) => {
            const episode = byPlace.get(index)
            return (
              <EpisodeRow
                key={index}
                top={start - (rowHeight === 46 ? 30 : 0)}
                row={index + 2}
                episode={episode}
                dataset={dataset}
                flags={episode ? flagsOf.get(episode.episode_index) : undefined}
                insights={insights.data}
                isCurrent={index === current}
                isSelected={episode !== undefined && selected.has(episode.episode_index)}
                onOpen={open}
                onToggle={(episodeIndex) => toggleSelected(datasetId, episodeIndex)}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

function groupFlags(flags: readonly Flag[]): Map<number, Flag[]> {
  const byEpisode = new Map<number, Flag[]>()
  for (const flag of flags) {
    const known = byEpisode.get(flag.episode_index)
    if (known) known.push(flag)
    else byEpisode.set(flag.episode_index, [flag])
  }
  return byEpisode
}
