import { useEffect, useRef, useState } from 'react'
import { roundMarks } from './bins.ts'
import './scatter.css'

interface ScatterProps {
  motion: readonly number[]
  variance: readonly number[]
  selected: ReadonlySet<number>
  flagged: ReadonlySet<number>
  onSelect(indices: number[], mode: 'set' | 'add' | 'take'): void
  onOpen(index: number): void
}

const left = 46
const bottom = 30
const top = 14
const rightPad = 8

/** Every episode a dot, on a canvas: a hundred thousand cost one paint. The box selects; a click opens the episode. */
export function Scatter({ motion, variance, selected, flagged, onSelect, onOpen }: ScatterProps) {
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const scale = useRef<{ toX(v: number): number; toY(v: number): number }>({ toX: () => 0, toY: () => 0 })
  const drag = useRef<{ x: number; y: number; mode: 'set' | 'add' | 'take' }>(undefined)
  const [box, setBox] = useState<{ x0: number; y0: number; x1: number; y1: number }>()
  const [hover, setHover] = useState<number>()
  useEffect(() => {
    const draw = () => {
      const element = canvas.current
      const paint = element?.getContext('2d')
      if (!element || !paint || !host.current) return
      const { clientWidth: width, clientHeight: height } = host.current
      element.width = width * devicePixelRatio
      element.height = height * devicePixelRatio
      paint.scale(devicePixelRatio, devicePixelRatio)
      scale.current = paintScatter(paint, width, height, { motion, variance, selected, flagged })
    }
    draw()
    const watcher = new ResizeObserver(draw)
    if (host.current) watcher.observe(host.current)
    window.addEventListener('nmp-theme', draw)
    return () => {
      watcher.disconnect()
      window.removeEventListener('nmp-theme', draw)
    }
  }, [motion, variance, selected, flagged])
  const at = (event: React.PointerEvent) => {
    const size = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - size.left, y: event.clientY - size.top }
  }
  const nearest = (x: number, y: number): number | undefined => {
    let best: number | undefined
    let distance = 100
    for (let index = 0; index < motion.length; index++) {
      const dx = scale.current.toX(motion[index] ?? 0) - x
      const dy = scale.current.toY(variance[index] ?? 0) - y
      if (dx * dx + dy * dy < distance) {
        distance = dx * dx + dy * dy
        best = index
      }
    }
    return best
  }
  const inside = (area: NonNullable<typeof box>): number[] => {
    const found: number[] = []
    for (let index = 0; index < motion.length; index++) {
      const x = scale.current.toX(motion[index] ?? 0)
      const y = scale.current.toY(variance[index] ?? 0)
      if (x >= area.x0 && x <= area.x1 && y >= area.y0 && y <= area.y1) found.push(index)
    }
    return found
  }
  return (
    <div
      className="scatter-plot"
      ref={host}
      role="img"
      aria-label={`Motion against variance of ${motion.length} episodes; ${selected.size} selected, ${flagged.size} flagged. The list beside it shows the same episodes.`}
      onPointerDown={(event) => {
        if (event.button !== 0 || event.pointerType === 'touch') return
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { ...at(event), mode: event.shiftKey ? 'add' : event.altKey ? 'take' : 'set' }
      }}
      onPointerMove={(event) => {
        const { x, y } = at(event)
        if (!drag.current) return setHover(nearest(x, y))
        if (Math.abs(x - drag.current.x) + Math.abs(y - drag.current.y) > 6)
          setBox({
            x0: Math.min(x, drag.current.x),
            y0: Math.min(y, drag.current.y),
            x1: Math.max(x, drag.current.x),
            y1: Math.max(y, drag.current.y),
          })
        return undefined
      }}
      onPointerUp={(event) => {
        const { x, y } = at(event)
        if (box && drag.current) onSelect(inside(box), drag.current.mode)
        else if (drag.current) {
          const index = nearest(x, y)
          if (index !== undefined) onOpen(index)
        }
        drag.current = undefined
        setBox(undefined)
      }}
      onPointerLeave={() => setHover(undefined)}
    >
      <canvas ref={canvas} />
      {box && (
        <div
          className="scatter-box"
          style={{ left: box.x0, top: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0 }}
        />
      )}
      {hover !== undefined && !box && (
        <span
          className="popover scatter-name small"
          style={{
            left: scale.current.toX(motion[hover] ?? 0) + 8,
            top: scale.current.toY(variance[hover] ?? 0) - 26,
          }}
        >
          ep {hover}
        </span>
      )}
    </div>
  )
}

interface ScatterData {
  motion: readonly number[]
  variance: readonly number[]
  selected: ReadonlySet<number>
  flagged: ReadonlySet<number>
}

/** Motion runs over decades, so its axis is logarithmic; so is the other where a few would press all others to its foot. Zero stands at the edge. */
function paintScatter(
  paint: CanvasRenderingContext2D,
  width: number,
  height: number,
  { motion, variance, selected, flagged }: ScatterData,
) {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const positive = motion.filter((value) => value > 0)
  const lowX = Math.log10(minOf(positive, 0.001)) - 0.02
  const highX = Math.log10(maxOf(positive, 1)) + 0.02
  const toX = (value: number) =>
    left + ((Math.log10(Math.max(value, 10 ** lowX)) - lowX) / (highX - lowX || 1)) * (width - left - rightPad)
  const steady = variance.filter((value) => value > 0)
  const [least, highY] = [minOf(steady, 0.001), maxOf(variance, 1)]
  const isLog = highY / least > 6
  const lowY = isLog ? least : minOf(variance, 0)
  const level = (value: number) => (isLog ? Math.log10(Math.max(value, least)) : value)
  const spanY = level(highY) - level(lowY) || 1
  const toY = (value: number) =>
    height - bottom - (((level(value) - level(lowY)) / spanY) * 0.92 + 0.04) * (height - bottom - top)
  paint.clearRect(0, 0, width, height)
  paint.font = `500 10.5px ${color('--sans')}`
  paint.lineWidth = 1
  paint.strokeStyle = color('--grid')
  paint.fillStyle = color('--ink-3')
  paint.textAlign = 'right'
  for (const mark of isLog ? logMarks(lowY, highY) : roundMarks(lowY, highY, 7)) {
    const y = Math.round(toY(mark)) + 0.5
    line(paint, left, y, width - rightPad, y)
    paint.fillText(String(mark), left - 8, y + 3.5)
  }
  paint.textAlign = 'center'
  for (const mark of logMarks(10 ** lowX, 10 ** highX)) {
    const x = Math.round(toX(mark)) + 0.5
    line(paint, x, top, x, height - bottom)
    paint.fillText(String(mark), x, height - bottom + 14)
  }
  paint.textAlign = 'left'
  paint.fillText(isLog ? 'variance, log scale' : 'variance', left, 9)
  paint.textAlign = 'right'
  paint.fillText('motion, log scale', width - rightPad, height - 3)
  const radius = motion.length > 5000 ? 2 : 4
  const dot = (index: number, fill: string, edge: string) => {
    paint.beginPath()
    paint.arc(toX(motion[index] ?? 0), toY(variance[index] ?? 0), radius, 0, 7)
    paint.fillStyle = fill
    paint.fill()
    paint.strokeStyle = edge
    paint.stroke()
  }
  for (let index = 0; index < motion.length; index++)
    if (!selected.has(index)) dot(index, color('--bars'), color('--bg'))
  for (const index of selected) dot(index, color('--pick'), color('--pick-edge'))
  paint.strokeStyle = color('--flag')
  paint.lineWidth = 1.5
  for (const index of flagged) {
    paint.beginPath()
    paint.arc(toX(motion[index] ?? 0), toY(variance[index] ?? 0), radius + 4, 0, 7)
    paint.stroke()
  }
  return { toX, toY }
}

function line(paint: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  paint.beginPath()
  paint.moveTo(x0, y0)
  paint.lineTo(x1, y1)
  paint.stroke()
}

const minOf = (values: readonly number[], otherwise: number) =>
  values.reduce((a, b) => Math.min(a, b), values[0] ?? otherwise)
const maxOf = (values: readonly number[], otherwise: number) =>
  values.reduce((a, b) => Math.max(a, b), values[0] ?? otherwise)

function logMarks(low: number, high: number): number[] {
  const marks: number[] = []
  const factors = high / low > 30 ? [1, 3] : high / low > 6 ? [1, 2, 5] : [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const factor of factors) {
      const mark = Number((factor * 10 ** power).toPrecision(3))
      if (mark >= low && mark <= high) marks.push(mark)
    }
  return marks
}
