import { useState } from 'react'
import type { Camera, Manifest } from '../../data/dataset.ts'
import { placeFrame, toPixels } from '../../data/recipe/crop-box.ts'
import type { Crop, Resize } from '../../data/recipe/recipe-draft.ts'
import { AfterPicture } from './after-picture.tsx'
import './crop-pane.css'

interface CompareSliderProps {
  dataset: Manifest
  camera: Camera
  episode: number
  frame: number
  crop: Crop | null
  resize: Resize | null
}

/** The same part of the frame twice, one over the other: as recorded on the left of the line, as it becomes on the right. */
export function CompareSlider({ dataset, camera, episode, frame, crop, resize }: CompareSliderProps) {
  const [percent, setPercent] = useState(50)
  const place = placeFrame(toPixels(crop, camera.width, camera.height), resize)
  const picture = { dataset, camera, episode, frame, crop, resize }
  return (
    <div className="compare" style={{ aspectRatio: `${place.width} / ${place.height}` }}>
      <AfterPicture {...picture} isFilling />
      <div className="compare-before" style={{ clipPath: `inset(0 ${100 - percent}% 0 0)` }}>
        <AfterPicture {...picture} isFilling isAsRecorded />
      </div>
      <i className="compare-line" style={{ left: `${percent}%` }} />
      <span className="osd top-left">as recorded</span>
      <span className="osd top-right">
        {place.width} x {place.height}
      </span>
      <input
        type="range"
        min={0}
        max={100}
        value={percent}
        aria-label="Share of the picture that is shown as recorded"
        onChange={(event) => setPercent(Number(event.target.value))}
      />
    </div>
  )
}
