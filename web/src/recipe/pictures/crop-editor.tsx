import { useRef } from 'react'
import type { Camera, Manifest } from '../../data/dataset.ts'
import { dragBox, type Handle, type PixelBox, toCrop, toPixels } from '../../data/recipe/crop-box.ts'
import type { Crop } from '../../data/recipe/recipe-draft.ts'
import { Poster } from '../../episode/poster.tsx'
import './crop-editor.css'

interface CropEditorProps {
  dataset: Manifest
  camera: Camera
  episode: number
  frame: number
  crop: Crop | null
  onChange(crop: Crop): void
}

const edges = ['left', 'top', 'right', 'bottom'] as const
const corners = ['nw', 'ne', 'se', 'sw'] as const

/** Drag edges, corners or the inside; Tab to an edge and use the arrows: 2 pixels, 16 with Shift. */
export function CropEditor({ dataset, camera, episode, frame, crop, onChange }: CropEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const drag = useRef<{ handle: Handle; x: number; y: number; box: PixelBox }>(undefined)
  const box = toPixels(crop, camera.width, camera.height)
  const percent = {
    left: (box.left / camera.width) * 100,
    top: (box.top / camera.height) * 100,
    width: (box.width / camera.width) * 100,
    height: (box.height / camera.height) * 100,
  }
  const right = percent.left + percent.width
  const bottom = percent.top + percent.height
  const apply = (next: PixelBox) => onChange(toCrop(next, camera.width, camera.height))
  const begin = (handle: Handle) => (event: React.PointerEvent) => {
    event.preventDefault()
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { handle, x: event.clientX, y: event.clientY, box }
  }
  const move = (event: React.PointerEvent) => {
    const { current } = drag
    const size = host.current?.getBoundingClientRect()
    if (!current || !size || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    const dx = ((event.clientX - current.x) / size.width) * camera.width
    const dy = ((event.clientY - current.y) / size.height) * camera.height
    apply(dragBox(current.box, current.handle, { dx, dy }, camera))
  }
  const end = () => {
    drag.current = undefined
  }
  const onKey = (handle: Handle) => (event: React.KeyboardEvent) => {
    const step = event.shiftKey ? 16 : 2
    const dx = event.key === 'ArrowLeft' ? -step : event.key === 'ArrowRight' ? step : 0
    const dy = event.key === 'ArrowUp' ? -step : event.key === 'ArrowDown' ? step : 0
    if (dx === 0 && dy === 0) return
    event.preventDefault()
    event.stopPropagation()
    apply(dragBox(box, handle, { dx, dy }, camera))
  }
  const places = { left: box.left, top: box.top, right: box.left + box.width, bottom: box.top + box.height }
  const pointer = (handle: Handle) => ({ onPointerDown: begin(handle), onPointerMove: move, onPointerUp: end })
  return (
    <div className="crop" ref={host} style={{ aspectRatio: `${camera.width} / ${camera.height}` }} data-testid="crop">
      <Poster
        dataset={dataset}
        episode={episode}
        camera={camera.key}
        frame={frame}
        pixels={1280}
        alt={`Frame ${frame} of episode ${episode}, camera ${camera.label}`}
      />
      <div
        className="crop-mask"
        style={{
          clipPath: `polygon(0 0,0 100%,${percent.left}% 100%,${percent.left}% ${percent.top}%,${right}% ${percent.top}%,${right}% ${bottom}%,${percent.left}% ${bottom}%,${percent.left}% 100%,100% 100%,100% 0)`,
        }}
      />
      <div
        className="crop-box"
        role="group"
        aria-label={`Crop, ${box.width} x ${box.height} pixels`}
        style={{
          left: `${percent.left}%`,
          top: `${percent.top}%`,
          width: `${percent.width}%`,
          height: `${percent.height}%`,
        }}
        {...pointer('move')}
      >
        {[1, 2].map((n) => (
          <i key={`v${n}`} className="crop-line upright" style={{ left: `${n * 33.333}%` }} />
        ))}
        {[1, 2].map((n) => (
          <i key={`h${n}`} className="crop-line level" style={{ top: `${n * 33.333}%` }} />
        ))}
        {edges.map((edge) => (
          <div
            key={edge}
            className="crop-edge"
            data-edge={edge}
            role="slider"
            tabIndex={0}
            aria-label={`${edge} edge`}
            aria-orientation={edge === 'left' || edge === 'right' ? 'horizontal' : 'vertical'}
            aria-valuemin={0}
            aria-valuemax={edge === 'left' || edge === 'right' ? camera.width : camera.height}
            aria-valuenow={places[edge]}
            aria-valuetext={`${places[edge]} pixels`}
            {...pointer(edge)}
            onKeyDown={onKey(edge)}
          />
        ))}
        {corners.map((corner) => (
          <div key={corner} className="crop-corner" data-corner={corner} {...pointer(corner)} />
        ))}
        <span className="osd mono bottom-left unpointed">
          {box.width} x {box.height}
        </span>
      </div>
    </div>
  )
}
