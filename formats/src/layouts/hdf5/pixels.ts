/** Stored pixels as RGB with the top row first. */
import type { CameraPlan } from './plan.ts'

type Storage = Pick<CameraPlan, 'axes' | 'width' | 'height' | 'channels' | 'colorOrder' | 'isFlipped'>

/** The bytes themselves where they already are RGB, else new ones. */
export function toRgb(stored: Uint8Array, storage: Storage): Uint8Array {
  const { axes, width, height, channels, colorOrder, isFlipped } = storage
  if (axes === 'HWC' && channels === 3 && colorOrder === 'rgb' && !isFlipped) return stored
  if (axes === 'HWC' && channels === 3 && colorOrder === 'rgb') return flipRows(stored, width * 3, height)
  const rgb = new Uint8Array(width * height * 3)
  const plane = axes === 'CHW' ? width * height : 1
  const step = axes === 'CHW' ? 1 : channels
  const red = channels === 1 ? 0 : colorOrder === 'bgr' ? 2 * plane : 0
  const green = channels === 1 ? 0 : plane
  const blue = channels === 1 ? 0 : colorOrder === 'bgr' ? 0 : 2 * plane
  let to = 0
  for (let y = 0; y < height; y++) {
    let from = (isFlipped ? height - 1 - y : y) * width * step
    for (let x = 0; x < width; x++) {
      rgb[to] = stored[from + red] ?? 0
      rgb[to + 1] = stored[from + green] ?? 0
      rgb[to + 2] = stored[from + blue] ?? 0
      to += 3
      from += step
    }
  }
  return rgb
}

function flipRows(stored: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const flipped = new Uint8Array(stored.length)
  for (let y = 0; y < height; y++) {
    flipped.set(stored.subarray(y * rowBytes, (y + 1) * rowBytes), (height - 1 - y) * rowBytes)
  }
  return flipped
}
