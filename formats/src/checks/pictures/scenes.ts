import { findMedian } from '../../statistics/usual.ts'
import { type CameraTraces, sceneHeight, sceneWidth } from './camera-traces.ts'

/** The usual scene of a camera is drawn from this many episodes, spread over the set. */
const sampled = 100

/** The mean picture of every episode, by camera: three kilobytes each. */
export class Scenes {
  readonly #scenes = new Map<string, Map<number, Uint8Array>>()

  add({ camera, position, frames, scene }: CameraTraces): void {
    if (frames === 0) return
    const ofCamera = this.#scenes.get(camera) ?? new Map<number, Uint8Array>()
    ofCamera.set(position, Uint8Array.from(scene, Math.round))
    this.#scenes.set(camera, ofCamera)
  }

  get cameras(): string[] {
    return [...this.#scenes.keys()]
  }

  list(camera: string): [position: number, scene: Uint8Array][] {
    return [...(this.#scenes.get(camera) ?? [])]
  }

  find(camera: string, position: number): Uint8Array | undefined {
    return this.#scenes.get(camera)?.get(position)
  }

  /** The median of the episodes, pixel by pixel. */
  drawUsual(camera: string): Uint8Array {
    const all = this.list(camera)
    const step = Math.max(1, all.length / sampled)
    const some = Array.from({ length: Math.min(all.length, sampled) }, (_, at) => all[Math.floor(at * step)]?.[1])
    return Uint8Array.from({ length: sceneWidth * sceneHeight }, (_, at) =>
      findMedian(Float64Array.from(some, (scene) => scene?.[at] ?? 0)),
    )
  }
}

/** Pearson's correlation of two scenes, the second moved by so many pixels; of what both show. */
export function compareScenes(one: Uint8Array, other: Uint8Array, right = 0, down = 0): number {
  let [count, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0]
  for (let row = Math.max(0, down); row < Math.min(sceneHeight, sceneHeight + down); row++)
    for (let column = Math.max(0, right); column < Math.min(sceneWidth, sceneWidth + right); column++) {
      const a = one[row * sceneWidth + column] as number
      const b = other[(row - down) * sceneWidth + column - right] as number
      count++
      x += a
      y += b
      xx += a * a
      yy += b * b
      xy += a * b
    }
  const spread = Math.sqrt((xx - (x * x) / count) * (yy - (y * y) / count))
  return spread > 0 ? (xy - (x * y) / count) / spread : 0
}
