import type { CSSProperties, ReactNode } from 'react'
import { type PixelBox, placeFrame } from '../../data/recipe/crop-box.ts'
import type { Resize } from '../../data/recipe/recipe-draft.ts'
import './cameras.css'

/** What a recipe does to a camera's frames: cut in the pixels of what comes in, then resized. */
export interface FrameChange {
  crop: PixelBox | null
  resize: Resize | null
}

interface ChangedFrameProps {
  /** Of the frames as they are stored. */
  width: number
  height: number
  /** In order; each counts in the pixels of what the one before gives. */
  changes: readonly FrameChange[]
  /** The stored frame; fills what it stands in. */
  children: ReactNode
}

/** Shows a stored video as it will be after its recipe, by placing it: nothing is decoded or encoded anew for that. */
export function ChangedFrame({ width, height, changes, children }: ChangedFrameProps) {
  let shown = children
  let size = { width, height }
  for (const { crop, resize } of changes) {
    const place = placeFrame(crop ?? { left: 0, top: 0, ...size }, resize)
    shown = (
      <span className="changed-frame">
        <span className="changed-frame-window" style={within(place.drawn, place)}>
          <span className="changed-frame-sheet" style={beyond(place.cut, size)}>
            {shown}
          </span>
        </span>
      </span>
    )
    size = { width: place.width, height: place.height }
  }
  const aspect = { '--frame-aspect': String(size.width / size.height) } as CSSProperties
  return (
    <span className="changed-frame-fit" style={aspect}>
      {shown}
    </span>
  )
}

/** A part of a whole, in percent of it. */
const within = (part: PixelBox, whole: { width: number; height: number }): CSSProperties => ({
  left: percent(part.left / whole.width),
  top: percent(part.top / whole.height),
  width: percent(part.width / whole.width),
  height: percent(part.height / whole.height),
})

/** A sheet so large and so placed that the cut of it fills its window. */
const beyond = (cut: PixelBox, sheet: { width: number; height: number }): CSSProperties => ({
  left: percent(-cut.left / cut.width),
  top: percent(-cut.top / cut.height),
  width: percent(sheet.width / cut.width),
  height: percent(sheet.height / cut.height),
})

const percent = (share: number): string => `${share * 100}%`
