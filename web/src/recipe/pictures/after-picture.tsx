import { useEffect, useRef } from 'react'
import type { Camera, Manifest } from '../../data/dataset.ts'
import { placeFrame, toPixels } from '../../data/recipe/crop-box.ts'
import type { Crop, Resize } from '../../data/recipe/recipe-draft.ts'
import { posterPath } from '../../episode/poster.tsx'
import { loadPicture } from '../../parts/picture.tsx'
import './crop-pane.css'

interface AfterPictureProps {
  dataset: Manifest
  camera: Camera
  episode: number
  frame: number
  crop: Crop | null
  resize: Resize | null
  /** As large as what it stands in. */
  isFilling?: boolean
  /** The same part in the pixels of the source, to compare with. */
  isAsRecorded?: boolean
}

/** The frame as the recipe would leave it, drawn here at once; the server's result follows the same rules. */
export function AfterPicture(props: AfterPictureProps) {
  const { dataset, camera, episode, frame, crop, resize, isFilling = false, isAsRecorded = false } = props
  const ref = useRef<HTMLCanvasElement>(null)
  const place = placeFrame(toPixels(crop, camera.width, camera.height), resize)
  const enlarged = isAsRecorded ? Math.min(4, Math.max(1, 1 / place.scale)) : 1
  const width = Math.round(place.width * enlarged)
  const height = Math.round(place.height * enlarged)
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
      paint.fillRect(0, 0, width, height)
      const { cut, drawn } = place
      paint.drawImage(
        element,
        cut.left * scale,
        cut.top * scale,
        cut.width * scale,
        cut.height * scale,
        drawn.left * enlarged,
        drawn.top * enlarged,
        drawn.width * enlarged,
        drawn.height * enlarged,
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
      width={width}
      height={height}
      className={isFilling ? 'after-picture-fill' : 'after-picture'}
      role="img"
      aria-label={
        isAsRecorded
          ? `${camera.label} as recorded`
          : `${camera.label} after the recipe, ${place.width} x ${place.height}`
      }
    />
  )
}
