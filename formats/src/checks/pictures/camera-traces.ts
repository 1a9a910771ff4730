import type { SmallPicture } from './small-pictures.ts'

/** One camera of one episode, frame by frame; some twenty bytes a frame. */
export interface CameraTraces {
  readonly position: number
  readonly camera: string
  readonly frames: number
  /** Mean brightness, 0 to 255. */
  readonly brightness: Float32Array
  /** How far the pixels are from it, root mean square. */
  readonly contrast: Float32Array
  /** Share of the pixels that are as good as white. */
  readonly burnt: Float32Array
  /** Variance of the Laplacian: little where nothing has an edge. */
  readonly sharpness: Float32Array
  /** Mean change of a pixel since the frame before; the first has none. */
  readonly change: Float32Array
  /** The mean picture of the episode, `sceneWidth` times `sceneHeight`. */
  readonly scene: Float32Array
}

export const sceneWidth = 64
export const sceneHeight = 48
const burntLuma = 250

export async function traceCamera(
  position: number,
  camera: string,
  length: number,
  pictures: AsyncIterable<SmallPicture>,
): Promise<CameraTraces> {
  const create = () => new Float32Array(length)
  const traces = { brightness: create(), contrast: create(), burnt: create(), sharpness: create(), change: create() }
  const scene = new Float32Array(sceneWidth * sceneHeight)
  let before: SmallPicture | undefined
  let frames = 0
  for await (const picture of pictures) {
    if (frames >= length) break
    const { mean, deviation, burnt } = measureLight(picture.luma)
    traces.brightness[frames] = mean
    traces.contrast[frames] = deviation
    traces.burnt[frames] = burnt
    traces.sharpness[frames] = measureSharpness(picture)
    if (before?.luma.length === picture.luma.length) traces.change[frames] = measureChange(before.luma, picture.luma)
    addScene(scene, picture)
    before = picture
    frames++
  }
  for (let at = 0; at < scene.length; at++) scene[at] = (scene[at] as number) / Math.max(1, frames)
  return { position, camera, frames, ...traces, scene }
}

function measureLight(luma: Uint8Array): { mean: number; deviation: number; burnt: number } {
  let [sum, squares, burnt] = [0, 0, 0]
  for (let at = 0; at < luma.length; at++) {
    const value = luma[at] as number
    sum += value
    squares += value * value
    if (value >= burntLuma) burnt++
  }
  const mean = sum / luma.length
  return {
    mean,
    deviation: Math.sqrt(Math.max(0, squares / luma.length - mean * mean)),
    burnt: burnt / luma.length,
  }
}

function measureSharpness({ width, height, luma }: SmallPicture): number {
  let [sum, squares, count] = [0, 0, 0]
  for (let y = 1; y < height - 1; y++)
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      const bend =
        4 * (luma[at] as number) -
        (luma[at - 1] as number) -
        (luma[at + 1] as number) -
        (luma[at - width] as number) -
        (luma[at + width] as number)
      sum += bend
      squares += bend * bend
      count++
    }
  return count === 0 ? 0 : squares / count - (sum / count) ** 2
}

function measureChange(before: Uint8Array, after: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < before.length; at++) sum += Math.abs((after[at] as number) - (before[at] as number))
  return sum / before.length
}

/** By the nearest pixel: a mean over many frames is smooth enough. */
function addScene(scene: Float32Array, { width, height, luma }: SmallPicture): void {
  for (let y = 0; y < sceneHeight; y++) {
    const row = Math.floor(((y + 0.5) * height) / sceneHeight) * width
    for (let x = 0; x < sceneWidth; x++) {
      const at = y * sceneWidth + x
      scene[at] = (scene[at] as number) + (luma[row + Math.floor(((x + 0.5) * width) / sceneWidth)] as number)
    }
  }
}

/** Grey levels: darker, and flatter, nothing can be seen; a dark room has shapes. */
export const blackBrightness = 16
const flatContrast = 10

export const isBlack = ({ brightness, contrast }: CameraTraces, frame: number, limit = blackBrightness): boolean =>
  (brightness[frame] as number) < limit && (contrast[frame] as number) < flatContrast
