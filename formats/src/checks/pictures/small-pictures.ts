import { FilePool } from '../../bytes.ts'
import { type Codec, openCodec } from '../../containers/codec/codec.ts'
import { decodeImage, type PixelTransform, reshapePixels } from '../../containers/image.ts'
import { openVideo, type Video } from '../../containers/video/video.ts'
import type { CameraFrames, PacketFrames } from '../../dataset.ts'
import { listKept } from '../../frame-ranges.ts'

/** Brightness of a picture, row by row, at a size at which every rule still sees what it needs. */
export interface SmallPicture {
  readonly width: number
  readonly height: number
  readonly luma: Uint8Array
}

const longestSide = 160

/** Reads the pictures of any camera, small; the last video of each camera stays open for the next episode in it. */
export class SmallPictures implements AsyncDisposable {
  readonly #codec: Codec
  readonly #pool = new FilePool()
  readonly #videos = new Map<string, { file: string; video: Video }>()
  readonly #signal: AbortSignal | undefined

  constructor(signal: AbortSignal | undefined) {
    this.#codec = openCodec({ signal })
    this.#signal = signal
  }

  async *read(camera: string, frames: CameraFrames): AsyncGenerator<SmallPicture> {
    if (frames.kind === 'packets') yield* this.#decode(camera, frames)
    else if (frames.kind === 'images') {
      for await (const { bytes } of frames.read(this.#signal ? { signal: this.#signal } : {})) {
        const picture = await decodeImage(bytes)
        const transform = planShrink(picture.width, picture.height)
        yield takeLuma(transform ? await reshapePixels(picture, transform) : picture)
      }
    } else {
      for await (const { width, height, channels, data } of frames.read(this.#signal ? { signal: this.#signal } : {})) {
        if (channels !== 3 || !(data instanceof Uint8Array)) continue
        const transform = planShrink(width, height)
        const picture = { width, height, channels, data } as const
        yield takeLuma(transform ? await reshapePixels(picture, transform) : picture)
      }
    }
  }

  async close(): Promise<void> {
    for (const { video } of this.#videos.values()) await video[Symbol.asyncDispose]()
    this.#videos.clear()
    await this.#codec.close()
    await this.#pool.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async *#decode(camera: string, { file, name = file, startFrame, frameCount, picked, transform }: PacketFrames) {
    const known = this.#videos.get(camera)
    const video = known?.file === file ? known.video : await openVideo(this.#pool.createSource(file), { name })
    if (known && known.video !== video) await known.video[Symbol.asyncDispose]()
    this.#videos.set(camera, { file, video })
    const shrink = planShrink(video.facts.width, video.facts.height)
    const request = {
      video,
      frames: picked ? Array.from(listKept(picked)) : { startFrame, endFrame: startFrame + frameCount },
      ...(transform && { change: { transform, isDepth: false } }),
      ...(shrink && { transform: shrink }),
      signal: this.#signal,
    }
    for await (const { width, height, data } of this.#codec.decode(request))
      yield takeLuma({ width, height, data: data as Uint8Array })
  }
}

/** Undefined where a picture is small already. */
function planShrink(width: number, height: number): PixelTransform | undefined {
  const ratio = longestSide / Math.max(width, height)
  if (ratio >= 1) return undefined
  const scale = (side: number): number => Math.max(2, 2 * Math.round((side * ratio) / 2))
  return { resize: { width: scale(width), height: scale(height), mode: 'stretch' } }
}

function takeLuma({ width, height, data }: { width: number; height: number; data: Uint8Array }): SmallPicture {
  const luma = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < luma.length; at++, from += 3)
    luma[at] = (77 * (data[from] as number) + 150 * (data[from + 1] as number) + 29 * (data[from + 2] as number)) >> 8
  return { width, height, luma }
}
