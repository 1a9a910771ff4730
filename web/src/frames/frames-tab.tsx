import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import './frames.css'
import { useKeys } from '../app/keys.ts'
import type { FramesSearch } from '../app/router.tsx'
import { toggleSelected, useSelection } from '../app/selection.ts'
import { canEdit } from '../app/workspace.ts'
import { type FlagReason, flagReasons, useFlagging, useFlags } from '../dataset/flags-query.ts'
import { type FramesItem, framesQuery, useManifest } from '../dataset/queries.ts'
import { Check, IconButton, Kbd, Segmented } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/states.tsx'

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
  const { flag, unflag } = useFlagging(dataset)
  const [reason, setReason] = useState<FlagReason>('failed')
  const [current, setCurrent] = useState(0)
  const scroll = useRef<HTMLDivElement>(null)
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
  const flagsOf = (index: number) => flags.data?.filter((one) => one.episode_index === index) ?? []
  const mayFlag = canEdit(dataset?.role)
  const toggleFlag = (index: number) => {
    if (!mayFlag) return
    const mine = flagsOf(index)
    void (mine.length > 0 ? unflag(mine) : flag([{ episode_index: index, reason }]))
  }
  const move = (step: number) => {
    const next = Math.max(0, Math.min(total - 1, current + step))
    setCurrent(next)
    virtual.scrollToIndex(Math.floor(next / columns.count))
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
    ...(selected.size === 0 ? { f: () => toggleFlag(current) } : {}),
    ...Object.fromEntries(flagReasons.map((one, at) => [String(at + 1), () => setReason(one)])),
  })
  if (!dataset) return null
  if (!camera)
    return (
      <div className="px-4">
        <Empty title="No camera">This dataset has state and action only, so there are no frames to look at.</Empty>
      </div>
    )
  return (
    <>
      <div className="ep-bar">
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
        {mayFlag && (
          <span className="row sm dim">
            F flags as
            <Segmented
              label="Reason"
              small
              value={reason}
              onChange={(next: FlagReason) => setReason(next)}
              options={flagReasons.map((one) => ({ value: one, label: one }))}
            />
          </span>
        )}
        <span className="end row sm dim desk">
          <Kbd>←</Kbd>
          <Kbd>→</Kbd> move <Kbd>X</Kbd> select <Kbd>F</Kbd> flag <Kbd>⏎</Kbd> open
        </span>
      </div>
      <div className="frames-scroll" ref={scroll}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
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
                const mine = flagsOf(index)
                return (
                  <div
                    className="frame-tile"
                    key={index}
                    data-flagged={mine.length > 0}
                    data-current={index === current}
                  >
                    <Link
                      to="/datasets/$datasetId/episodes/$episode"
                      params={{ datasetId, episode: String(index) }}
                      search={
                        view === 'last' && item ? { t: Math.max(0, item.duration_sec - 1 / dataset.metrics.fps) } : {}
                      }
                      aria-label={`Episode ${index}`}
                    >
                      {item?.streams[0] ? (
                        <img
                          className="thumb"
                          src={`${item.streams[0].poster_url}&width=320&format=webp`}
                          alt=""
                          loading="lazy"
                          decoding="async"
                        />
                      ) : (
                        <span className="thumb" />
                      )}
                    </Link>
                    <div className="row">
                      <Check
                        kind="row"
                        aria-label={`Select episode ${index}`}
                        checked={selected.has(index)}
                        onChange={() => toggleSelected(datasetId, index)}
                      />
                      <b>{index}</b>
                      {item && <span className="dim sm">{item.duration_sec.toFixed(1)} s</span>}
                      <span className="end row gap-1">
                        {mine[0] && (
                          <span className="chip flag tiny">
                            <Icon name="flag" />
                            {mine[0].reason}
                          </span>
                        )}
                        {mayFlag && (
                          <IconButton
                            icon="flag"
                            label={
                              mine.length > 0
                                ? `Take the flag of episode ${index} away`
                                : `Flag episode ${index} as ${reason}`
                            }
                            look="ghost"
                            small
                            onClick={() => toggleFlag(index)}
                          />
                        )}
                      </span>
                    </div>
                  </div>
                )
              })}
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

/** How many tiles fit beside one another, and how high a row of them is. */
function useColumns(scroll: React.RefObject<HTMLDivElement | null>): { count: number; height: number } {
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
  return { count, height: Math.round(tile * 0.75) + 24 + 12 }
}
