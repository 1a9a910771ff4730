import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { LaneData } from './lanes.ts'

interface LanePlotProps {
  data: LaneData
  /** First and last frame of the window. */
  from: number
  to: number
  isDifference: boolean
}

/** The lines of one lane. The playhead is drawn above all lanes at once, so a frame costs no redraw here. */
export function LanePlot({ data, from, to, isDifference }: LanePlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the window is moved by setScale below; drawing anew would flicker
  useEffect(() => {
    const element = host.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      const style = getComputedStyle(document.documentElement)
      const color = (name: string) => style.getPropertyValue(name).trim()
      const { series, rows, range } = shape(data, isDifference, color)
      plot.current = new uPlot(
        {
          width: Math.max(10, element.clientWidth),
          height: Math.max(10, element.clientHeight),
          padding: [5, 0, 5, 0],
          legend: { show: false },
          cursor: { show: false },
          axes: [
            { show: false },
            {
              show: true,
              size: 0,
              ticks: { show: false },
              values: () => [],
              grid: { stroke: color('--grid'), width: 1 },
              splits: () => [isDifference ? 0 : (range[0] + range[1]) / 2],
            },
          ],
          scales: { x: { time: false, min: from, max: to }, y: { range: () => range } },
          series: [{}, ...series],
        },
        rows,
        element,
      )
    }
    draw()
    const watcher = new ResizeObserver(() => {
      plot.current?.setSize({ width: Math.max(10, element.clientWidth), height: Math.max(10, element.clientHeight) })
    })
    watcher.observe(element)
    window.addEventListener('nmp-theme', draw)
    return () => {
      watcher.disconnect()
      window.removeEventListener('nmp-theme', draw)
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [data, isDifference])
  useEffect(() => {
    plot.current?.setScale('x', { min: from, max: Math.max(from + 1, to) })
  }, [from, to])
  return <div ref={host} className="lane-host" />
}

function shape(data: LaneData, isDifference: boolean, color: (name: string) => string) {
  const line = (stroke: string): uPlot.Series => ({ stroke, width: 1.25, points: { show: false }, spanGaps: false })
  if (isDifference && data.state && data.action) {
    const difference = data.action.map((value, index) => {
      const other = data.state?.[index]
      return value === null || other === null || other === undefined ? null : value - other
    })
    const most = Math.max(1e-9, ...difference.map((value) => Math.abs(value ?? 0)))
    return {
      series: [line(color('--ink'))],
      rows: [data.frames, difference] as uPlot.AlignedData,
      range: [-most, most] as [number, number],
    }
  }
  const lines: { values: (number | null)[]; stroke: string }[] = []
  if (data.state) lines.push({ values: data.state, stroke: color('--state-line') })
  if (data.action) lines.push({ values: data.action, stroke: color('--action-line') })
  const margin = (data.high - data.low || Math.abs(data.high) || 1) * 0.02
  return {
    series: lines.map(({ stroke }) => line(stroke)),
    rows: [data.frames, ...lines.map(({ values }) => values)] as uPlot.AlignedData,
    range: [data.low - margin, data.high + margin] as [number, number],
  }
}
