import type { CameraFrames, Dataset } from '@nmp/formats/dataset'
import type { CameraFeature, ColumnFeature } from '@nmp/formats/feature'
import { encodePng } from '@nmp/formats/image'
import { createMemoryDataset, type MemoryEpisode } from '../../formats/test/memory-dataset.ts'
import { drawNumberedPicture } from '../../formats/test/numbered-picture.ts'

/** A camera kept as film, one kept as pictures in the rows, one that measures distances. */
export const richCameras = ['observation.images.front', 'observation.images.wrist', 'observation.depth.top'] as const
const [front, wrist, top] = richCameras
const size = { width: 96, height: 80 }

const camera = (name: string, storage: 'video' | 'image'): CameraFeature => ({
  kind: 'camera',
  name,
  storage,
  ...size,
  channels: 3,
  info: {},
})
const depth = { minMeters: 0.01, maxMeters: 10, shift: 3.5, logarithmic: true, unit: 'm' } as const
const column = (name: string, dtype: 'float32' | 'int64', width: number): ColumnFeature => ({
  kind: 'column',
  name,
  dtype,
  shape: [width],
  names: null,
})

/** Everything that a recipe changes: three kinds of cameras, several tasks within an episode, splits, an action to smooth. */
export function makeRichRecording(lengths: readonly number[], hasState = true): Dataset {
  const features = [
    ...(hasState ? [column('observation.state', 'float32', 3)] : []),
    column('action', 'float32', 2),
    column('reward', 'int64', 1),
    camera(front, 'video'),
    camera(wrist, 'image'),
    { ...camera(top, 'video'), channels: 1, depth },
  ]
  return createMemoryDataset(features, lengths.map(makeEpisode))
}

function makeEpisode(length: number, episode: number): MemoryEpisode {
  const wave = (width: number, speed: number) =>
    Float32Array.from({ length: length * width }, (_, at) => Math.sin(at * speed) * (episode + 1) + (at % width))
  const hasTwo = episode % 3 === 1
  return {
    length,
    tasks: hasTwo ? ['reach', `place ${episode}`] : [episode % 2 === 0 ? 'reach' : 'rest'],
    splits: [episode % 4 === 3 ? 'val' : 'train'],
    ...(hasTwo && { taskIndex: Uint32Array.from({ length }, (_, frame) => (frame < length / 2 ? 0 : 1)) }),
    columns: new Map<string, Float32Array | BigInt64Array>([
      ['observation.state', wave(3, 0.21 + episode * 0.05)],
      ['action', wave(2, 0.7)],
      ['reward', BigInt64Array.from({ length }, (_, frame) => BigInt(frame % 3))],
    ]),
    cameras: new Map<string, CameraFrames>([
      [front, film(length, 3, (frame) => drawNumberedPicture(size.width, size.height, frame + episode))],
      [wrist, pictures(length, episode)],
      [top, film(length, 1, (frame) => drawDistances(frame + episode))],
    ]),
  }
}

const film = (
  frameCount: number,
  channels: number,
  draw: (frame: number) => Uint8Array | Uint16Array,
): CameraFrames => ({
  kind: 'pixels',
  frameCount,
  ...size,
  channels,
  read: async function* () {
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex++)
      yield { frameIndex, ...size, channels, data: draw(frameIndex) }
  },
})

const pictures = (frameCount: number, episode: number): CameraFrames => ({
  kind: 'images',
  frameCount,
  read: async function* ({ frames } = {}) {
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
      if (frames && !frames.includes(frameIndex)) continue
      const data = drawNumberedPicture(size.width, size.height, frameIndex * 3 + episode)
      yield { frameIndex, bytes: await encodePng({ ...size, channels: 3, data }) }
    }
  },
})

const drawDistances = (number: number): Uint16Array =>
  Uint16Array.from({ length: size.width * size.height }, (_, at) => (at * 7 + number * 40) % 4096)
