import { useQuery } from '@tanstack/react-query'
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react'
import {
  type DepthSpan,
  depthColours,
  findSpan,
  formatDistance,
  nameDistance,
  paintDepth,
} from '../../data/episodes/depth-colours.ts'
import { type DepthFrame, depthQuery } from '../../data/episodes/depth-frame.ts'
import { createStore, useStore } from '../../session/store.ts'
import { PosterOfFrame, type ShownProps, useSlowFrame } from './frame-poster.tsx'
import './cameras.css'
import './depth.css'

interface DepthCameraProps extends ShownProps {
  isMain: boolean
  /** What the camera declares. */
  range: { near_mm: number | null; far_mm: number | null }
}

/** Whose distances the colours span: of the frame that is seen, or all that the camera can measure. */
const spanOf = createStore<'frame' | 'camera'>('frame')

/** Distances in colours, and the number of millimetres where the pointer or the arrow keys are. No browser plays 12 bits: frames come one by one. */
export function DepthCamera({ stream, dataset, episode, clock, isMain, range }: DepthCameraProps) {
  const frame = useSlowFrame(clock)
  const pixels = isMain ? 1280 : 320
  const { data, isError, refetch } = useQuery(
    depthQuery({ dataset, episode, camera: stream.camera_key, frame, pixels }),
  )
  const chosen = useStore(spanOf)
  const declared = findDeclared(range)
  const measured = useMemo(() => data && findSpan(data.millimetres), [data])
  const span = (chosen === 'camera' ? declared : undefined) ?? measured
  return (
    <>
      {data ? (
        <Sheet data={data} span={span} label={stream.label} far={range.far_mm} isMain={isMain} />
      ) : (
        <PosterOfFrame stream={stream} dataset={dataset} episode={episode} clock={clock} />
      )}
      {isMain && span && <Legend span={span} isOfCamera={span === declared} canSwitch={declared !== undefined} />}
      {isError && (
        <span className="osd camera-fault" role="alert">
          The distances of this frame did not arrive.
          <button type="button" className="link" onClick={() => void refetch()}>
            Try again
          </button>
        </span>
      )}
    </>
  )
}

const findDeclared = ({ near_mm: near, far_mm: far }: DepthCameraProps['range']): DepthSpan | undefined =>
  near === null || far === null ? undefined : { near, far }

interface SheetProps {
  data: DepthFrame
  span: DepthSpan | undefined
  label: string
  far: number | null
  isMain: boolean
}

/** A place on the picture, in shares of its width and height. */
interface Place {
  x: number
  y: number
}

const arrows: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const farStep = 10

function Sheet({ data, span, label, far, isMain }: SheetProps) {
  const { frame, width, height, millimetres } = data
  const canvas = useRef<HTMLCanvasElement>(null)
  const [place, setPlace] = useState<Place>()
  useEffect(() => {
    const drawing = canvas.current?.getContext('2d')
    if (!canvas.current || !drawing) return
    drawing.clearRect(0, 0, width, height)
    if (span) drawing.putImageData(new ImageData(paintDepth(millimetres, span), width, height), 0, 0)
    canvas.current.dataset.shown = String(frame)
  }, [millimetres, width, height, span, frame])
  const drawn = <canvas ref={canvas} width={width} height={height} />
  const fit = { '--frame-aspect': String(width / height) } as CSSProperties
  if (!isMain)
    return (
      <span className="depth-fit" style={fit}>
        <span className="depth-sheet">{drawn}</span>
      </span>
    )
  const pixel = place && { x: pick(place.x, width), y: pick(place.y, height) }
  const value = pixel ? (millimetres[pixel.y * width + pixel.x] as number) : 0
  const words = pixel ? nameDistance(value, far) : 'move by the arrow keys'
  const point = (event: React.PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setPlace({ x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height })
  }
  const press = (event: React.KeyboardEvent) => {
    const step = arrows[event.key]
    if (!step) return
    event.preventDefault()
    const by = event.shiftKey ? farStep : 1
    const from = pixel ?? { x: width >> 1, y: height >> 1 }
    setPlace({
      x: (bound(from.x + step[0] * by, width) + 0.5) / width,
      y: (bound(from.y + step[1] * by, height) + 0.5) / height,
    })
  }
  return (
    <span className="depth-fit" style={fit}>
      <span
        className="depth-sheet"
        role="slider"
        tabIndex={0}
        aria-label={`Distance in ${label}`}
        aria-valuemin={0}
        aria-valuemax={far ?? span?.far ?? 0}
        aria-valuenow={value}
        aria-valuetext={pixel ? `${words} at ${pixel.x}, ${pixel.y}` : words}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={(event) => event.pointerType === 'mouse' && setPlace(undefined)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setPlace((at) => at ?? { x: 0.5, y: 0.5 })}
        onBlur={() => setPlace(undefined)}
        onKeyDown={press}
      >
        {drawn}
        {pixel && (
          <span
            className="depth-place"
            data-side={pixel.x > width / 2 ? 'left' : 'right'}
            style={{ left: `${((pixel.x + 0.5) / width) * 100}%`, top: `${((pixel.y + 0.5) / height) * 100}%` }}
          >
            <span className="osd mono" data-testid="distance">
              {words}
            </span>
          </span>
        )}
      </span>
    </span>
  )
}

const bound = (at: number, size: number): number => Math.max(0, Math.min(size - 1, at))
const pick = (share: number, size: number): number => bound(Math.floor(share * size), size)

const gradient = `linear-gradient(to right, ${depthColours
  .filter((_, at) => at % 15 === 0)
  .map((colour) => `rgb(${colour.join(' ')})`)
  .join(', ')})`

function Legend({ span, isOfCamera, canSwitch }: { span: DepthSpan; isOfCamera: boolean; canSwitch: boolean }) {
  const whose = isOfCamera ? 'the range of the camera' : 'this frame'
  const other = isOfCamera ? 'this frame' : 'the range of the camera'
  const scale = (
    <>
      <span>{formatDistance(span.near)}</span>
      <span className="depth-scale" style={{ background: gradient }} />
      <span>{formatDistance(span.far)}</span>
    </>
  )
  if (!canSwitch) return <span className="osd mono depth-legend bottom-right">{scale}</span>
  return (
    <button
      type="button"
      className="osd mono depth-legend bottom-right"
      title={`Colours span ${whose}; press for ${other}`}
      onClick={() => spanOf.set(isOfCamera ? 'frame' : 'camera')}
    >
      {scale}
    </button>
  )
}
