import type { ImageFrames } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import type { OpenRanges } from '../lerobot-v3/videos.ts'
import { openFrameStream } from './bitstream.ts'
import type { Topic } from './episode-file.ts'
import type { RecordBytes } from './record-bytes.ts'
import { compressedImage, compressedVideo, frameImage, frameVideo, putPicture } from './schemas.ts'
import { nameTopic } from './signals.ts'

/** Writes one frame behind the timestamp of its message; before the next one is asked for. */
type PictureMessage = (message: RecordBytes) => void

export interface CameraTopic extends Topic {
  /** One message a frame, in order. */
  readonly messages: AsyncGenerator<PictureMessage>
}

/** Packets as they are, in ranges that begin with keyframes; they are read into `memory`, which is no other camera's. */
export const describeVideoTopic = (camera: CameraFeature, ranges: OpenRanges, memory: Uint8Array): CameraTopic => ({
  ...{ topic: nameTopic(camera.name), schema: compressedVideo, metadata: describeCamera(camera) },
  messages: readRanges(camera.name, ranges, memory),
})

/** Pictures that lie in the rows as PNG or JPEG, as they are. */
export const describeImageTopic = (camera: CameraFeature, frames: ImageFrames): CameraTopic => ({
  ...{ topic: nameTopic(camera.name), schema: compressedImage, metadata: describeCamera(camera) },
  messages: readImages(camera.name, frames),
})

function describeCamera({ name, width, height, depth }: CameraFeature): Record<string, string> {
  const facts = { feature: name, width: String(width), height: String(height) }
  return depth ? { ...facts, depth: JSON.stringify(depth) } : facts
}

async function* readRanges(frameId: string, ranges: OpenRanges, memory: Uint8Array): AsyncGenerator<PictureMessage> {
  for (const { video, startFrame, endFrame } of ranges) {
    const { format, frame } = openFrameStream(video)
    const fields = frameVideo(frameId, format)
    let next = startFrame
    // A frame is in its message before the next one is asked for.
    for await (const packet of video.readPackets(startFrame, endFrame, () => memory)) {
      if (packet.frameIndex !== next++)
        throw new FormatError('episode_unreadable', `frame ${next - 1} of ${frameId} is stored in another place.`)
      yield (message) => putPicture(message, fields, frame(packet))
    }
  }
}

async function* readImages(frameId: string, frames: ImageFrames): AsyncGenerator<PictureMessage> {
  for await (const { bytes } of frames.read()) {
    const format = bytes[0] === 0xff && bytes[1] === 0xd8 ? 'jpeg' : 'png'
    const fields = frameImage(frameId, format)
    yield (message) => putPicture(message, fields, [bytes])
  }
}
