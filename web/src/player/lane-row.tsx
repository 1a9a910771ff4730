import { memo, useEffect, useRef } from 'react'
import { formatSigned, formatValue } from '../parts/formats.ts'
import type { PlayerClock } from './clock.ts'
import { LanePlot } from './lane-plot.tsx'
import { findNearest, type LaneData, type LaneSpec } from './lanes.ts'

interface LaneRowProps {
  lane: LaneSpec
  data: LaneData
  clock: PlayerClock
  hover: number | undefined
  from: number
  to: number
  isDifference: boolean
}

export const LaneRow = memo(function LaneRow({ lane, data, clock, hover, from, to, isDifference }: LaneRowProps) {
  const state = useRef<HTMLSpanElement>(null)
  const action = useRef<HTMLSpanElement>(null)
  const difference = useRef<HTMLSpanElement>(null)
  const range = Math.max(Math.abs(data.low), Math.abs(data.high))
  useEffect(() => {
    const show = (frame: number) => {
      const at = findNearest(data.frames, frame)
      const one = data.state?.[at]
      const other = data.action?.[at]
      if (state.current) state.current.textContent = isDifference ? '' : data.state ? formatValue(one, range) : ''
      if (action.current) action.current.textContent = isDifference ? '' : data.action ? formatValue(other, range) : ''
      if (difference.current)
        difference.current.textContent =
          typeof one === 'number' && typeof other === 'number' ? formatSigned(other - one, range) : ''
    }
    if (hover === undefined) return clock.onFrame(show)
    show(hover)
    return undefined
  }, [clock, data, hover, isDifference, range])
  return (
    <div className="lane" data-lane={lane.label}>
      <div className="lane-name">
        <b title={lane.label}>{lane.label.replaceAll('_', ' ')}</b>
        <span className="lane-range">
          <em>{formatValue(data.high, range)}</em>
          <em>{formatValue(data.low, range)}</em>
        </span>
      </div>
      <LanePlot data={data} from={from} to={to} isDifference={isDifference} />
      <div className="lane-values">
        <span className="c-state" ref={state} data-value="state" />
        <span className="c-action" ref={action} data-value="action" />
        <span className="mid" ref={difference} />
      </div>
    </div>
  )
})
