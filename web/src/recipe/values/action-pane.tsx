import type { VersionPreview } from '@nmp/sdk/generated/records'
import { useMemo, useRef, useState } from 'react'
import type { ActionStep } from '../../data/recipe/recipe-draft.ts'
import { Segmented } from '../../parts/controls.tsx'
import { formatValue } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'
import './action-pane.css'
import '../recipe-page.css'

interface ActionPaneProps {
  action: VersionPreview['action']
  step: ActionStep | null
  isOld: boolean
}

/** More than these do not stand side by side: they are a list. */
const [mostTabs, mostTabLetters] = [8, 60]

/** As recorded in grey, the result in orange; a bracket chooses the window that is enlarged on the right. */
export function ActionPane({ action, step, isOld }: ActionPaneProps) {
  const [dimension, setDimension] = useState(0)
  const [window, setWindow] = useState({ from: 0.55, to: 0.78 })
  const drag = useRef<number>(undefined)
  const at = Math.min(dimension, (action?.before.length ?? 1) - 1)
  const before = action?.before[at] ?? []
  const after = action?.after[at] ?? []
  const [low, high] = useMemo(() => findRange(before, after), [before, after])
  if (!action) return null
  const names =
    action.names.length === action.before.length ? action.names : action.before.map((_, index) => String(index))
  const largest = before.reduce<number>((most, value, index) => {
    const other = after[index]
    return value === null || other === null || other === undefined ? most : Math.max(most, Math.abs(other - value))
  }, 0)
  const jerk = compareJerk(before, after)
  const isLong = names.length > mostTabs || names.join('').length > mostTabLetters
  const dimensions = {
    label: 'Dimension',
    value: String(at),
    onChange: (next: string) => setDimension(Number(next)),
    options: names.map((name, index) => ({ value: String(index), label: name })),
  }
  const last = action.timestamp.at(-1) ?? 0
  const first = Math.floor(window.from * (before.length - 1))
  const end = Math.max(first + 2, Math.ceil(window.to * (before.length - 1)))
  const shareAt = (event: React.PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))
  }
  return (
    <section aria-label="Action before and after" className={isOld ? 'outdated' : ''}>
      <div className="row wrap above-8 min-height-36">
        <h2>Action</h2>
        <div className="max-full-width scroll-x">
          {isLong ? <Select {...dimensions} /> : <Segmented {...dimensions} small />}
        </div>
        <span className="end row small gap-14">
          <span className="legend">
            <i />
            as recorded
          </span>
          <span className="legend">
            <i className="action" />
            {step ? 'result' : 'unchanged'}
          </span>
        </span>
      </div>
      <div className="action-charts">
        <div
          className="action-chart action-brush"
          role="slider"
          tabIndex={0}
          aria-label="Enlarged part; up and down change its length"
          aria-valuemin={0}
          aria-valuemax={Number(last.toFixed(2))}
          aria-valuenow={Number((window.from * last).toFixed(2))}
          aria-valuetext={`${(window.from * last).toFixed(1)} to ${(window.to * last).toFixed(1)} seconds`}
          onKeyDown={(event) => {
            const next = moveWindow(window, event.key, event.shiftKey ? 0.1 : 0.02)
            if (!next) return
            event.preventDefault()
            setWindow(next)
          }}
          onPointerDown={(event) => {
            drag.current = shareAt(event)
            event.currentTarget.setPointerCapture(event.pointerId)
          }}
          onPointerMove={(event) => {
            if (drag.current === undefined) return
            const now = shareAt(event)
            if (Math.abs(now - drag.current) > 0.01)
              setWindow({ from: Math.min(now, drag.current), to: Math.max(now, drag.current) })
          }}
          onPointerUp={() => {
            drag.current = undefined
          }}
        >
          <svg
            className="plot"
            viewBox="0 0 1000 200"
            width="100%"
            height="100%"
            preserveAspectRatio="none"
            role="img"
            aria-label={`Action ${names[at]} of episode ${action.episode_index}`}
          >
            <path className="grid-line" d="M0 50H1000M0 100H1000M0 150H1000" />
            <rect
              className="brush"
              x={window.from * 1000}
              width={(window.to - window.from) * 1000}
              y={0}
              height={200}
            />
            <path className="plot-line faint" d={drawLine(before, 0, before.length - 1, low, high)} />
            <path className="plot-line action" d={drawLine(after, 0, after.length - 1, low, high)} />
            <path
              className="bracket"
              vectorEffect="non-scaling-stroke"
              d={`M${window.from * 1000 + 8} 1h-8v198h8M${window.to * 1000 - 8} 1h8v198h-8`}
            />
          </svg>
          {before.length > 0 && (
            <>
              <span className="action-axis high">{formatValue(high)}</span>
              <span className="action-axis low">{formatValue(low)}</span>
            </>
          )}
        </div>
        <div className="action-chart">
          <svg
            className="plot"
            viewBox="0 0 1000 200"
            width="100%"
            height="100%"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path className="grid-line" d="M0 50H1000M0 100H1000M0 150H1000" />
            <Enlarged before={before} after={after} first={first} end={end} />
          </svg>
          <span className="action-axis high enlarged">
            {(window.from * last).toFixed(1)} to {(window.to * last).toFixed(1)} s
          </span>
        </div>
      </div>
      <div className="row small wrap above-6 gap-16">
        <span className="mid">Episode {action.episode_index}</span>
        {before.length > 0 && (
          <span>
            Largest change <b>{formatValue(largest)}</b>
          </span>
        )}
        {jerk !== undefined && (
          <span>
            Mean jerk{' '}
            <b>
              {jerk > 0 ? '+' : jerk < 0 ? '−' : ''}
              {Math.abs(jerk)} %
            </b>
          </span>
        )}
      </div>
    </section>
  )
}

/** By the arrows: left and right move it, up and down make it longer and shorter. */
function moveWindow({ from, to }: { from: number; to: number }, key: string, step: number) {
  const width = to - from
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const start = Math.max(0, Math.min(1 - width, from + (key === 'ArrowLeft' ? -step : step)))
    return { from: start, to: start + width }
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined
  return { from, to: Math.max(from + 0.02, Math.min(1, to + (key === 'ArrowUp' ? step : -step))) }
}

function Enlarged({
  before,
  after,
  first,
  end,
}: {
  before: (number | null)[]
  after: (number | null)[]
  first: number
  end: number
}) {
  const [low, high] = findRange(before.slice(first, end + 1), after.slice(first, end + 1))
  return (
    <>
      <path className="plot-line faint bold" d={drawLine(before, first, end, low, high)} />
      <path className="plot-line action bold" d={drawLine(after, first, end, low, high)} />
    </>
  )
}

function findRange(before: readonly (number | null)[], after: readonly (number | null)[]): [number, number] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of [...before, ...after]) {
    if (value === null) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low <= high ? [low, high] : [0, 1]
}

function drawLine(values: readonly (number | null)[], first: number, end: number, low: number, high: number): string {
  const range = high - low || 1
  let path = ''
  let isDown = false
  for (let index = first; index <= end && index < values.length; index++) {
    const value = values[index]
    if (value === null || value === undefined) {
      isDown = false
      continue
    }
    const x = ((index - first) / Math.max(1, end - first)) * 1000
    const y = 190 - ((value - low) / range) * 180
    path += `${isDown ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    isDown = true
  }
  return path
}

/** By how many whole percent the mean size of the second difference changes. */
function compareJerk(before: readonly (number | null)[], after: readonly (number | null)[]): number | undefined {
  const mean = (values: readonly (number | null)[]) => {
    let sum = 0
    for (let index = 2; index < values.length; index++)
      sum += Math.abs((values[index] ?? 0) - 2 * (values[index - 1] ?? 0) + (values[index - 2] ?? 0))
    return sum
  }
  const was = mean(before)
  return was === 0 ? undefined : Math.round((mean(after) / was - 1) * 100)
}
