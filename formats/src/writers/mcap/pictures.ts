import { pieceBytes } from '../../containers/video/packets.ts'
import type { ImageFrames } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import type { OpenRange, OpenRanges } from '../lerobot-v3/videos.ts'
import { type FrameStream, openFrameStream } from './bitstream.ts'
import type { Topic } from './episode-file.ts'
import type { RecordBytes } from './record-bytes.ts'
import { compressedImage, compressedVideo, frameImage, frameVideo, type PictureFields, putPicture } from './schemas.ts'
import { nameTopic } from './signals.ts'

/** The frames of a camera in order, read ahead of whoever puts them into messages. */
export interface Pictures {
  /** Whether the next frame is in memory; where it is not, `wait` has to come first. */
  readonly isReady: boolean
  /** False where no frame is left. */
  wait(): Promise<boolean>
  /** Writes the next frame behind the timestamp of its message. */
  put(message: RecordBytes): void
  close(): Promise<void>
}

export interface CameraTopic extends Topic {
  readonly pictures: Pictures
}

/** For the packets of a camera that are taken, and for those that are read meanwhile. */
export type PacketMemory = readonly [Uint8Array, Uint8Array]

export const createPacketMemory = (): PacketMemory => [new Uint8Array(pieceBytes), new Uint8Array(pieceBytes)]

/** Packets as they are, in ranges that begin with keyframes; they are read into `memory`, which is no other camera's. */
export const describeVideoTopic = (camera: CameraFeature, ranges: OpenRanges, memory: PacketMemory): CameraTopic => ({
  ...{ topic: nameTopic(camera.name), schema: compressedVideo, metadata: describeCamera(camera) },
  pictures: new PacketPictures(camera.name, ranges, memory),
})

/** Pictures that lie in the rows as PNG or JPEG, as they are. */
export const describeImageTopic = (camera: CameraFeature, frames: ImageFrames): CameraTopic => ({
  ...{ topic: nameTopic(camera.name), schema: compressedImage, metadata: describeCamera(camera) },
  pictures: new ImagePictures(camera.name, frames),
})

function describeCamera({ name, width, height, depth }: CameraFeature): Record<string, string> {
  const facts = { feature: name, width: String(width), height: String(height) }
  return depth ? { ...facts, depth: JSON.stringify(depth) } : facts
}

interface Piece {
  readonly range: OpenRange
  readonly bytes: Uint8Array
}

/** Packets in their order, piece by piece of the file: one promise a megabyte instead of several a frame. */
class PacketPictures implements Pictures {
  readonly #frameId: string
  readonly #pieces: AsyncGenerator<Piece>
  #coming: Promise<IteratorResult<Piece, void>>
  #range: OpenRange | undefined
  #stream: FrameStream | undefined
  #fields: PictureFields | undefined
  #bytes: Uint8Array = new Uint8Array()
  #at = 0
  #packet = 0
  #frame = 0

  constructor(frameId: string, ranges: OpenRanges, memory: PacketMemory) {
    this.#frameId = frameId
    this.#pieces = readPieces(ranges, memory)
    this.#coming = this.#ask()
  }

  get isReady(): boolean {
    return this.#at < this.#bytes.length
  }

  async wait(): Promise<boolean> {
    while (!this.isReady) {
      const { value, done } = await this.#coming
      if (done || !value) return false
      if (value.range !== this.#range) this.#begin(value.range)
      this.#bytes = value.bytes
      this.#at = 0
      // Whose memory it takes has been put into messages.
      this.#coming = this.#ask()
    }
    return true
  }

  put(message: RecordBytes): void {
    const { packets } = (this.#range as OpenRange).video
    const [packet, frameIndex] = [this.#packet++, this.#frame++]
    if (packets.frameOfPacket[packet] !== frameIndex)
      throw new FormatError('episode_unreadable', `frame ${frameIndex} of ${this.#frameId} is stored in another place.`)
    const start = this.#at
    this.#at += packets.getSize(packet)
    const data = this.#bytes.subarray(start, this.#at)
    const pieces = (this.#stream as FrameStream).frame({ frameIndex, isKeyframe: packets.isKeyframe(packet), data })
    putPicture(message, this.#fields as PictureFields, pieces)
  }

  async close(): Promise<void> {
    await this.#coming.catch(() => {})
    await this.#pieces.return(undefined)
  }

  #begin(range: OpenRange): void {
    this.#range = range
    this.#stream = openFrameStream(range.video)
    this.#fields = frameVideo(this.#frameId, this.#stream.format)
    this.#frame = range.startFrame
    this.#packet = range.video.packets.getPacketOfFrame(range.startFrame)
  }

  #ask(): Promise<IteratorResult<Piece, void>> {
    const coming = this.#pieces.next()
    coming.catch(() => {})
    return coming
  }
}

async function* readPieces(ranges: OpenRanges, memory: PacketMemory): AsyncGenerator<Piece, void> {
  let taken = 0
  const takeMemory = () => memory[taken++ % memory.length] as Uint8Array
  for (const range of ranges)
    for await (const bytes of range.video.readBytes(range.startFrame, range.endFrame, takeMemory))
      yield { range, bytes }
}

class ImagePictures implements Pictures {
  readonly #frameId: string
  readonly #images: AsyncIterator<{ readonly bytes: Uint8Array }>
  #bytes: Uint8Array | undefined

  constructor(frameId: string, frames: ImageFrames) {
    this.#frameId = frameId
    this.#images = frames.read()[Symbol.asyncIterator]()
  }

  get isReady(): boolean {
    return this.#bytes !== undefined
  }

  async wait(): Promise<boolean> {
    const { value, done } = await this.#images.next()
    this.#bytes = done ? undefined : value.bytes
    return !done
  }

  put(message: RecordBytes): void {
    const bytes = this.#bytes as Uint8Array
    const format = bytes[0] === 0xff && bytes[1] === 0xd8 ? 'jpeg' : 'png'
    putPicture(message, frameImage(this.#frameId, format), [bytes])
    this.#bytes = undefined
  }

  async close(): Promise<void> {
    await this.#images.return?.()
  }
}
