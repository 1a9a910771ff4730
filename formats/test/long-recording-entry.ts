import type { Block, Dataset, Episode, PixelFrames } from '../src/dataset.ts'
import type { Feature } from '../src/feature.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'

/**
 * `node long-recording-entry.ts FOLDER FRAMES [no-camera]`: three episodes of a two-armed robot at 100 Hz in one video file, the middle one
 * as long as asked for. Every picture carries its place in the file, so a neighbour's frame is told from an own one.
 */
const [folder = '', frames = '360000', camera = 'camera'] = process.argv.slice(2)
const size = { width: 64, height: 32 }
const blockRows = 4096
const joints = ['waist', 'shoulder', 'elbow', 'forearm_roll', 'wrist_angle', 'wrist_rotate', 'gripper']
const names = ['left', 'right'].flatMap((side) => joints.map((joint) => `${side}_${joint}.pos`))
const lengths = [150, Number(frames), 150]

const features: Feature[] = [
  ...['observation.state', 'action'].map(
    (name): Feature => ({ kind: 'column', name, dtype: 'float32', shape: [names.length], names }),
  ),
  ...(camera === 'camera'
    ? [
        {
          kind: 'camera' as const,
          name: 'observation.images.top',
          storage: 'video' as const,
          ...size,
          channels: 3,
          info: {},
        },
      ]
    : []),
]

/** The last sixteen bits of the number as light and dark columns: some microseconds a picture. */
function drawPicture(number: number): Uint8Array {
  const data = new Uint8Array(size.width * size.height * 3).fill(96)
  for (let bit = 0; bit < 16; bit++) {
    const from = (bit * size.width) / 16
    if ((number >> (15 - bit)) & 1)
      for (let y = 0; y < size.height / 2; y++)
        data.fill(232, (y * size.width + from) * 3, (y * size.width + from + size.width / 16) * 3)
  }
  return data
}

/** Slow motion, a tremor, and one spike a minute that must survive any decimation. */
function readValue(frame: number, dimension: number, lag: number): number {
  const at = frame - lag
  const slow = Math.sin(at / (900 + 130 * dimension) + dimension)
  const tremor = 0.03 * Math.sin(at * 0.9 + dimension) * Math.sin(at / 5000)
  return slow + tremor + (frame % 6000 === 3000 + dimension * 7 ? 1.5 : 0)
}

function readColumn(start: number, count: number, lag: number): Float32Array {
  const values = new Float32Array(count * names.length)
  for (let row = 0, at = 0; row < count; row++)
    for (let dimension = 0; dimension < names.length; dimension++) values[at++] = readValue(start + row, dimension, lag)
  return values
}

function openEpisode(position: number): Episode {
  const length = lengths[position] ?? 0
  const before = lengths.slice(0, position).reduce((sum, one) => sum + one, 0)
  const pictures: PixelFrames = {
    kind: 'pixels',
    frameCount: length,
    ...size,
    channels: 3,
    read: async function* ({ frames: wanted } = {}) {
      for (const frameIndex of wanted ?? Array.from({ length }, (_, index) => index))
        yield { frameIndex, ...size, channels: 3, data: drawPicture(before + frameIndex) }
    },
  }
  return {
    sourceIndex: position,
    sourceId: String(position),
    length,
    tasks: ['Sort the tools, both arms'],
    splits: ['train'],
    readBlocks: async function* ({ startFrame = 0, endFrame = length } = {}): AsyncGenerator<Block> {
      for (let start = startFrame; start < endFrame; start += blockRows) {
        const frameCount = Math.min(blockRows, endFrame - start)
        const columns = new Map([
          ['observation.state', readColumn(start, frameCount, 8)],
          ['action', readColumn(start, frameCount, 0)],
        ])
        yield { startFrame: start, frameCount, columns }
      }
    },
    openCamera: async () => pictures,
  }
}

const dataset: Dataset = {
  origin: { layout: 'memory', version: '1', details: {} },
  fps: 100,
  robotType: 'aloha',
  features,
  episodeCount: lengths.length,
  frameCount: lengths.reduce((sum, one) => sum + one, 0),
  findings: [],
  getEpisode: openEpisode,
  close: async () => {},
  [Symbol.asyncDispose]: async () => {},
}
await write(dataset, folder, { videoCodec: 'h264' })
