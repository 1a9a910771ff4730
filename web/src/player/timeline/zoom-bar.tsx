import { useRef } from 'react'
import type { ZoomWindow } from './zoom.ts'
import './timeline-head.css'

interface ZoomBarProps {
  zoom: ZoomWindow
  from: number
  to: number
  frames: number
  fps: number
}

/** Which part of the episode is looked at: drag it along, or Tab to it and use the arrows. Shown while zoomed. */
export function ZoomBar({ zoom, from, to, frames, fps }: ZoomBarProps) {
  const host = useRef<HTMLDivElement>(null)
  const grabbed = useRef<number>(undefined)
  const { from: start, to: end } = zoom.share.get()
  if (!zoom.isZoomed) return <div className="zoom-bar" />
  const shareAt = (event: React.PointerEvent) => {
    const box = host.current?.getBoundingClientRect()
    return box ? (event.clientX - box.left) / box.width : 0
  }
  return (
    <div
      className="zoom-bar"
      ref={host}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = shareAt(event)
        if (at < start || at > end) zoom.move(at - (start + end) / 2, frames)
        grabbed.current = at - zoom.share.get().from
      }}
      onPointerMove={(event) => {
        if (grabbed.current === undefined) return
        zoom.move(shareAt(event) - grabbed.current - zoom.share.get().from, frames)
      }}
      onPointerUp={() => {
        grabbed.current = undefined
      }}
    >
      <div
        className="zoom-thumb"
        style={{ left: `${start * 100}%`, width: `max(8px, ${(end - start) * 100}%)` }}
        role="slider"
        tabIndex={0}
        aria-label="Part of the episode that is shown"
        aria-valuemin={0}
        aria-valuemax={frames - 1}
        aria-valuenow={Math.round(from)}
        aria-valuetext={`${(from / fps).toFixed(2)} to ${(to / fps).toFixed(2)} seconds`}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
          if (step === 0) return
          event.preventDefault()
          event.stopPropagation()
          zoom.move(step * (end - start) * (event.shiftKey ? 1 : 0.1), frames)
        }}
      />
    </div>
  )
}
