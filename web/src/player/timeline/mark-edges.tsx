import type { PlayerClock } from '../clock.ts'
import './timeline-over.css'

interface MarkEdgesProps {
  clock: PlayerClock
  percent(frame: number): string
  frameAt(event: { clientX: number }): number
}

/** The two edges of the yellow bracket: drag, or Tab to one and use the arrows. */
export function MarkEdges({ clock, percent, frameAt }: MarkEdgesProps) {
  const edge = (side: 'in' | 'out') => {
    const frame = side === 'in' ? clock.inFrame : clock.outFrame
    if (frame === undefined) return null
    const move = (to: number) => {
      if (side === 'in') clock.mark(Math.min(to, clock.outFrame ?? clock.last), clock.outFrame)
      else clock.mark(clock.inFrame, Math.max(to, clock.inFrame ?? 0))
    }
    return (
      <div
        className="mark-edge"
        data-side={side}
        style={{ left: percent(frame) }}
        role="slider"
        tabIndex={0}
        aria-label={side === 'in' ? 'In' : 'Out'}
        aria-valuemin={0}
        aria-valuemax={clock.last}
        aria-valuenow={frame}
        aria-valuetext={`frame ${frame}, ${(frame / clock.fps).toFixed(2)} seconds`}
        onPointerDown={(event) => {
          event.stopPropagation()
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={(event) => {
          event.stopPropagation()
          if (event.currentTarget.hasPointerCapture(event.pointerId)) move(frameAt(event))
        }}
        onPointerUp={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
          if (step === 0) return
          event.preventDefault()
          event.stopPropagation()
          move(frame + step * (event.shiftKey ? 10 : 1))
        }}
      />
    )
  }
  return (
    <>
      {edge('in')}
      {edge('out')}
    </>
  )
}
