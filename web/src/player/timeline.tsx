import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Flag } from '../dataset/flags-query.ts'
import type { Episode, Manifest } from '../dataset/queries.ts'
import { Icon } from '../parts/icon.tsx'
import type { PlayerClock } from './clock.ts'
import { LaneRow } from './lane-row.tsx'
import { planLanes, readLane } from './lanes.ts'
import { MarkEdges } from './mark-edges.tsx'
import { rowsQuery } from './queries.ts'
import { Ruler } from './ruler.tsx'
import { segmentTint, useSegments } from './segments.ts'
import type { PlayerView } from './view.ts'

interface TimelineProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  flags: readonly Flag[]
  view: PlayerView
}

const dragPixels = 4

/** Ruler, segments, flags and lanes in one column of time; one playhead crosses them all. */
export function Timeline({ dataset, episode, clock, flags, view }: TimelineProps) {
  const lanes = useMemo(() => planLanes(dataset), [dataset])
  const shown = lanes.filter(({ key }) => !view.hiddenLanes.has(key))
  const columns = [dataset.observation.state?.key, dataset.action?.key].filter((key) => key !== undefined)
  const { from: zoomFrom, to: zoomTo } = view.zoom
  const from = zoomFrom * clock.last
  const to = Math.max(from + 1, zoomTo * clock.last)
  const coarse = useQuery(rowsQuery(dataset.id, episode.episode_index, columns))
  const isZoomed = zoomTo - zoomFrom < 0.999
  const window = useSettled(
    coarse.data?.is_decimated && isZoomed
      ? { start: Math.floor(from), end: Math.min(clock.frames, Math.ceil(to) + 1) }
      : undefined,
  )
  const fine = useQuery({
    ...rowsQuery(dataset.id, episode.episode_index, columns, window),
    enabled: window !== undefined && columns.length > 0,
  })
  const rows = window && fine.data ? fine.data : coarse.data
  const data = useMemo(() => shown.map((lane) => readLane(rows, lane, dataset)), [rows, shown, dataset])
  const { segments } = useSegments(dataset, episode.episode_index)

  const over = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const label = useRef<HTMLDivElement>(null)
  const headLine = useRef<HTMLDivElement>(null)
  const [hover, setHover] = useState<number>()
  const drag = useRef<{ x: number; frame: number; isRange: boolean }>(undefined)
  const share = (frame: number) => (frame - from) / (to - from)
  const percent = (frame: number) => `${share(frame) * 100}%`

  // biome-ignore lint/correctness/useExhaustiveDependencies: share follows from and to
  useEffect(
    () =>
      clock.onFrame((frame) => {
        const width = over.current?.clientWidth ?? 0
        const x = share(frame) * width
        if (head.current) head.current.style.transform = `translateX(${x}px)`
        if (headLine.current) {
          headLine.current.style.transform = `translateX(${x}px)`
          headLine.current.style.visibility = x < -1 || x > width + 1 ? 'hidden' : 'visible'
        }
        if (label.current) {
          label.current.style.transform = `translateX(${Math.max(20, Math.min(width - 20, x))}px)`
          label.current.textContent = (frame / clock.fps).toFixed(2)
          label.current.style.visibility = x < -1 || x > width + 1 ? 'hidden' : 'visible'
        }
      }),
    [clock, from, to],
  )
  useEffect(() => {
    const element = over.current
    if (!element) return
    const refresh = new ResizeObserver(() => clock.seek(clock.frame))
    refresh.observe(element)
    const onWheel = (event: WheelEvent) => {
      const tracks = element.closest('.tracks')
      const scrolls = tracks !== null && tracks.scrollHeight > tracks.clientHeight + 1
      if (scrolls && !event.ctrlKey && !event.altKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const at = (event.clientX - box.left) / box.width
      const width = zoomTo - zoomFrom
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const move = (event.deltaX / box.width) * width
        view.setZoom(zoomFrom + move, zoomTo + move)
        return
      }
      const next = width * Math.exp(event.deltaY * 0.002)
      const anchor = zoomFrom + at * width
      view.setZoom(anchor - at * next, anchor + (1 - at) * next)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      refresh.disconnect()
      element.removeEventListener('wheel', onWheel)
    }
  }, [clock, view, zoomFrom, zoomTo])

  const frameAt = (event: React.PointerEvent) => {
    const box = over.current?.getBoundingClientRect()
    if (!box) return 0
    return Math.max(0, Math.min(clock.last, Math.round(from + ((event.clientX - box.left) / box.width) * (to - from))))
  }
  return (
    <div className="tracks">
      <div className="tracks-inner">
        <div className="tracks-head">
          <div className="lane-name" />
          <div className="relative">
            <Ruler clock={clock} from={from} to={to} frameAt={frameAt} />
            <div className="segs">
              {segments.map((segment) => (
                <span
                  key={`${segment.label}-${segment.start_frame}`}
                  style={{
                    left: percent(segment.start_frame),
                    width: `${((segment.end_frame - segment.start_frame) / (to - from)) * 100}%`,
                    background: segmentTint(segments, segment),
                  }}
                >
                  {segment.label}
                </span>
              ))}
            </div>
            <div className="flag-track">
              {flags.map((flag) => (
                <span
                  className="flag-range"
                  key={flag.id}
                  style={{
                    left: percent(flag.start_frame ?? 0),
                    width: `${(((flag.end_frame ?? clock.frames) - (flag.start_frame ?? 0)) / (to - from)) * 100}%`,
                  }}
                >
                  <Icon name="flag" />
                  {flag.reason}
                </span>
              ))}
            </div>
            <div className="head-line" ref={headLine} />
            <div className="playhead-label" ref={label} />
          </div>
          <div className="lane-values desk">
            {view.isDifference ? <span /> : <span>state</span>}
            {view.isDifference ? <span /> : <span>action</span>}
            <span>diff</span>
          </div>
        </div>
        {shown.map((lane, at) => {
          const lanes = data[at]
          return lanes ? (
            <LaneRow
              key={lane.key}
              lane={lane}
              data={lanes}
              clock={clock}
              hover={hover}
              from={from}
              to={to}
              isDifference={view.isDifference}
            />
          ) : null
        })}
        {lanes.length === 0 && <p className="dim p-4">No state and no action in this dataset.</p>}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the ruler and the edges are the sliders; this is the mouse's shortcut */}
        <div
          ref={over}
          className="over"
          style={{ top: 62 }}
          onPointerDown={(event) => {
            if (event.button !== 0) return
            drag.current = { x: event.clientX, frame: frameAt(event), isRange: false }
            if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
          }}
          onPointerMove={(event) => {
            const frame = frameAt(event)
            setHover(event.pointerType === 'mouse' ? frame : undefined)
            const start = drag.current
            if (!start || event.pointerType !== 'mouse') return
            if (Math.abs(event.clientX - start.x) > dragPixels) start.isRange = true
            if (start.isRange) clock.mark(Math.min(start.frame, frame), Math.max(start.frame, frame))
          }}
          onPointerUp={(event) => {
            if (drag.current && !drag.current.isRange) {
              clock.pause()
              clock.seek(frameAt(event))
            }
            drag.current = undefined
          }}
          onPointerLeave={() => setHover(undefined)}
          onDoubleClick={view.resetZoom}
        >
          {clock.inFrame !== undefined || clock.outFrame !== undefined ? (
            <div
              className="io"
              style={{
                left: percent(clock.inFrame ?? 0),
                width: `${(((clock.outFrame ?? clock.last) - (clock.inFrame ?? 0)) / (to - from)) * 100}%`,
              }}
            />
          ) : null}
          <MarkEdges clock={clock} percent={percent} frameAt={frameAt} />
          {hover !== undefined && <div className="hover-line" style={{ left: percent(hover) }} />}
          <div className="playhead" ref={head} />
        </div>
      </div>
    </div>
  )
}

/** A value that has stood still for a moment: a window that is being dragged asks for nothing. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by what it says
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 150)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
