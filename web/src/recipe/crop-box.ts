import type { Crop, Resize } from './draft.ts'

export interface PixelBox {
  left: number
  top: number
  width: number
  height: number
}

const even = (value: number): number => Math.round(value / 2) * 2

/** The crop in pixels of a camera: edges on the nearest even pixel, as the server cuts it. */
export function toPixels(crop: Crop | null, width: number, height: number): PixelBox {
  if (!crop) return { left: 0, top: 0, width, height }
  const left = Math.min(width - 2, even((crop.left_pct / 100) * width))
  const top = Math.min(height - 2, even((crop.top_pct / 100) * height))
  const right = Math.min(width, even(((crop.left_pct + crop.width_pct) / 100) * width))
  const bottom = Math.min(height, even(((crop.top_pct + crop.height_pct) / 100) * height))
  return { left, top, width: Math.max(2, right - left), height: Math.max(2, bottom - top) }
}

export const toCrop = (box: PixelBox, width: number, height: number): Crop => ({
  left_pct: round((box.left / width) * 100),
  top_pct: round((box.top / height) * 100),
  width_pct: round((box.width / width) * 100),
  height_pct: round((box.height / height) * 100),
})

const round = (percent: number): number => Math.floor(percent * 10_000) / 10_000

export type Handle = 'left' | 'right' | 'top' | 'bottom' | 'nw' | 'ne' | 'se' | 'sw' | 'move'

const smallest = 16

/** Where the box is after a drag of one of its handles, even pixels throughout, never outside the frame. */
export function dragBox(
  start: PixelBox,
  handle: Handle,
  dx: number,
  dy: number,
  width: number,
  height: number,
): PixelBox {
  let { left, top } = start
  let right = left + start.width
  let bottom = top + start.height
  if (handle === 'move') {
    left = even(Math.max(0, Math.min(width - start.width, left + dx)))
    top = even(Math.max(0, Math.min(height - start.height, top + dy)))
    return { ...start, left, top }
  }
  if (handle === 'left' || handle === 'nw' || handle === 'sw') left = Math.max(0, Math.min(right - smallest, left + dx))
  if (handle === 'right' || handle === 'ne' || handle === 'se')
    right = Math.min(width, Math.max(left + smallest, right + dx))
  if (handle === 'top' || handle === 'nw' || handle === 'ne') top = Math.max(0, Math.min(bottom - smallest, top + dy))
  if (handle === 'bottom' || handle === 'sw' || handle === 'se')
    bottom = Math.min(height, Math.max(top + smallest, bottom + dy))
  left = even(left)
  top = even(top)
  return {
    left,
    top,
    width: Math.max(2, Math.min(width, even(right)) - left),
    height: Math.max(2, Math.min(height, even(bottom)) - top),
  }
}

export interface Placement {
  /** Of the result. */
  width: number
  height: number
  /** Of the picture inside the result. */
  drawn: PixelBox
  /** Of the source. */
  cut: PixelBox
  scale: number
}

/** How a cropped frame lies in the resized one: `fit` pads, `fill` cuts, `stretch` does neither and changes the aspect. */
export function placeFrame(box: PixelBox, resize: Resize | null): Placement {
  if (!resize) {
    const drawn = { left: 0, top: 0, width: box.width, height: box.height }
    return { width: box.width, height: box.height, drawn, cut: box, scale: 1 }
  }
  const { width, height, mode } = resize
  if (mode === 'stretch')
    return { width, height, drawn: { left: 0, top: 0, width, height }, cut: box, scale: width / box.width }
  if (mode === 'fit') {
    const scale = Math.min(width / box.width, height / box.height)
    const inner = { width: Math.round(box.width * scale), height: Math.round(box.height * scale) }
    const drawn = {
      left: Math.floor((width - inner.width) / 2),
      top: Math.floor((height - inner.height) / 2),
      ...inner,
    }
    return { width, height, drawn, cut: box, scale }
  }
  const scale = Math.max(width / box.width, height / box.height)
  const cutWidth = width / scale
  const cutHeight = height / scale
  const cut = {
    left: box.left + (box.width - cutWidth) / 2,
    top: box.top + (box.height - cutHeight) / 2,
    width: cutWidth,
    height: cutHeight,
  }
  return { width, height, drawn: { left: 0, top: 0, width, height }, cut, scale }
}
