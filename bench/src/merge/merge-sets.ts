import { join } from 'node:path'
import type { CameraFrames, Dataset, FrameRequest, Picture } from '@nmp/formats/dataset'
import type { Feature } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { write } from '@nmp/formats/lerobot/writer'
import { mergeDatasets } from '@nmp/formats/merge'

/** A dataset in memory whose pictures are noise, so that its videos are as large as those of real cameras. */

/** Ten seconds an episode, as people record them: fixtures of the campaigns have 180 and 300 frames. */
const [fps, frameCount, dimensions] = [30, 300, 14]
export const episodesACopy = 2
const size = { width: 320, height: 240, channels: 3 }
const cameras = ['observation.images.front', 'observation.images.wrist']
/** Brightness that a pixel is off by: some 2.6 KB a picture; recordings of arms that we have take 2.0 and 5.0 KB. */
const grain = 40

const describe = (name: string): Feature => ({
  kind: 'column',
  name,
  dtype: 'float32',
  shape: [dimensions],
  names: Array.from({ length: dimensions }, (_, joint) => `joint_${joint}`),
})

const features: Feature[] = [
  describe('observation.state'),
  describe('action'),
  ...cameras.map((name): Feature => ({ kind: 'camera', name, storage: 'video', ...size, info: {} })),
]

function createRandom(seed: number): () => number {
  let state = seed * 2654435761 + 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function draw(seed: number): Uint8Array {
  const random = createRandom(seed)
  const pixels = new Uint8Array(size.width * size.height * size.channels)
  for (let at = 0; at < pixels.length; at++)
    pixels[at] = 80 + 60 * Math.sin(at / 700 + seed / 9) + grain * (random() - 0.5)
  return pixels
}

function makeSmall(): Dataset {
  const close = async () => {}
  return {
    origin: { layout: 'noise', version: '1', details: {} },
    fps,
    robotType: 'arm',
    features,
    episodeCount: episodesACopy,
    frameCount: episodesACopy * frameCount,
    findings: [],
    getEpisode: (position) => ({
      sourceIndex: position,
      sourceId: String(position),
      length: frameCount,
      tasks: ['push the cube'],
      splits: [],
      async *readBlocks({ startFrame = 0, endFrame = frameCount } = {}) {
        const random = createRandom(position)
        const rows = () => Float32Array.from({ length: (endFrame - startFrame) * dimensions }, () => random() - 0.5)
        const columns = new Map([
          ['observation.state', rows()],
          ['action', rows()],
        ])
        yield { startFrame, frameCount: endFrame - startFrame, columns }
      },
      openCamera: async (name): Promise<CameraFrames> => ({
        kind: 'pixels',
        frameCount,
        ...size,
        async *read({ frames }: FrameRequest = {}): AsyncGenerator<Picture> {
          for (const frameIndex of frames ?? Array.from({ length: frameCount }, (_, frame) => frame))
            yield { frameIndex, ...size, data: draw(position * 1000 + frameIndex + name.length * 100_000) }
        },
      }),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export const open = async (folder: string): Promise<Dataset> => openDataset(await openFolder(folder))

/** Sizes at which a new file is begun. */
type Limits = Pick<NonNullable<Parameters<typeof write>[2]>, 'dataLimitBytes' | 'videoLimitBytes'>

export const merge = async (datasets: readonly Dataset[], target: string, limits: Limits = {}): Promise<void> => {
  const said = { datasetId: '', revision: '', recipe: null, map: null }
  const inputs = datasets.map((dataset, place) => ({ dataset, title: String(place), said }))
  await write(await mergeDatasets(inputs), target, { cameraStatistics: 'carry', ...limits })
}

/** Of an episode in videos and rows, a little more than they are. */
const [videoBytes, rowBytes] = [800_000, 40_000]

/**
 * Two sets of `copies` times two episodes, with some 1.5 MB of video each; answers their folders. A file a camera, or one for each of
 * `sessions`: lerobot's recorder begins another whenever it is started again for the same set.
 */
export async function makeSets(folder: string, copies: number, sessions = 1): Promise<string[]> {
  const one = join(folder, 'one')
  await write(makeSmall(), one, { videoCodec: 'h264' })
  await using small = await open(one)
  // Packet by packet, so that the videos are joined as a recorder would have them.
  const { intact: _, ...parts } = small
  const sets = ['a', 'b'].map((name) => join(folder, name))
  const perFile = (copies * episodesACopy) / sessions
  const limits = sessions > 1 ? { videoLimitBytes: perFile * videoBytes, dataLimitBytes: perFile * rowBytes } : {}
  for (const set of sets) await merge(Array<Dataset>(copies).fill(parts), set, limits)
  return sets
}
