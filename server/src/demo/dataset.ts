import type { Block, BlockRequest, Dataset, Episode, FrameRequest, Picture } from '@nmp/formats/dataset'
import type { Feature } from '@nmp/formats/feature'
import { defaultSplits } from '@nmp/formats/splits'
import { jointNames, listJoints } from './arm.ts'
import { type CameraName, cameraNames, createPainter, pictureHeight, pictureWidth } from './picture.ts'
import { type DemoEpisode, episodeCount, fps, playEpisode, type Scene } from './script.ts'

const cameraPrefix = 'observation.images.'

const features: readonly Feature[] = [
  ...['observation.state', 'action'].map(
    (name): Feature => ({
      kind: 'column',
      name,
      dtype: 'float32',
      shape: [jointNames.length],
      names: [...jointNames],
    }),
  ),
  ...cameraNames.map(
    (name): Feature => ({
      kind: 'camera',
      name: cameraPrefix + name,
      storage: 'video',
      width: pictureWidth,
      height: pictureHeight,
      channels: 3,
      info: {},
    }),
  ),
]

/** The simulated demonstrations as any other dataset: episodes are played and pictures are drawn when they are read. */
export const openDemoDataset = (count = episodeCount): Dataset => {
  const lengths = Array.from({ length: count }, (_, index) => playEpisode(index).scenes.length)
  const painters = new Map<CameraName, (scene: Scene) => Uint8Array>()
  const painterOf = (name: CameraName) => {
    const known = painters.get(name) ?? createPainter(name)
    painters.set(name, known)
    return known
  }
  const close = async (): Promise<void> => undefined
  return {
    origin: { layout: 'simulation', version: '1', details: { seeded: true } },
    fps,
    robotType: 'so100_simulated',
    features,
    episodeCount: count,
    frameCount: lengths.reduce((sum, length) => sum + length, 0),
    findings: [],
    getEpisode: (position) => describeEpisode(position, playEpisode(position), painterOf),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const describeEpisode = (
  index: number,
  { task, scenes }: DemoEpisode,
  painterOf: (name: CameraName) => (scene: Scene) => Uint8Array,
): Episode => ({
  sourceIndex: index,
  sourceId: String(index),
  length: scenes.length,
  tasks: [task],
  splits: defaultSplits,
  async *readBlocks({ columns, startFrame = 0, endFrame = scenes.length }: BlockRequest = {}): AsyncGenerator<Block> {
    const shown = scenes.slice(startFrame, endFrame)
    const all = new Map([
      ['observation.state', Float32Array.from(shown.flatMap(({ state }) => listJoints(state)))],
      ['action', Float32Array.from(shown.flatMap(({ action }) => listJoints(action)))],
    ])
    const wanted = new Map([...all].filter(([name]) => columns?.includes(name) ?? true))
    yield { startFrame, frameCount: shown.length, columns: wanted }
  },
  async openCamera(camera) {
    const name = cameraNames.find((one) => cameraPrefix + one === camera)
    if (!name) throw new Error(`the simulation has no camera ${camera}`)
    const paint = painterOf(name)
    const size = { width: pictureWidth, height: pictureHeight, channels: 3 }
    return {
      kind: 'pixels',
      frameCount: scenes.length,
      ...size,
      async *read({ frames, signal }: FrameRequest = {}): AsyncGenerator<Picture> {
        for (const frameIndex of frames ?? scenes.keys()) {
          signal?.throwIfAborted()
          const scene = scenes[frameIndex]
          if (scene) yield { frameIndex, ...size, data: paint(scene) }
        }
      },
    }
  },
})
