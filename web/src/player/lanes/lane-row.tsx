import { memo, useEffect, useMemo, useRef } from 'react'
import { findNearest, fitLane, type LaneData, type LaneSpec } from '../../data/episodes/lanes.ts'
import { formatSigned, formatValue } from '../../parts/formats.ts'
import { useNear } from '../../parts/use-near.ts'
import type { Store } from '../../session/store.ts'
import type { PlayerClock } from '../clock.ts'
import { drawLane, type LaneLines } from './lane-lines.ts'
import { LanePlot, lanePadding } from './lane-plot.tsx'
import './lanes.css'

interface LaneRowProps {
  lane: LaneSpec
  data: LaneData
  clock: PlayerClock
  /** The frame under the pointer: it changes with every move of the mouse, so lanes hear of it without a rendering. */
  hover: Store<number | undefined>
  from: number
  to: number
  isDifference: boolean
  /** The axis spans what is shown. */
  isFitted: boolean
  isNearAtFirst: boolean
}

export const LaneRow = memo(function LaneRow(props: LaneRowProps) {
  const { lane, clock, hover, from, to, isDifference, isFitted, isNearAtFirst } = props
  const fitted = useMemo(
    () => (isFitted ? fitLane(props.data, from, to) : props.data),
    [props.data, isFitted, from, to],
  )
  // A window that moves and shows the same extent is no other drawing.
  const before = useRef(fitted)
  const data = isAlike(before.current, fitted) ? before.current : fitted
  before.current = data
  const row = useRef<HTMLDivElement>(null)
  const isNear = useNear(row, isNearAtFirst)
  const drawn = useMemo(() => drawLane(data, isDifference), [data, isDifference])
  const range = Math.max(Math.abs(data.low), Math.abs(data.high))
  useEffect(() => {
    const element = row.current
    if (!element || !isNear) return
    const cell = (name: string) => element.querySelector<HTMLElement>(`[data-value=${name}]`)
    const [state, action, difference] = [cell('state'), cell('action'), cell('difference')]
    const own = cell('column')
    const dots = [...element.querySelectorAll<HTMLElement>('.lane-dot')]
    const show = () => {
      const frame = hover.get() ?? clock.frame
      const at = findNearest(data.frames, frame)
      const one = data.state?.[at]
      const other = data.action?.[at]
      if (state) state.textContent = isDifference || !data.state ? '' : formatValue(one, range)
      if (action) action.textContent = isDifference || !data.action ? '' : formatValue(other, range)
      if (own) own.textContent = formatValue(data.column?.[at], range)
      if (difference)
        difference.textContent =
          typeof one === 'number' && typeof other === 'number' ? formatDifference(other - one, range) : ''
      placeDots(dots, drawn, at, (frame - from) / (to - from))
    }
    show()
    const stopClock = clock.onFrame(show)
    const stopHover = hover.subscribe(show)
    return () => {
      stopClock()
      stopHover()
    }
  }, [clock, hover, data, drawn, from, to, isDifference, range, isNear])
  return (
    <div className="lane" data-lane={lane.label} ref={row}>
      <div className="lane-name">
        <b title={lane.label}>{nameLane(lane)}</b>
        <span className="lane-range">
          <em>{formatValue(isDifference ? drawn.high : data.high, range)}</em>
          <em>{formatValue(isDifference ? drawn.low : data.low, range)}</em>
        </span>
      </div>
      <div className="lane-plot">
        {isNear && <LanePlot drawn={drawn} from={from} to={to} />}
        {drawn.lines.map(({ color }) => (
          <i key={color} className="lane-dot" style={{ background: `var(${color})` }} />
        ))}
      </div>
      <div className="lane-values">
        {lane.column ? (
          <span data-value="column" />
        ) : (
          <>
            <span className="text-state" data-value="state" />
            <span className="text-action" data-value="action" />
            <span className="mid" data-value="difference" />
          </>
        )}
      </div>
    </div>
  )
})

const isAlike = (one: LaneData, other: LaneData): boolean =>
  one.frames === other.frames &&
  one.state === other.state &&
  one.action === other.action &&
  one.recorded === other.recorded &&
  one.column === other.column &&
  one.low === other.low &&
  one.high === other.high

/** What rounds to nothing has no sign. */
function formatDifference(difference: number, range: number): string {
  const text = formatSigned(difference, range)
  return /[1-9]/.test(text) ? text : text.slice(1)
}

/** Inside its group the side need not be said again. */
const nameLane = ({ label, group }: LaneSpec): string => {
  const name = label.replaceAll('_', ' ')
  return (group ? name.replace(new RegExp(`^${group}[ .]`, 'i'), '') : name) || label
}

/** Where the reading meets the lines. */
function placeDots(dots: readonly HTMLElement[], { lines, low, high }: LaneLines, at: number, share: number): void {
  for (const [index, dot] of dots.entries()) {
    const value = lines[index]?.values[at]
    const isShown = typeof value === 'number' && share >= 0 && share <= 1
    dot.style.visibility = isShown ? 'visible' : 'hidden'
    if (!isShown) continue
    dot.style.left = `${share * 100}%`
    const height = 1 - (value - low) / (high - low || 1)
    dot.style.top = `calc(${lanePadding}px + ${height} * (100% - ${2 * lanePadding}px))`
  }
}
