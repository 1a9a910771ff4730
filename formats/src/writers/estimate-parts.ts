import { type CameraFeature, countValues, isCamera, isColumn } from '../feature.ts'
import type { FrameForm } from './frame-form.ts'
import { countRowBytes } from './row-bytes.ts'
import type { TargetFacts } from './writer.ts'

/** Where no frame was tried: frames of H.264 take about this much more than of AV1. */
const h264Growth = 1.6
/** The same of pictures that were no video before, by their pixels. */
const h264PixelBytes = 0.1
/** Of statistics of an episode, as JSON: what a dimension takes. */
const dimensionBytes = 88
/** The five columns that LeRobot adds, and three channels of a camera. */
const [bookkeepingDimensions, cameraDimensions] = [5, 3]

export const listVideos = ({ features }: Pick<TargetFacts, 'features'>): CameraFeature[] =>
  features.filter(isCamera).filter(({ storage }) => storage === 'video')

/** Frames of a camera in a form, as tried, else by the pixels. */
export function estimateFrames(
  { frameCount, findFrameBytes }: TargetFacts,
  camera: CameraFeature,
  form: FrameForm,
  bytesPerPixel: number,
): number {
  const roughly = camera.width * camera.height * bytesPerPixel
  return frameCount * ((camera.depth ? undefined : findFrameBytes?.(camera, form)) ?? roughly)
}

/** Packets of these cameras as they are, or all but depth as H.264. */
export function estimateVideo(facts: TargetFacts, cameras: readonly CameraFeature[], isEncoded: boolean): number {
  return cameras.reduce((sum, camera) => {
    const copied = facts.videoBytes.get(camera.name) ?? 0
    if (!isEncoded || camera.depth) return sum + copied
    const bytesPerPixel =
      copied > 0 ? (copied * h264Growth) / (facts.frameCount * camera.width * camera.height) : h264PixelBytes
    return sum + estimateFrames(facts, camera, { as: 'h264' }, bytesPerPixel)
  }, 0)
}

/** Pictures that lie in the rows: what numbers and texts leave of those. */
export const estimatePicturesInRows = ({ features, frameCount, rowsBytes }: TargetFacts): number =>
  features.some((feature) => isCamera(feature) && feature.storage === 'image')
    ? Math.max(0, rowsBytes - frameCount * countRowBytes(features))
    : 0

/** Statistics of an episode as LeRobot v2.1 has them. */
export const estimateEpisodeStats = ({ features }: Pick<TargetFacts, 'features'>): number =>
  dimensionBytes *
  features.reduce(
    (sum, feature) => sum + (isColumn(feature) ? countValues(feature.shape) : cameraDimensions),
    bookkeepingDimensions,
  )
