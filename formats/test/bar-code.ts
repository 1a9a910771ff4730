import { openFile } from '../src/bytes.ts'
import type { Codec } from '../src/containers/codec/codec.ts'
import { decodeImage } from '../src/containers/image.ts'
import { openVideo } from '../src/containers/video/video.ts'
import type { CameraFrames, Picture } from '../src/dataset.ts'
import { listKept } from '../src/frame-ranges.ts'

export interface BarCode {
  readonly frame: number
  readonly episode: number
  readonly camera: number
}

const blocks = 16
const bandPixels = 8

/** The number in every picture of the recorded sets: two bands of sixteen blocks at the top (fixtures README). */
export function readBarCode(picture: Pick<Picture, 'width' | 'channels' | 'data'>): BarCode {
  const readBand = (band: number): number => {
    let value = 0
    for (let block = 0; block < blocks; block++) {
      const x = Math.floor(((block + 0.5) * picture.width) / blocks)
      const y = band * bandPixels + bandPixels / 2
      const at = (y * picture.width + x) * picture.channels
      const brightness = [0, 1, 2].reduce((sum, channel) => sum + (picture.data[at + channel] ?? 0), 0) / 3
      value = value * 2 + (brightness > 127 ? 1 : 0)
    }
    return value
  }
  const second = readBand(1)
  return { frame: readBand(0), episode: second >> 8, camera: second & 0xff }
}

/** The codes of all frames of one episode and camera, however they are stored. */
export async function readBarCodes(frames: CameraFrames, codec: Codec): Promise<BarCode[]> {
  const codes: BarCode[] = []
  if (frames.kind === 'images') {
    for await (const { bytes } of frames.read()) codes.push(readBarCode(await decodeImage(bytes)))
  } else if (frames.kind === 'pixels') {
    for await (const picture of frames.read()) codes.push(readBarCode(picture))
  } else {
    await using source = await openFile(frames.file)
    await using video = await openVideo(source, { name: frames.file })
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]] } = frames
    for await (const picture of codec.decode({ video, frames: Array.from(listKept(picked)) }))
      codes.push(readBarCode(picture))
  }
  return codes
}
