import type { EncodedImage } from '../../dataset.ts'
import type { Video } from '../video/video.ts'
import { smallestShare, splitFrames } from './plan.ts'
import { listFrames, type RenderRequest } from './plan-decode.ts'

/** Of a stretch, whose pictures wait in memory. */
const stretchPixels = 8_000_000
/** Fewer frames cost as much in opening a decoder as in decoding. */
const mostStretchFrames = 128

/** A video stretch after stretch, two at a time: what the second has made waits in memory until the first is taken. */
export async function* renderStretches(
  request: RenderRequest,
  render: (request: RenderRequest, frames: readonly number[]) => AsyncGenerator<EncodedImage>,
): AsyncGenerator<EncodedImage> {
  const [first = [], ...others] = cutFrames(request.video, listFrames(request))
  // A stretch that nobody takes any more is stopped, and its failure is nobody's.
  const leaving = new AbortController()
  const signal = request.signal ? AbortSignal.any([request.signal, leaving.signal]) : leaving.signal
  const coming: Promise<EncodedImage[]>[] = []
  const begin = () => {
    const frames = others.shift()
    if (!frames) return
    const stretch = Array.fromAsync(render({ ...request, signal }, frames))
    stretch.catch(() => {})
    coming.push(stretch)
  }
  try {
    for await (const image of render(request, first)) {
      if (coming.length === 0) begin()
      yield image
    }
    for (let next = coming.shift(); next; next = coming.shift()) {
      begin()
      yield* await next
    }
  } finally {
    leaving.abort()
    await Promise.allSettled(coming)
  }
}

/** Ascending frames in stretches that follow each other and have no packet in common. */
function cutFrames(video: Video, frames: readonly number[]): readonly (readonly number[])[] {
  const { width, height } = video.facts
  const wished = Math.min(mostStretchFrames, Math.max(smallestShare, Math.round(stretchPixels / (width * height))))
  return splitFrames(video, frames, Math.ceil(frames.length / wished))
}
