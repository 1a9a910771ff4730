import { decodeDepthImage, decodeImage } from '../../containers/image.ts'
import type { ImageFrames, PixelFrames } from '../../dataset.ts'
import type { CameraFeature } from '../../feature.ts'

/** The pixels of a camera that has no packets, one frame after the other, as an encoder takes them. */
export function openRawFrames(frames: ImageFrames | PixelFrames, camera: CameraFeature) {
  if (frames.kind === 'pixels') {
    const read = async function* () {
      for await (const picture of frames.read()) yield picture.data
    }
    return { size: { width: frames.width, height: frames.height }, read }
  }
  const decode = camera.depth ? decodeDepthImage : decodeImage
  const read = async function* () {
    for await (const { bytes } of frames.read()) yield (await decode(bytes)).data
  }
  return { size: { width: camera.width, height: camera.height }, read }
}
