import { useEffect, useMemo, useRef } from 'react'
import type { PlayerClock } from '../clock.ts'
import './timeline-head.css'

interface RulerProps {
  clock: PlayerClock
  from: number
  to: number
  frameAt(event: { clientX: number }): number
}

const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200]

/** Drag to scrub; a slider for the keyboard and for screen readers. */
export function Ruler({ clock, from, to, frameAt }: RulerProps) {
  const seconds = (to - from) / clock.fps
  const marks = useMemo(() => {
    const step = steps.find((one) => seconds / one <= 10) ?? 3600
    const first = Math.ceil(from / clock.fps / step)
    return Array.from({ length: Math.floor(to / clock.fps / step) - first + 1 }, (_, index) => (first + index) * step)
  }, [from, to, seconds, clock.fps])
  const slider = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      clock.onFrame((frame) => {
        // While it plays nobody can follow it by ear.
        if (clock.isPlaying) return
        slider.current?.setAttribute('aria-valuenow', String(frame))
        slider.current?.setAttribute('aria-valuetext', `frame ${frame}, ${(frame / clock.fps).toFixed(2)} seconds`)
      }),
    [clock],
  )
  return (
    <div
      ref={slider}
      className="ruler"
      role="slider"
      tabIndex={0}
      aria-label="Playhead"
      aria-valuemin={0}
      aria-valuemax={clock.last}
      aria-valuenow={clock.frame}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        clock.pause()
        clock.seek(frameAt(event))
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) clock.seek(frameAt(event))
      }}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
        if (step === 0) return
        event.preventDefault()
        clock.step(step * (event.shiftKey ? 10 : 1))
      }}
    >
      {marks.map((at) => {
        const left = `${((at * clock.fps - from) / (to - from)) * 100}%`
        return (
          <span key={at} style={{ left }}>
            {at < 10 && at % 1 !== 0 ? at.toFixed(2) : formatMark(at)}
          </span>
        )
      })}
      {marks.map((at) => (
        <i key={at} style={{ left: `${((at * clock.fps - from) / (to - from)) * 100}%` }} />
      ))}
    </div>
  )
}

const formatMark = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
