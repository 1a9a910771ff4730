/** What happens to pixels between decoder and encoder, as text for FFmpeg's filter graph. Numbers only, never user text. */
import { listTransforms, type PixelTransform } from '../image.ts'

export interface Size {
  width: number
  height: number
}

/**
 * `fast` scales as PyAV does, so that pixels equal those a LeRobot training run sees, bit for bit; `exact` gives the same
 * bytes on every processor and is for what is stored; `nearest` never mixes two depths.
 */
export type ScaleQuality = 'fast' | 'exact' | 'nearest'

const flags: Readonly<Record<ScaleQuality, string>> = {
  fast: 'bilinear',
  exact: 'bicubic+accurate_rnd+bitexact',
  nearest: 'neighbor+accurate_rnd+bitexact',
}

export function buildFilter(
  source: Size,
  transform: PixelTransform | undefined,
  pixelFormat: string,
  quality: ScaleQuality,
  padToEven: boolean,
): { filter: string; width: number; height: number } {
  const scaleFlags = `flags=${flags[quality]}`
  const parts: string[] = []
  let size = source
  // Several recipes in a row: one decode and one encode, each change on the frames that the one before gives.
  for (const { crop, resize } of listTransforms(transform)) {
    if (crop) {
      const { left, top, width, height } = crop
      parts.push(`crop=${whole(width)}:${whole(height)}:${whole(left)}:${whole(top)}:exact=1`)
      size = { width, height }
    }
    if (resize) {
      const { mode, ...target } = resize
      const { scaled, left, top } = placeResized(size, resize)
      parts.push(`scale=${whole(scaled.width)}:${whole(scaled.height)}:${scaleFlags}`, 'setsar=1')
      const place = `${whole(target.width)}:${whole(target.height)}:${left}:${top}`
      if (mode === 'fit') parts.push(`pad=${place}:black`)
      if (mode === 'fill') parts.push(`crop=${place}`)
      size = target
    }
  }
  if (padToEven && (size.width % 2 === 1 || size.height % 2 === 1)) {
    size = { width: size.width + (size.width % 2), height: size.height + (size.height % 2) }
    parts.push(`pad=${size.width}:${size.height}:0:0:black`)
  }
  parts.push(`scale=${scaleFlags}`, `format=${pixelFormat}`)
  return { filter: parts.join(','), ...size }
}

/** What a frame is scaled to, and where that lies in the result (`fit`) or the result in it (`fill`). The console draws by this rule too. */
export function placeResized(
  source: Size,
  { mode, ...target }: NonNullable<PixelTransform['resize']>,
): { scaled: Size; left: number; top: number } {
  const scaled = mode === 'stretch' ? target : scaleKeepingAspect(source, target, mode)
  return {
    scaled,
    left: centre(Math.abs(target.width - scaled.width)),
    top: centre(Math.abs(target.height - scaled.height)),
  }
}

/** A change as it is stored: what its frames are decoded to once they are encoded, but for what encoding loses. */
export interface StoredChange {
  transform: PixelTransform
  isDepth: boolean
}

/** The pixels that the encoder gets. */
export const buildStoredFilter = (source: Size, { transform, isDepth }: StoredChange) =>
  buildFilter(source, transform, isDepth ? 'gray12le' : 'yuv420p', isDepth ? 'nearest' : 'exact', !isDepth)

export const isResized = (transform: PixelTransform | undefined): boolean =>
  listTransforms(transform).some(({ resize }) => resize !== undefined)

/** JPEG is full range with the colours of BT.601, whatever the video is tagged with. */
export function buildJpegFilter(source: Size, transform: PixelTransform | undefined): string {
  const { filter } = buildFilter(source, transform, 'yuvj420p', isResized(transform) ? 'exact' : 'fast', false)
  const [format = '', scale = '', ...before] = filter.split(',').toReversed()
  return [...before.toReversed(), `${scale}:out_range=full:out_color_matrix=bt601`, format].join(',')
}

/** Even sizes, since half the pixel formats have colour at half the resolution. */
function scaleKeepingAspect(source: Size, target: Size, mode: 'fit' | 'fill'): Size {
  const ratios = [target.width / source.width, target.height / source.height]
  const ratio = mode === 'fit' ? Math.min(...ratios) : Math.max(...ratios)
  const scale = (length: number, bound: number) => {
    const even = Math.max(2, 2 * Math.round((length * ratio) / 2))
    return mode === 'fit' ? Math.min(even, bound) : Math.max(even, bound)
  }
  return { width: scale(source.width, target.width), height: scale(source.height, target.height) }
}

function centre(space: number): number {
  return 2 * Math.floor(space / 4)
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0 || value > 65_536) throw new RangeError(`${value} is not a pixel count`)
  return value
}
