import type { Codec } from '../src/containers/codec/codec.ts'
import type { CameraFrames, Dataset } from '../src/dataset.ts'
import type { CameraFeature, ColumnFeature } from '../src/feature.ts'
import { createMemoryDataset } from './memory-dataset.ts'

const side = 32
export const filmedCamera: CameraFeature = {
  kind: 'camera',
  name: 'observation.images.top',
  storage: 'video',
  width: side,
  height: side,
  channels: 3,
  info: {},
}
const state: ColumnFeature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [1], names: null }

interface Film {
  /** The grey of each frame. */
  levels: readonly number[]
  episodeCount: number
  keyframeInterval?: number
}

/** So many equal episodes, each of them the whole film, which is made at `path`. */
export async function filmDataset(codec: Codec, path: string, film: Film): Promise<Dataset> {
  const { levels, episodeCount, keyframeInterval } = film
  const length = levels.length
  const frames = async function* () {
    for (const level of levels) yield new Uint8Array(side * side * 3).fill(level)
  }
  const settings = { codec: 'h264', fps: 10, ...(keyframeInterval && { keyframeInterval }) } as const
  await codec.encode({ path, width: side, height: side, settings, frames })
  const packets: CameraFrames = { kind: 'packets', file: path, startFrame: 0, frameCount: length }
  const columns = new Map([[state.name, Float32Array.from({ length }, (_, row) => row)]])
  const episode = { length, tasks: ['look'], columns, cameras: new Map([[filmedCamera.name, packets]]) }
  return createMemoryDataset(
    [state, filmedCamera],
    Array.from({ length: episodeCount }, () => episode),
  )
}
