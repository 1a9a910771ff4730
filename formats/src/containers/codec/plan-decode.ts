import type { PixelTransform } from '../image.ts'
import type { Video } from '../video/video.ts'
import type { DecodeCall } from './calls.ts'
import { buildFilter, buildJpegFilter, buildStoredFilter, isResized, type Size, type StoredChange } from './filter.ts'

export interface DecodeRequest {
  video: Video
  /** Ascending frame numbers of the file, or a range; every frame when omitted. */
  frames?: readonly number[] | { startFrame: number; endFrame: number }
  /** `depth`: one channel of 16-bit values as coded (12-bit codes in LeRobot's depth video). Default `rgb`. */
  pixels?: 'rgb' | 'depth'
  /** The pictures are of the frames as `transcode` would store them with this change; `transform` comes after it. */
  change?: StoredChange | undefined
  transform?: PixelTransform
  /** Whose frames these are, where others may want the same (`SharedDecoding`). */
  /** Where the pixels of the next picture are to lie: memory of exactly their size. Not heeded where several take the same picture. */
  giveMemory?: (() => Uint8Array | undefined) | undefined
  shared?: { readonly camera: string; readonly place: number } | undefined
  signal?: AbortSignal | undefined
}

export interface RenderRequest extends Omit<DecodeRequest, 'pixels'> {
  /** 2 is the best, 31 the smallest; default 3. */
  quality?: number
}

/** What is asked of a decoder: which frames, and what they become. */
export function planDecode(request: DecodeRequest): { frames: readonly number[]; call: DecodeCall } {
  const { video, pixels = 'rgb' } = request
  const pixelFormat = pixels === 'rgb' ? 'rgb24' : video.facts.pixelFormat === 'gray12le' ? 'gray12le' : 'gray16le'
  const quality = pixels === 'depth' ? 'nearest' : isResized(request.transform) ? 'exact' : 'fast'
  const filter = afterChange(
    request,
    (size) => buildFilter(size, request.transform, pixelFormat, quality, false).filter,
  )
  return { frames: listFrames(request), call: { codec: video.facts.codec, filter } }
}

export const planJpeg = (request: RenderRequest): NonNullable<DecodeCall['jpeg']> => ({
  filter: afterChange(request, (size) => buildJpegFilter(size, request.transform)),
  quality: request.quality ?? 3,
})

/** One graph: the frames as they would be stored, then what is asked of them. */
function afterChange({ video, change }: DecodeRequest, build: (size: Size) => string): string {
  if (!change) return build(video.facts)
  const { filter, ...size } = buildStoredFilter(video.facts, change)
  return `${filter},${build(size)}`
}

export function listFrames(request: DecodeRequest): readonly number[] {
  const { frames, video } = request
  if (frames === undefined) return listRange(0, video.facts.frameCount)
  return 'startFrame' in frames ? listRange(frames.startFrame, frames.endFrame) : frames
}

function listRange(startFrame: number, endFrame: number): number[] {
  return Array.from({ length: Math.max(0, endFrame - startFrame) }, (_, index) => startFrame + index)
}
