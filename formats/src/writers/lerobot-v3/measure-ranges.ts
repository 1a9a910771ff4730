import type { Codec } from '../../containers/codec/codec.ts'
import type { Video } from '../../containers/video/video.ts'
import type { CameraFeature } from '../../feature.ts'
import {
  type CameraStatistics,
  createCameraStatistics,
  listSampledFrames,
  mergeCameraStatistics,
} from '../../statistics/camera.ts'
import type { OpenRanges } from './videos.ts'

/** LeRobot's sample of an episode's frames, whichever files they lie in; what was counted adds up exactly. */
export async function measureRanges(
  codec: Codec,
  ranges: OpenRanges,
  { depth }: CameraFeature,
  signal: AbortSignal | undefined,
): Promise<CameraStatistics> {
  const length = ranges.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0)
  const sampled = listSampledFrames(length)
  const statistics = createCameraStatistics(depth ? 1 : 3, depth !== undefined)
  // A file is gone through once, however many pieces of it there are.
  const framesOf = new Map<Video, number[]>()
  let [before, place] = [0, 0]
  for (const { video, startFrame, endFrame } of ranges) {
    const next = before + endFrame - startFrame
    const own = framesOf.get(video) ?? []
    framesOf.set(video, own)
    for (; place < sampled.length && (sampled[place] as number) < next; place++)
      own.push(startFrame + (sampled[place] as number) - before)
    before = next
  }
  const pixels = depth ? 'depth' : 'rgb'
  for (const [video, frames] of framesOf)
    if (frames.length > 0) mergeCameraStatistics(statistics, await codec.measure({ video, frames, pixels, signal }))
  return statistics
}
