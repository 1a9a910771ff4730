import type { Codec } from '../../containers/codec/codec.ts'
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
  let before = 0
  for (const { video, startFrame, endFrame } of ranges) {
    const next = before + endFrame - startFrame
    const own = sampled.filter((frame) => frame >= before && frame < next)
    const frames = own.map((frame) => startFrame + frame - before)
    before = next
    if (frames.length === 0) continue
    const pixels = depth ? 'depth' : 'rgb'
    mergeCameraStatistics(statistics, await codec.measure({ video, frames, pixels, signal }))
  }
  return statistics
}
