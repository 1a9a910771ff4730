import { randomFillSync } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile } from '../../../formats/src/bytes.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import { createMp4Writer } from '../../../formats/src/containers/video/writer.ts'
import type { Dataset, Picture } from '../../../formats/src/dataset.ts'
import type { CameraFeature, ColumnFeature } from '../../../formats/src/feature.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'

const width = 640
const height = 480
export const recordedCamera = 'observation.images.front'

const camera: CameraFeature = {
  kind: 'camera',
  name: recordedCamera,
  storage: 'video',
  width,
  height,
  channels: 3,
  info: {},
}
const state: ColumnFeature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [6], names: null }

/** Pictures with edges, gradients and movement, so that they cost a decoder what a room does. */
function drawFrame(episode: number, frame: number): Uint8Array {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      const texture = ((x * 7 + episode * 13) ^ (y * 5 + frame * 3)) & 63
      data[at] = (x / 4 + texture + frame * 2) & 255
      data[at + 1] = (y / 3 + texture + episode) & 255
      data[at + 2] = ((x + y) / 6 + texture) & 255
    }
  }
  return data
}

/** Episodes of 640x480 AV1 at 30 frames a second, as a recorder would leave them. */
export function createRecording(episodeCount: number, length: number): Dataset {
  const episodes = Array.from({ length: episodeCount }, (_, episode) => ({
    length,
    tasks: ['Sort the cubes'],
    columns: new Map([[state.name, Float32Array.from({ length: length * 6 }, (_, at) => Math.sin(at / 9 + episode))]]),
    cameras: new Map([
      [
        camera.name,
        {
          kind: 'pixels' as const,
          frameCount: length,
          width,
          height,
          channels: 3,
          read: async function* (): AsyncGenerator<Picture> {
            for (let frameIndex = 0; frameIndex < length; frameIndex++)
              yield { frameIndex, width, height, channels: 3, data: drawFrame(episode, frameIndex) }
          },
        },
      ],
    ]),
  }))
  return createMemoryDataset([state, camera], episodes, 64, 30)
}

/** A video file of at least so many bytes: noise encoded once, its packets joined again and again. */
export async function writeLargeVideo(
  folder: string,
  sizeBytes: number,
): Promise<{ path: string; frameCount: number }> {
  await mkdir(folder, { recursive: true })
  const piece = join(folder, 'piece.mp4')
  const frames = async function* () {
    for (let frame = 0; frame < 24; frame++) yield randomFillSync(new Uint8Array(width * height * 3))
  }
  await using codec = openCodec()
  await codec.encode({ path: piece, width, height, settings: { codec: 'h264', fps: 30, crf: 12 }, frames })
  await using source = await openFile(piece)
  await using video = await openVideo(source)
  const path = join(folder, 'large.mp4')
  const writer = createMp4Writer({ path: `${path}.part`, fps: 30 })
  while (writer.packetBytes < sizeBytes) writer.append(video, 0, video.facts.frameCount)
  const { frameCount } = await writer.finish()
  await rename(`${path}.part`, path)
  return { path, frameCount }
}
