import type { Crop, Resize } from './recipe-draft.ts'

export interface PixelBox {
  left: number
  top: number
  width: number
  height: number
}

const even = (value: number): number => Math.round(value / 2) * 2
const evenBelow = (length: number): number => length - (length % 2)

/** The crop in pixels of a camera, as the server cuts it: edges on the nearest even pixel, a whole side whole, two pixels at least. */
export function toPixels(crop: Crop | null, width: number, height: number): PixelBox {
  if (!crop) return { left: 0, top: 0, width, height }
  const [left, right] = placeEdges(crop.left_pct, crop.width_pct, width)
  const [top, bottom] = placeEdges(crop.top_pct, crop.height_pct, height)
  return { left, top, width: right - left, height: bottom - top }
}

function placeEdges(startPercent: number, sizePercent: number, length: number): [number, number] {
  if (startPercent === 0 && sizePercent === 100) return [0, length]
  const toPixel = (percent: number) => 2 * Math.round((percent * length) / 200)
  const start = Math.min(toPixel(startPercent), Math.max(0, evenBelow(length) - 2))
  return [start, Math.max(start + 2, Math.min(toPixel(startPercent + sizePercent), evenBelow(length)))]
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
  { dx, dy }: { dx: number; dy: number },
  { width, height }: { width: number; height: number },
): PixelBox {
  let { left, top } = start
  let right = left + start.width
  let bottom = top + start.height
  if (handle === 'move') {
    left = even(Math.max(0, Math.min(evenBelow(width) - start.width, left + dx)))
    top = even(Math.max(0, Math.min(evenBelow(height) - start.height, top + dy)))
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
  return { left, top, width: measureSide(left, right, width), height: measureSide(top, bottom, height) }
}

/** Only a whole side may be odd. */
const measureSide = (start: number, end: number, length: number): number =>
  start === 0 && end >= length ? length : Math.max(2, Math.min(evenBelow(length), even(end)) - start)

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
  const ratios = [width / box.width, height / box.height]
  const scale = mode === 'fit' ? Math.min(...ratios) : Math.max(...ratios)
  const bound = mode === 'fit' ? Math.min : Math.max
  // Video has colour at half the resolution, so the server scales to even sizes and places on even pixels.
  const scaled = {
    width: bound(Math.max(2, even(box.width * scale)), width),
    height: bound(Math.max(2, even(box.height * scale)), height),
  }
  const left = centre(Math.abs(width - scaled.width))
  const top = centre(Math.abs(height - scaled.height))
  if (mode === 'fit') return { width, height, drawn: { left, top, ...scaled }, cut: box, scale }
  const [perX, perY] = [box.width / scaled.width, box.height / scaled.height]
  const cut = { left: box.left + left * perX, top: box.top + top * perY, width: width * perX, height: height * perY }
  return { width, height, drawn: { left: 0, top: 0, width, height }, cut, scale }
}

const centre = (space: number): number => 2 * Math.floor(space / 4)
