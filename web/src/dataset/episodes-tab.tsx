import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { filteringQuery, listMatches, useManifest } from '../data/dataset.ts'
import { useEpisodeLabels } from '../data/episodes/episode-labels.ts'
import { groupFlags, orderEpisodes } from '../data/episodes/episode-order.ts'
import { listOutliers } from '../data/episodes/outliers.ts'
import { beginWalk, endWalk, nameList } from '../data/episodes/walk.ts'
import { useFlagging, useFlags } from '../data/flags.ts'
import { insightsQuery } from '../data/insights.ts'
import { useLeftOut } from '../data/recipe/recipe-draft.ts'
import type { EpisodesSearch } from '../data/searches.ts'
import { reasonKeys, useFlagReason } from '../episode/flag-reason.tsx'
import { useCurves } from '../episode/use-curves.ts'
import { Check } from '../parts/controls.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { showFault } from '../parts/toasts.tsx'
import { useKeys } from '../session/keys.ts'
import { setSelection, toggleSelected, useSelection } from '../session/selection.ts'
import { canEdit } from '../session/workspace.ts'
import { EpisodeRow } from './episode-row.tsx'
import { EpisodesBar } from './episodes-bar.tsx'
import { EpisodesHead } from './episodes-head.tsx'
import { drawTracks, pickListColumns, useColumnsAway } from './list-columns.ts'
import { askFor, useRowCount, useRowsAt } from './use-episode-rows.ts'
import './episodes.css'

const routeApi = getRouteApi('/datasets/$datasetId/')
const headHeight = 30
/** A pointer that rests this long on a row may open it. */
const pointMs = 80

/** Ten thousand rows scroll without blanks: rows have one height and are drawn from what is here; pictures come fifty at a time. */
export function EpisodesTab() {
  const { datasetId } = routeApi.useParams()
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const navigate = useNavigate()
  const { data: dataset } = useManifest(datasetId)
  const flags = useFlags(dataset)
  const insights = useQuery(insightsQuery(datasetId))
  const filtering = useQuery(filteringQuery(datasetId))
  const selected = useSelection(datasetId)
  const leftOut = useLeftOut(datasetId)
  const { flag, unflag } = useFlagging(dataset)
  const reason = useFlagReason()
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
  const outliers = listOutliers(filtering.data)
  const labels = useEpisodeLabels(dataset)
  const columnsAway = useColumnsAway()
  const hasSuccess = useMemo(() => [...(labels?.values() ?? [])].some(({ success }) => success !== null), [labels])
  const columns = useMemo(() => pickListColumns(columnsAway, hasSuccess), [columnsAway, hasSuccess])
  const order = useMemo(
    () => orderEpisodes(search, insights.data, outliers, flagsOf, labels),
    [search, insights.data, outliers, flagsOf, labels],
  )
  const listing = { dataset, datasetId, search, order, insights: insights.data }
  const { total, first } = useRowCount(listing)
  const isSmall = matchMedia('(max-width: 640px)').matches
  const margin = isSmall ? 0 : headHeight
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => (isSmall ? 64 : 46),
    overscan: 24,
    scrollMargin: margin,
  })
  const rows = virtual.getVirtualItems()
  const episodes = useRowsAt(
    listing,
    rows.map(({ index }) => index),
  )
  const curves = useCurves(
    datasetId,
    [...episodes.values()].map(({ episode_index }) => episode_index),
  )
  // Another list begins at its top.
  const listKey = [search.q, search.split, search.show, search.sort, search.order].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the list is another one, not when it grows
  useEffect(() => {
    setCurrent(0)
    scroll.current?.scrollTo({ top: 0 })
  }, [listKey])

  // The same functions from one paint to the next, so that rows which did not change are not drawn again.
  const open = useCallback(
    (episode: number) => {
      void walkAlong(datasetId, search, order)
      void navigate({ to: '/datasets/$datasetId/episodes/$episode', params: { datasetId, episode: String(episode) } })
    },
    [navigate, datasetId, search, order],
  )
  const router = useRouter()
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const point = useCallback(
    (episode: number) => {
      clearTimeout(resting.current)
      const params = { datasetId, episode: String(episode) }
      const preload = () => void router.preloadRoute({ to: '/datasets/$datasetId/episodes/$episode', params })
      resting.current = setTimeout(preload, pointMs)
    },
    [router, datasetId],
  )
  const toggle = useCallback((episode: number) => toggleSelected(datasetId, episode), [datasetId])
  const move = (step: number) => {
    const next = Math.max(0, Math.min(total - 1, current + step))
    setCurrent(next)
    virtual.scrollToIndex(next)
  }
  const at = episodes.get(current)?.episode_index
  const toggleFlag = () => {
    if (at === undefined) return
    const same = (flagsOf.get(at) ?? []).filter((one) => one.reason === reason && one.start_frame === null)
    if (same.length > 0) unflag(same)
    else flag([{ episode_index: at, reason }])
  }
  const mayFlag = canEdit(dataset?.role)
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => move(-total),
    End: () => move(total),
    Enter: () => at !== undefined && open(at),
    x: () => at !== undefined && toggleSelected(datasetId, at),
    ...(mayFlag ? reasonKeys : {}),
    ...(mayFlag && selected.size === 0 ? { f: toggleFlag } : {}),
  })
  if (!dataset) return null
  const listed = order ?? [...episodes.values()].map(({ episode_index }) => episode_index)
  const isAllSelected = total > 0 && selected.size >= total && listed.every((one) => selected.has(one))
  // What is selected outside of this list stays selected. Of the server's list only the rows near the window are here.
  const listAll = async () => order ?? (await listMatches(datasetId, askFor(search)))
  const selectListed = async () => {
    const all = await listAll()
    const here = new Set(all)
    const others = [...selected].filter((one) => !here.has(one))
    setSelection(datasetId, all.every((one) => selected.has(one)) ? others : [...others, ...all])
  }
  const isPlain = !search.q && !search.split && !search.show && !search.sort
  return (
    <>
      <EpisodesBar
        dataset={dataset}
        search={search}
        text={text}
        outliers={outliers}
        labels={labels}
        hasSuccess={hasSuccess}
        flaggedCount={flagsOf.size}
        leftOutCount={leftOut.size}
        listAll={listAll}
        onText={setText}
        onShow={(show) => change({ show, split: undefined, ...findSort(show) })}
        onSplit={(split) => change({ split, show: undefined, sort: undefined, order: undefined })}
      />
      {first.error && !insights.data && (
        <Failure error={first.error} what="The episodes did not load" onRetry={() => void first.refetch()} />
      )}
      {total === 0 &&
        !(search.show === 'flagged' && flags.isLoading) &&
        (order !== undefined ? insights.data : first.data) && (
          <div className="pad-x-16">
            <Empty title={search.show ? nothingShown[search.show] : `No episode matches “${search.q ?? ''}”`}>
              {search.show
                ? (filtering.data?.note ?? whenShown[search.show])
                : 'The search looks at task texts and episode numbers.'}
            </Empty>
          </div>
        )}
      <div
        className="episodes-scroll"
        ref={scroll}
        style={drawTracks(columns)}
        role="table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label="Episodes"
        aria-rowcount={total + 1}
      >
        <EpisodesHead
          cameras={dataset.observation.cameras.slice(0, 2).map(({ label }) => label)}
          search={search}
          columns={columns}
          hasScores={!search.q && !search.split && insights.data?.supportsMotion === true}
          onSort={change}
          check={
            <Check
              kind="row"
              aria-label="Select all that are listed"
              checked={isAllSelected}
              indeterminate={selected.size > 0 && !isAllSelected}
              onChange={() => void selectListed().catch((error: Error) => showFault(error.message))}
            />
          }
        />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const episode = episodes.get(index)
            return (
              <EpisodeRow
                key={index}
                top={start - margin}
                row={index + 2}
                episode={episode}
                dataset={dataset}
                flags={episode ? flagsOf.get(episode.episode_index) : undefined}
                label={episode ? labels?.get(episode.episode_index) : undefined}
                columns={columns}
                insights={insights.data}
                curve={episode ? curves.get(episode.episode_index) : undefined}
                hasSprite={isPlain}
                isCurrent={index === current}
                isSelected={episode !== undefined && selected.has(episode.episode_index)}
                isLeftOut={episode !== undefined && leftOut.has(episode.episode_index)}
                onOpen={open}
                onPoint={point}
                onToggle={toggle}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

/** The player goes along this list. One that only the server knows is asked for while the episode opens. */
async function walkAlong(datasetId: string, search: EpisodesSearch, order: readonly number[] | undefined) {
  const words = nameList(search)
  endWalk(datasetId)
  if (words === undefined) return
  const indices = order ?? (await listMatches(datasetId, askFor(search)).catch(() => undefined))
  if (indices) beginWalk(datasetId, { indices, words })
}

const nothingShown = {
  flagged: 'No episode is flagged',
  'low-motion': 'No episode has unusually low motion',
  'high-variance': 'No episode has unusually high variance',
  success: 'No episode is labelled a success',
  failure: 'No episode is labelled a failure',
}

const whenShown = {
  flagged: 'Flag episodes with F here, in the player, in Frames or in Insights.',
  'low-motion': 'Episodes that move far less than the others, or stand still far longer, are listed here.',
  'high-variance': 'Episodes whose motion is far less steady than that of the others are listed here.',
  success: 'Annotation sets say which episodes succeeded.',
  failure: 'Annotation sets say which episodes failed.',
}

/** A list of those that stand out comes in its own order, the worst first. */
const findSort = (to: EpisodesSearch['show']): Pick<EpisodesSearch, 'sort' | 'order'> =>
  to === 'low-motion' || to === 'high-variance' ? { sort: undefined, order: undefined } : {}
