import type { FilePool } from '../../bytes.ts'
import type { Codec } from '../../containers/codec/codec.ts'
import { decodeDepthImage, decodeImage, encodeJpeg, encodePng } from '../../containers/image.ts'
import { openVideo, type Video } from '../../containers/video/video.ts'
import type { CameraFrames, ImageFrames, PacketFrames, Picture, PixelFrames } from '../../dataset.ts'
import type { CameraFeature } from '../../feature.ts'
import { listKept } from '../../frame-ranges.ts'
import type { ImageFormat } from './step-features.ts'

/** Of pictures that come as pixels; frames of video are made into JPEG by FFmpeg at about the same. */
export const jpegQuality = 95
/** Speed over size: level 6 takes three times as long for a twentieth less. */
export const pngLevel = 1

interface PictureTools {
  readonly codec: Codec
  readonly pool: FilePool
  readonly format: ImageFormat
  readonly signal: AbortSignal | undefined
}

/** The pictures of one camera as JPEG or PNG, one a frame; each frame is decoded once. Depth is PNG of 16 bits. */
export class CameraPictures {
  readonly #camera: CameraFeature
  readonly #tools: PictureTools
  #open: { readonly file: string; readonly video: Video } | undefined

  constructor(camera: CameraFeature, tools: PictureTools) {
    this.#camera = camera
    this.#tools = tools
  }

  read(frames: CameraFrames): AsyncGenerator<Uint8Array> {
    if (frames.kind === 'packets') return this.#readPackets(frames)
    return frames.kind === 'images' ? this.#readImages(frames) : this.#readPixels(frames)
  }

  async close(): Promise<void> {
    await this.#open?.video.close()
    this.#open = undefined
  }

  async *#readPackets(frames: PacketFrames): AsyncGenerator<Uint8Array> {
    const { codec, format, signal } = this.#tools
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]], transform, place } = frames
    const isDepth = this.#camera.depth !== undefined
    const video = await this.#openVideo(frames)
    const change = transform && { transform, isDepth }
    const shared = place === undefined ? undefined : { camera: this.#camera.name, place }
    const request = { video, frames: Array.from(listKept(picked)), change, shared, signal }
    if (!isDepth && format === 'jpeg') {
      for await (const { bytes } of codec.render(request)) yield bytes
      return
    }
    const pixels = isDepth ? 'depth' : 'rgb'
    for await (const picture of codec.decode({ ...request, pixels })) yield await toPng(picture)
  }

  async *#readImages(frames: ImageFrames): AsyncGenerator<Uint8Array> {
    const { depth, storage } = this.#camera
    const { format } = this.#tools
    for await (const { bytes } of frames.read()) {
      const found: ImageFormat = bytes[0] === 0xff && bytes[1] === 0xd8 ? 'jpeg' : 'png'
      if (depth) yield await encodePng(await decodeDepthImage(bytes), { compressionLevel: pngLevel })
      else if (storage === 'image' || found === format) yield bytes
      else yield await this.#encode(await decodeImage(bytes))
    }
  }

  async *#readPixels(frames: PixelFrames): AsyncGenerator<Uint8Array> {
    for await (const picture of frames.read())
      yield this.#camera.depth ? await toPng(picture) : await this.#encode(picture as Parameters<typeof encodeJpeg>[0])
  }

  #encode(picture: Parameters<typeof encodeJpeg>[0]): Promise<Uint8Array> {
    return this.#tools.format === 'jpeg'
      ? encodeJpeg(picture, { quality: jpegQuality })
      : encodePng(picture, { compressionLevel: pngLevel })
  }

  /** Episodes that follow each other lie in one file, whose index is read once. */
  async #openVideo({ file, name = file }: PacketFrames): Promise<Video> {
    if (this.#open?.file === file) return this.#open.video
    await this.close()
    const { pool, signal } = this.#tools
    const video = await openVideo(pool.createSource(file), { name, signal })
    this.#open = { file, video }
    return video
  }
}

/** A depth picture has 16-bit values, any other three channels of a byte. */
const toPng = ({ width, height, data }: Picture): Promise<Uint8Array> =>
  encodePng(data instanceof Uint16Array ? { width, height, data } : { width, height, channels: 3, data }, {
    compressionLevel: pngLevel,
  })
