import { type RefObject, useEffect, useRef } from 'react'
import type { Store } from '../../session/store.ts'
import type { PlayerClock } from '../clock.ts'
import { CutShades } from './cut-marks.tsx'
import { MarkEdges } from './mark-edges.tsx'
import type { PlayerCuts } from './use-frame-cuts.ts'
import type { ZoomWindow } from './zoom.ts'
import './timeline-over.css'

interface OverProps {
  over: RefObject<HTMLDivElement | null>
  clock: PlayerClock
  cuts: PlayerCuts
  hover: Store<number | undefined>
  zoom: ZoomWindow
  from: number
  to: number
  frameAt(event: { clientX: number }): number
}

const dragPixels = 4

/** What lies over all lanes: the playhead, the second cursor, the marks; and what the mouse does there. */
export function TimelineOver({ over, clock, cuts, hover, zoom, from, to, frameAt }: OverProps) {
  const head = useRef<HTMLDivElement>(null)
  const second = useRef<HTMLDivElement>(null)
  const drag = useRef<{ x: number; frame: number; isRange: boolean }>(undefined)
  const percent = (frame: number) => `${((frame - from) / (to - from)) * 100}%`
  useEffect(() => {
    const place = (element: HTMLElement | null, frame: number | undefined) => {
      if (!element) return
      element.style.visibility = frame === undefined || frame < from || frame > to ? 'hidden' : 'visible'
      if (frame !== undefined) element.style.left = `${((frame - from) / (to - from)) * 100}%`
    }
    const stopClock = clock.onFrame((frame) => place(head.current, frame))
    const stopHover = hover.subscribe(() => place(second.current, hover.get()))
    place(second.current, hover.get())
    return () => {
      stopClock()
      stopHover()
    }
  }, [clock, hover, from, to])
  useWheelZoom(over, clock, zoom)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the ruler and the edges are the sliders; this is the mouse's shortcut
    <div
      ref={over}
      className="timeline-over"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        drag.current = { x: event.clientX, frame: frameAt(event), isRange: false }
        if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        const frame = frameAt(event)
        hover.set(event.pointerType === 'mouse' ? frame : undefined)
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
      onPointerCancel={() => {
        drag.current = undefined
      }}
      onPointerLeave={() => hover.set(undefined)}
      onDoubleClick={zoom.reset}
    >
      <CutShades clock={clock} cuts={cuts} from={from} to={to} />
      {clock.inFrame !== undefined || clock.outFrame !== undefined ? (
        <div
          className="marked-range"
          style={{
            left: percent(clock.inFrame ?? 0),
            width: `${(((clock.outFrame ?? clock.last) - (clock.inFrame ?? 0)) / (to - from)) * 100}%`,
          }}
        />
      ) : null}
      <MarkEdges clock={clock} percent={percent} frameAt={frameAt} />
      <div className="hover-line" ref={second} />
      <div className="playhead" ref={head} />
    </div>
  )
}

/** The wheel zooms at the pointer, sideways it moves along; one drawing per frame of the screen however fast it turns. */
function useWheelZoom(over: RefObject<HTMLDivElement | null>, clock: PlayerClock, zoom: ZoomWindow): void {
  useEffect(() => {
    const element = over.current
    if (!element) return
    let timer = 0
    let factor = 1
    let move = 0
    let at = 0
    const apply = () => {
      timer = 0
      const { from, to } = zoom.share.get()
      if (move !== 0) zoom.move(move * (to - from), clock.frames)
      if (factor !== 1) zoom.scale(factor, from + at * (to - from), clock.frames)
      factor = 1
      move = 0
    }
    const onWheel = (event: WheelEvent) => {
      const tracks = element.closest('.tracks')
      const scrolls = tracks !== null && tracks.scrollHeight > tracks.clientHeight + 1
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey
      // Where the lanes scroll, the plain wheel is theirs.
      if (scrolls && !event.ctrlKey && !event.altKey && !event.metaKey && !isSideways) return
      event.preventDefault()
      const box = element.getBoundingClientRect()
      at = (event.clientX - box.left) / box.width
      if (isSideways) move += (event.deltaX || event.deltaY) / box.width
      else factor *= Math.exp(event.deltaY * 0.002)
      timer ||= requestAnimationFrame(apply)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      cancelAnimationFrame(timer)
      element.removeEventListener('wheel', onWheel)
    }
  }, [over, clock, zoom])
}
