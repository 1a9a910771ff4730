import type { Codec } from '../../containers/codec/codec.ts'
import type { Video } from '../../containers/video/video.ts'
import type { CameraFeature } from '../../feature.ts'
import {
  type CameraStatistics,
  createCameraStatistics,
  listSampledFrames,
  mergeCameraStatistics,
} from '../../statistics/camera.ts'
import { countBelow } from '../../statistics/count-below.ts'
import type { OpenRanges } from './videos.ts'

/** LeRobot's sample of an episode's frames, whichever files they lie in. */
export function measureRanges(
  codec: Codec,
  ranges: OpenRanges,
  camera: CameraFeature,
  signal: AbortSignal | undefined,
): Promise<CameraStatistics> {
  const length = ranges.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0)
  const sampled = listSampledFrames(length)
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
  return measureFrames(codec, framesOf, camera, signal)
}

/** Fewer say too little of an episode. */
export const leastKeyframes = 4
export const mostKeyframes = 16

/**
 * Some of an episode's keyframes, spread over it: each is decoded without any other frame. Undefined where it has too few, or LeRobot's
 * sample would hardly be larger.
 */
export async function measureKeyframes(
  codec: Codec,
  ranges: OpenRanges,
  camera: CameraFeature,
  { most, signal }: { most: number; signal: AbortSignal | undefined },
): Promise<CameraStatistics | undefined> {
  const places = ranges.flatMap(({ video, startFrame, endFrame }) => {
    const { keyframes } = video.facts
    const inside = keyframes.subarray(countBelow(keyframes, startFrame), countBelow(keyframes, endFrame))
    return Array.from(inside, (frame) => ({ video, frame }))
  })
  const length = ranges.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0)
  const count = Math.min(most, places.length)
  if (count < leastKeyframes || count * 2 > listSampledFrames(length).length) return undefined
  const framesOf = new Map<Video, number[]>()
  for (let at = 0; at < count; at++) {
    const { video, frame } = places[Math.floor(((at + 0.5) * places.length) / count)] as (typeof places)[number]
    framesOf.set(video, [...(framesOf.get(video) ?? []), frame])
  }
  return measureFrames(codec, framesOf, camera, signal)
}

/** What was counted adds up exactly. */
async function measureFrames(
  codec: Codec,
  framesOf: ReadonlyMap<Video, readonly number[]>,
  { depth }: CameraFeature,
  signal: AbortSignal | undefined,
): Promise<CameraStatistics> {
  const statistics = createCameraStatistics(depth ? 1 : 3, depth !== undefined)
  const pixels = depth ? 'depth' : 'rgb'
  for (const [video, frames] of framesOf)
    if (frames.length > 0) mergeCameraStatistics(statistics, await codec.measure({ video, frames, pixels, signal }))
  return statistics
}
