import { useEffect, useRef } from 'react'
import { posterPath } from '../dataset/poster.tsx'
import type { Camera, Manifest } from '../dataset/queries.ts'
import { loadPicture } from '../parts/picture.tsx'
import { placeFrame, toPixels } from './crop-box.ts'
import type { Crop, Resize } from './draft.ts'

interface AfterPictureProps {
  dataset: Manifest
  camera: Camera
  episode: number
  frame: number
  crop: Crop | null
  resize: Resize | null
}

/** The frame as the recipe would leave it, drawn here at once; the server's result follows the same rules. */
export function AfterPicture({ dataset, camera, episode, frame, crop, resize }: AfterPictureProps) {
  const ref = useRef<HTMLCanvasElement>(null)
  const place = placeFrame(toPixels(crop, camera.width, camera.height), resize)
  const path = posterPath(dataset, episode, camera.key, frame, 1280)
  const image = useRef<{ path: string; element: HTMLImageElement }>(undefined)
  useEffect(() => {
    let isWanted = true
    const draw = (element: HTMLImageElement) => {
      const paint = ref.current?.getContext('2d')
      if (!isWanted || !paint) return
      // Posters of large frames are smaller than the frames.
      const scale = element.naturalWidth / camera.width
      paint.fillStyle = '#000'
      paint.fillRect(0, 0, place.width, place.height)
      const { cut, drawn } = place
      paint.drawImage(
        element,
        cut.left * scale,
        cut.top * scale,
        cut.width * scale,
        cut.height * scale,
        drawn.left,
        drawn.top,
        drawn.width,
        drawn.height,
      )
    }
    if (image.current?.path === path) draw(image.current.element)
    else
      loadPicture(path).then(
        async (url) => {
          const element = new Image()
          element.src = url
          await element.decode()
          image.current = { path, element }
          draw(element)
        },
        () => {},
      )
    return () => {
      isWanted = false
    }
  })
  return (
    <canvas
      ref={ref}
      width={place.width}
      height={place.height}
      style={{ maxWidth: '100%', maxHeight: 280, borderRadius: 2, background: 'var(--sunken)', display: 'block' }}
      role="img"
      aria-label={`${camera.label} after the recipe, ${place.width} x ${place.height}`}
    />
  )
}
