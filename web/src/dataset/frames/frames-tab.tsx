import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type FramesItem, framesQuery, useManifest } from '../../data/dataset.ts'
import { groupFlags } from '../../data/episodes/episode-order.ts'
import { useFlagging, useFlags } from '../../data/flags.ts'
import { useLeftOut } from '../../data/recipe/recipe-draft.ts'
import type { FramesSearch } from '../../data/searches.ts'
import { FlagReasonMenu, reasonKeys, useFlagReason } from '../../episode/flag-reason.tsx'
import { Kbd, Segmented } from '../../parts/controls.tsx'
import { Empty, Failure } from '../../parts/states.tsx'
import { useKeys } from '../../session/keys.ts'
import { toggleSelected, useSelection } from '../../session/selection.ts'
import { canEdit } from '../../session/workspace.ts'
import { FrameTile } from './frame-tile.tsx'
import '../dataset-frame.css'
import './frames.css'

const routeApi = getRouteApi('/datasets/$datasetId/frames')
const pageSize = 48

/** The first or last frame of every episode: what is wrong at the start or the end jumps out. */
export function FramesTab() {
  const { datasetId } = routeApi.useParams()
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const navigate = useNavigate()
  const { data: dataset } = useManifest(datasetId)
  const cameras = dataset?.observation.cameras ?? []
  const camera = cameras.find(({ key }) => key === search.camera)?.key ?? cameras[0]?.key
  const view = search.view ?? 'first'
  const flags = useFlags(dataset)
  const selected = useSelection(datasetId)
  const leftOut = useLeftOut(datasetId)
  const { flag, unflag } = useFlagging(dataset)
  const reason = useFlagReason()
  const [current, setCurrent] = useState(0)
  const scroll = useRef<HTMLElement>(null)
  const columns = useColumns(scroll)
  const total = dataset?.metrics.total_episodes ?? 0
  const rowCount = Math.ceil(total / columns.count)
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroll.current,
    estimateSize: () => columns.height,
    overscan: 3,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the height changes
  useEffect(() => virtual.measure(), [columns.height, virtual])
  const rows = virtual.getVirtualItems()
  const firstIndex = (rows[0]?.index ?? 0) * columns.count
  const lastIndex = Math.min(total, ((rows.at(-1)?.index ?? 0) + 1) * columns.count)
  const pages: number[] = []
  for (let page = Math.floor(firstIndex / pageSize); page * pageSize < lastIndex; page++) pages.push(page)
  const loaded = useQueries({
    queries: camera
      ? pages.map((page) =>
          framesQuery(datasetId, { offset: page * pageSize, limit: pageSize, view, camera_key: camera }),
        )
      : [],
  })
  useQuery({
    ...framesQuery(datasetId, { offset: 0, limit: pageSize, view, camera_key: camera }),
    enabled: camera !== undefined,
  })
  const items = new Map<number, FramesItem>()
  for (const { data } of loaded) for (const item of data?.items ?? []) items.set(item.episode_index, item)
  const flagsOf = useMemo(() => groupFlags(flags.data ?? []), [flags.data])
  const failed = loaded.find(({ error }) => error)
  const mayFlag = canEdit(dataset?.role)
  const toggleFlag = (index: number) => {
    if (!mayFlag) return
    const mine = flagsOf.get(index) ?? []
    if (mine.length > 0) unflag(mine)
    else flag([{ episode_index: index, reason }])
  }
  const move = (step: number) => {
    const next = Math.max(0, Math.min(total - 1, current + step))
    setCurrent(next)
    virtual.scrollToIndex(Math.floor(next / columns.count))
  }
  const nextCamera = () => {
    const at = cameras.findIndex(({ key }) => key === camera)
    const key = cameras[(at + 1) % cameras.length]?.key
    void go({ search: (old: FramesSearch) => ({ ...old, camera: key }), replace: true })
  }
  useKeys({
    ArrowRight: () => move(1),
    ArrowLeft: () => move(-1),
    ArrowDown: () => move(columns.count),
    ArrowUp: () => move(-columns.count),
    j: () => move(1),
    k: () => move(-1),
    x: () => toggleSelected(datasetId, current),
    Enter: () =>
      void navigate({ to: '/datasets/$datasetId/episodes/$episode', params: { datasetId, episode: String(current) } }),
    Home: () => move(-total),
    End: () => move(total),
    ...(cameras.length > 1 ? { c: nextCamera } : {}),
    ...(mayFlag ? reasonKeys : {}),
    ...(selected.size === 0 ? { f: () => toggleFlag(current) } : {}),
  })
  if (!dataset) return null
  if (!camera)
    return (
      <div className="pad-x-16">
        <Empty title="No camera">This dataset has only state and action, so there are no frames.</Empty>
      </div>
    )
  return (
    <>
      <div className="list-bar">
        <Segmented
          label="View"
          value={view}
          onChange={(next) =>
            void go({
              search: (old: FramesSearch) => ({ ...old, view: next === 'last' ? 'last' : undefined }),
              replace: true,
            })
          }
          options={[
            { value: 'first', label: 'First frames' },
            { value: 'last', label: 'Last frames' },
          ]}
        />
        {cameras.length > 1 && (
          <Segmented
            label="Camera"
            value={camera}
            onChange={(key) => void go({ search: (old: FramesSearch) => ({ ...old, camera: key }), replace: true })}
            options={cameras.map(({ key, label }) => ({ value: key, label }))}
          />
        )}
        <span className="end row small dim">
          <span className="row list-bar-keys">
            <Kbd>←</Kbd>
            <Kbd>→</Kbd> move <Kbd>X</Kbd> select <Kbd>⏎</Kbd> open
          </span>
          {mayFlag && <FlagReasonMenu />}
        </span>
      </div>
      {failed && (
        <div className="pad-x-16">
          <Failure error={failed.error} what="The frames did not load" onRetry={() => void failed.refetch()} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="frames-scroll" ref={scroll} tabIndex={0} aria-label="Frames of all episodes">
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index: row, start }) => (
            <div
              key={row}
              className="frames-row"
              style={{
                transform: `translateY(${start}px)`,
                gridTemplateColumns: `repeat(${columns.count}, minmax(0, 1fr))`,
              }}
            >
              {Array.from({ length: Math.min(columns.count, total - row * columns.count) }, (_, place) => {
                const index = row * columns.count + place
                const item = items.get(index)
                return (
                  <FrameTile
                    key={index}
                    dataset={dataset}
                    index={index}
                    item={item}
                    view={view}
                    flags={flagsOf.get(index)}
                    reason={reason}
                    isCurrent={index === current}
                    isSelected={selected.has(index)}
                    isLeftOut={leftOut.has(index)}
                    onSelect={() => toggleSelected(datasetId, index)}
                    onFlag={mayFlag ? () => toggleFlag(index) : undefined}
                  />
                )
              })}
            </div>
          ))}
        </div>
      </section>
    </>
  )
}

/** How many tiles fit beside one another, and how high a row of them is. */
function useColumns(scroll: React.RefObject<HTMLElement | null>): { count: number; height: number } {
  const [width, setWidth] = useState(900)
  useEffect(() => {
    const element = scroll.current
    if (!element) return
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth - 32))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [scroll])
  const count = Math.max(2, Math.floor(width / 170))
  const tile = (width - (count - 1) * 8) / count
  return { count, height: Math.round(tile * 0.75) + 26 + 12 }
}
