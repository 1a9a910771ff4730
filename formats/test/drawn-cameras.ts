import type { CameraFrames, Dataset, FrameRequest, Picture } from '../src/dataset.ts'
import type { Feature } from '../src/feature.ts'
import { createRandom } from './planted-defects.ts'
import { openSignalSet, type SignalSet } from './signal-set.ts'

export const drawnWidth = 96
export const drawnHeight = 72
export const drawnCameras = ['observation.images.front', 'observation.images.top'] as const

/** What a camera gives of one frame: RGB bytes. */
export type DrawFrame = (position: number, camera: number, frame: number) => Uint8Array

/** Two cameras that look at a table with an arm on it, whose joints follow the state. Sensors have noise; the same set gives the same pixels. */
export function createDrawing(set: SignalSet): DrawFrame {
  const backdrops = drawnCameras.map((_, camera) => drawBackdrop(camera))
  const width = set.names.length
  const ranges = Array.from({ length: Math.min(4, width) }, (_, joint) => {
    const values = set.episodes.flatMap(({ state }) => Array.from(state.filter((__, at) => at % width === joint)))
    const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
    const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
    return { low, span: high - low || 1 }
  })
  return (position, camera, frame) => {
    const luma = Float32Array.from(backdrops[camera] as Float32Array)
    const rows = set.episodes[position]?.state ?? new Float32Array(0)
    const joints = ranges.map(({ low, span }, joint) => ((rows[frame * width + joint] as number) - low) / span)
    const [a = 0.5, b = 0.5, c = 0.5, d = 0.5] = joints
    // Something on the table that lies elsewhere in every episode.
    const place = createRandom(position * 31 + 7)
    drawBall(luma, 20 + 50 * place(), 45 + 15 * place(), 5, camera === 0 ? 210 : 40)
    const base = camera === 0 ? [48, 66] : [10, 36]
    const angle = camera === 0 ? -2.4 + 1.7 * a : -0.9 + 1.8 * a
    const reach = 22 + 14 * b
    const elbow = [(base[0] as number) + Math.cos(angle) * reach, (base[1] as number) + Math.sin(angle) * reach]
    const second = angle + (camera === 0 ? 0.3 + c : 0.9 * (c - 0.5))
    const tip = [
      (elbow[0] as number) + Math.cos(second) * (14 + 8 * d),
      (elbow[1] as number) + Math.sin(second) * (14 + 8 * d),
    ]
    drawBar(luma, base, elbow, 4, 30)
    drawBar(luma, elbow, tip, 3, 225)
    const noise = createRandom((position * 7919 + frame) * 4 + camera)
    const pixels = new Uint8Array(luma.length * 3)
    for (let at = 0; at < luma.length; at++) {
      const value = Math.round((luma[at] as number) + (noise() - 0.5) * 2)
      pixels[at * 3] = pixels[at * 3 + 1] = pixels[at * 3 + 2] = Math.min(255, Math.max(0, value))
    }
    return pixels
  }
}

/** The set with two cameras that show what `draw` gives. */
export function openDrawnSet(set: SignalSet, draw: DrawFrame): Dataset {
  const signals = openSignalSet(set)
  const cameras = drawnCameras.map(
    (name): Feature => ({
      kind: 'camera',
      name,
      storage: 'video',
      width: drawnWidth,
      height: drawnHeight,
      channels: 3,
      info: {},
    }),
  )
  return {
    ...signals,
    features: [...signals.features, ...cameras],
    getEpisode: (position) => {
      const episode = signals.getEpisode(position)
      return {
        ...episode,
        openCamera: async (name): Promise<CameraFrames> => {
          const camera = drawnCameras.indexOf(name as (typeof drawnCameras)[number])
          const size = { width: drawnWidth, height: drawnHeight, channels: 3 }
          return {
            kind: 'pixels',
            frameCount: episode.length,
            ...size,
            async *read({ frames }: FrameRequest = {}): AsyncGenerator<Picture> {
              for (const frameIndex of frames ?? Array.from({ length: episode.length }, (_, frame) => frame))
                yield { frameIndex, ...size, data: draw(position, camera, frameIndex) }
            },
          }
        },
      }
    },
  }
}

/** A wall, a table and things that stand about, other ones before each camera. */
function drawBackdrop(camera: number): Float32Array {
  const random = createRandom(camera * 101 + 3)
  const luma = new Float32Array(drawnWidth * drawnHeight)
  const horizon = camera === 0 ? 30 : 8
  for (let y = 0; y < drawnHeight; y++)
    for (let x = 0; x < drawnWidth; x++)
      luma[y * drawnWidth + x] = y < horizon ? 150 + 20 * Math.sin(x / 9) : 95 + 12 * (((x >> 3) + (y >> 3)) & 1)
  for (let thing = 0; thing < 9; thing++)
    drawBall(luma, random() * drawnWidth, random() * drawnHeight, 3 + random() * 6, 40 + random() * 180)
  return luma
}

function drawBall(luma: Float32Array, x: number, y: number, radius: number, value: number): void {
  drawBar(luma, [x, y], [x, y], radius, value)
}

/** With round ends and soft edges. */
function drawBar(
  luma: Float32Array,
  from: readonly number[],
  to: readonly number[],
  radius: number,
  value: number,
): void {
  const [ax = 0, ay = 0] = from
  const [bx = 0, by = 0] = to
  const [dx, dy] = [bx - ax, by - ay]
  const squared = dx * dx + dy * dy || 1e-9
  const reach = radius + 1
  for (
    let y = Math.max(0, Math.floor(Math.min(ay, by) - reach));
    y < Math.min(drawnHeight, Math.max(ay, by) + reach);
    y++
  )
    for (
      let x = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
      x < Math.min(drawnWidth, Math.max(ax, bx) + reach);
      x++
    ) {
      const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared))
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x - ax - dx * along, y - ay - dy * along)))
      const at = y * drawnWidth + x
      luma[at] = (luma[at] as number) * (1 - cover) + value * cover
    }
}
