/** Pure decisions of the codec: which encoder with which settings, and which packets a set of frames needs. */
import { FormatError } from '../../errors.ts'
import type { Video } from '../video/video.ts'
import type { EncoderPlan } from './calls.ts'
import type { Size } from './filter.ts'

export interface EncodeSettings {
  /** `av1` becomes `h264` below 64 pixels, which SVT-AV1 refuses. `depth` is lossless HEVC of 12-bit codes. */
  codec: 'av1' | 'h264' | 'depth'
  fps: number
  /** Default 30 for AV1, 23 for H.264. */
  crf?: number
  /** SVT-AV1 preset, default 12 (all above 10 give the bytes of 10); x264 preset, default `veryfast`. */
  preset?: string
  /** Frames from keyframe to keyframe, default 2: every even frame can be cut at. */
  keyframeInterval?: number
}

// Fixed, because x264 and x265 give other bytes with other thread counts.
const encoderThreads = 2
const smallestAv1Pixels = 64

export function planEncoder(settings: EncodeSettings, size: Size, path: string): EncoderPlan {
  const keyframeInterval = settings.keyframeInterval ?? 2
  // Not the rest of it: facts of a video that is encoded anew have a codec and a pixel format of their own.
  const { width, height } = size
  const frameSeconds = findFraction(settings.fps)
  const frame = { keyframeInterval, threads: encoderThreads, frameSeconds, width, height, path }
  if (settings.codec === 'depth') {
    const parameters = `lossless=1:pools=${encoderThreads}:frame-threads=1:log-level=none`
    const options = { preset: settings.preset ?? 'medium', 'x265-params': parameters }
    return { encoder: 'libx265', codec: 'hevc', pixelFormat: 'gray12le', options, ...frame }
  }
  if (settings.codec === 'av1' && Math.min(size.width, size.height) >= smallestAv1Pixels) {
    const parameters = `fast-decode=0:lp=${encoderThreads}`
    const options = { preset: settings.preset ?? '12', crf: String(settings.crf ?? 30), 'svtav1-params': parameters }
    return { encoder: 'libsvtav1', codec: 'av1', pixelFormat: 'yuv420p', options, ...frame }
  }
  const isWished = settings.codec === 'h264'
  const options = {
    preset: (isWished ? settings.preset : undefined) ?? 'veryfast',
    // A scene cut would add a keyframe and shift the rhythm of those after it.
    sc_threshold: '0',
    crf: String((isWished ? settings.crf : undefined) ?? 23),
    // Under load x264 gave other bytes now and then where the last row of blocks is cut off (48x38: 9 of 44,000 runs counted), with one
    // thread too; without its vector code none of 24,000. Why is not known. Pictures this small can do without.
    ...(!isWished && { 'x264-params': 'asm=0' }),
  }
  return { encoder: 'libx264', codec: 'h264', pixelFormat: 'yuv420p', options, ...frame }
}

/** LeRobot's `video.*` keys that say how a stream was encoded. */
export function describeEncoder(plan: EncoderPlan): Record<string, string | number | null> {
  const { crf, preset } = plan.options
  const number = (text: string | undefined) =>
    text === undefined ? null : Number.isNaN(Number(text)) ? text : Number(text)
  const info = { 'video.g': plan.keyframeInterval, 'video.crf': number(crf), 'video.preset': number(preset) }
  return plan.codec === 'av1' ? { ...info, 'video.fast_decode': 0 } : info
}

function findFraction(fps: number): { num: number; den: number } {
  for (const num of [1, 1001, 1000]) {
    const den = Math.round(fps * num)
    if (den > 0 && Math.abs(den / num - fps) <= fps * 1e-9) return { num, den }
  }
  throw new FormatError('unsupported', `A video cannot be written with ${fps} frames per second.`)
}

/** Packets `first` to `end` of the decode order. */
export interface Segment {
  first: number
  end: number
}

/** The fewest packets from which `frames` (ascending) can be decoded: from the keyframe before each to the frame itself. */
export function planSegments(video: Video, frames: Iterable<number>): Segment[] {
  const { packets, facts } = video
  const segments: Segment[] = []
  for (const frame of frames) {
    const keyframe = facts.keyframes[countUpTo(facts.keyframes, frame) - 1]
    if (keyframe === undefined || keyframe > frame || frame >= facts.frameCount) {
      throw new FormatError('container_invalid', `Frame ${frame} of ${facts.frameCount} has no keyframe before it.`)
    }
    const first = packets.getPacketOfFrame(keyframe)
    const end = packets.getPacketOfFrame(frame) + 1
    const last = segments.at(-1)
    if (last && first <= last.end) last.end = Math.max(last.end, end)
    else segments.push({ first, end })
  }
  return segments
}

/** How many of ascending numbers are at most `bound`. */
function countUpTo(ascending: Uint32Array, bound: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) <= bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Fewer frames than this are not worth a second process. */
export const smallestShare = 16

/** Divides ascending frames into about equal shares that have no packet in common, at most `count`. */
export function splitFrames(video: Video, frames: readonly number[], count: number): (readonly number[])[] {
  // Where frames are shown in another order than they are coded, a keyframe may need help from before it.
  if (video.packets.isReordered) return [frames]
  const { keyframes } = video.facts
  const shares: (readonly number[])[] = []
  let start = 0
  for (let share = 1; share < count; share++) {
    const wished = Math.round((frames.length * share) / count)
    const keyframe = keyframes[countUpTo(keyframes, frames[wished - 1] ?? 0)]
    const end = keyframe === undefined ? -1 : frames.findIndex((frame) => frame >= keyframe)
    if (end - start < smallestShare || frames.length - end < smallestShare) continue
    shares.push(frames.slice(start, end))
    start = end
  }
  shares.push(frames.slice(start))
  return shares
}
