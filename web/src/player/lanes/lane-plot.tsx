import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { LaneLines } from './lane-lines.ts'
import './lanes.css'

/** Above and below the lines, inside the plot. */
export const lanePadding = 5

interface LanePlotProps {
  drawn: LaneLines
  /** First and last frame of the window. */
  from: number
  to: number
}

/** The lines of one lane. The playhead is drawn above all lanes at once, so a frame costs no redraw here. */
export function LanePlot({ drawn, from, to }: LanePlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const lineCount = drawn.lines.length
  const look = drawn.lines.map(({ color, width }) => `${color} ${width}`).join()
  const current = useRef({ drawn, from, to })
  current.current = { drawn, from, to }
  const inPlot = useRef(drawn)
  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew only when the kind of lines changes; data and window are set below
  useEffect(() => {
    const element = host.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      inPlot.current = current.current.drawn
      plot.current = createPlot(element, current)
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
  }, [lineCount, look])
  useEffect(() => {
    // Data first and one drawing for both: setScale draws.
    if (inPlot.current !== drawn) plot.current?.setData(toRows(drawn), false)
    inPlot.current = drawn
    plot.current?.setScale('x', { min: from, max: Math.max(from + 1, to) })
  }, [drawn, from, to])
  return <div ref={host} className="lane-host" data-points={drawn.frames.length * lineCount} />
}

const toRows = ({ frames, lines }: LaneLines): uPlot.AlignedData =>
  [frames, ...lines.map(({ values }) => values)] as uPlot.AlignedData

function createPlot(element: HTMLElement, current: { readonly current: LanePlotProps }): uPlot {
  const { drawn, from, to } = current.current
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  return new uPlot(
    {
      width: Math.max(10, element.clientWidth),
      height: Math.max(10, element.clientHeight),
      padding: [lanePadding, 0, lanePadding, 0],
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
          splits: () => [current.current.drawn.middle],
        },
      ],
      scales: {
        x: { time: false, min: from, max: Math.max(from + 1, to) },
        y: { range: () => [current.current.drawn.low, current.current.drawn.high] },
      },
      series: [
        {},
        ...drawn.lines.map(({ color: name, width }) => ({
          stroke: color(name),
          width,
          points: { show: false },
          spanGaps: false,
        })),
      ],
    },
    toRows(drawn),
    element,
  )
}
