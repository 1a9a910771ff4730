import type { DepthScale } from '../feature.ts'
import { interpolate, quantileLevels, quantileNames } from './quantiles.ts'

/** Pixel statistics by LeRobot's rule, which looks at some frames and some pixels; kept as histograms, so merging is exact. */
export interface CameraStatistics {
  /** Sampled frames. */
  frameCount: number
  /** Per channel: how often each value occurred (256 bins, 4096 for depth codes). */
  readonly histograms: Float64Array[]
}

const depthCodes = 4096
const unsignedByte = 256
const largeSide = 300
const sampledSide = 150
const metersToMillimeters = 1000

/** n = max(min(100, length), min(int(length^0.75), 10000)) frames at round(linspace(0, length - 1, n)), like numpy (half to even). */
export function listSampledFrames(length: number): number[] {
  const count = Math.max(Math.min(100, length), Math.min(Math.trunc(length ** 0.75), 10_000))
  if (count === 1) return [0]
  const step = (length - 1) / (count - 1)
  return Array.from({ length: count }, (_, index) => roundHalfEven(index === count - 1 ? length - 1 : index * step))
}

export function createCameraStatistics(channels: number, isDepth: boolean): CameraStatistics {
  const bins = isDepth ? depthCodes : unsignedByte
  return { frameCount: 0, histograms: Array.from({ length: channels }, () => new Float64Array(bins)) }
}

/** What of a picture is counted. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly data: Uint8Array | Uint16Array
}

/** Counts every k-th pixel of every k-th row of a large picture, k = int(longer side / 150). */
export function addPicture(statistics: CameraStatistics, picture: Pixels): void {
  const { width, height, channels, data } = picture
  const longer = Math.max(width, height)
  const step = longer < largeSide ? 1 : Math.trunc(longer / sampledSide)
  statistics.frameCount++
  const [red, green, blue] = statistics.histograms
  if (data instanceof Uint8Array && channels === 3 && red && green && blue) {
    countColors(data, { width, height, step }, [red, green, blue])
    return
  }
  for (const [channel, histogram] of statistics.histograms.entries()) {
    const last = histogram.length - 1
    for (let y = 0; y < height; y += step) {
      for (let x = 0; x < width; x += step) {
        const value = Math.min(last, data[(y * width + x) * channels + channel] as number)
        histogram[value] = (histogram[value] as number) + 1
      }
    }
  }
}

/** One pass over one array type: half the cost of a conversion is here. */
function countColors(
  data: Uint8Array,
  { width, height, step }: { width: number; height: number; step: number },
  [red, green, blue]: readonly [Float64Array, Float64Array, Float64Array],
): void {
  for (let y = 0; y < height; y += step) {
    const end = (y + 1) * width * 3
    for (let at = y * width * 3; at < end; at += 3 * step) {
      const r = data[at] as number
      const g = data[at + 1] as number
      const b = data[at + 2] as number
      red[r] = (red[r] as number) + 1
      green[g] = (green[g] as number) + 1
      blue[b] = (blue[b] as number) + 1
    }
  }
}

export function mergeCameraStatistics(into: CameraStatistics, from: CameraStatistics): void {
  into.frameCount += from.frameCount
  for (const [channel, histogram] of into.histograms.entries()) {
    const other = from.histograms[channel]
    for (let bin = 0; other && bin < histogram.length; bin++)
      histogram[bin] = (histogram[bin] as number) + (other[bin] as number)
  }
}

/** The same shares of pixels, as if of so many frames. */
export function scaleTo({ frameCount, histograms }: CameraStatistics, frames: number): CameraStatistics {
  const scale = (histogram: Float64Array) => histogram.map((count) => Math.round((count * frames) / frameCount))
  return { frameCount: frames, histograms: histograms.map(scale) }
}

/** How far a pixel of one is from that of the other on average, as a share of the whole range; of the channel where that is most. */
export function measureDistance(one: CameraStatistics, other: CameraStatistics): number {
  let largest = 0
  for (const [channel, histogram] of one.histograms.entries()) {
    const counts = other.histograms[channel]
    if (counts?.length !== histogram.length) return 1
    const [total, otherTotal] = [sumUp(histogram), sumUp(counts)]
    let [below, otherBelow, distance] = [0, 0, 0]
    for (let bin = 0; bin < histogram.length; bin++) {
      below += histogram[bin] as number
      otherBelow += counts[bin] as number
      distance += Math.abs(below / total - otherBelow / otherTotal)
    }
    largest = Math.max(largest, distance / (histogram.length - 1))
  }
  return largest
}

const sumUp = (counts: Float64Array): number => counts.reduce((sum, count) => sum + count, 0)

const colorValues = Float64Array.from({ length: depthCodes }, (_, value) => value / 255)

/** Shaped channels, 1, 1 as LeRobot wants it; colours in 0 to 1, depth in its own unit. */
export function presentCameraStatistics(statistics: CameraStatistics, depth?: DepthScale): Record<string, unknown> {
  const values = depth ? Float64Array.from({ length: depthCodes }, (_, code) => decodeDepth(code, depth)) : colorValues
  const channels = statistics.histograms.map((histogram) => describeHistogram(histogram, values))
  const shaped = (key: string) => channels.map((channel) => [[channel[key] ?? 0]])
  const keys = ['min', 'max', 'mean', 'std', ...quantileNames]
  const entries = keys.map((key) => [key, shaped(key)] as const)
  return Object.fromEntries([...entries.slice(0, 4), ['count', [statistics.frameCount]], ...entries.slice(4)])
}

/** LeRobot's depth code: linear or logarithmic between two distances. */
export function decodeDepth(code: number, { minMeters, maxMeters, shift, logarithmic, unit }: DepthScale): number {
  const part = code / (depthCodes - 1)
  const low = Math.log(minMeters + shift)
  const meters = logarithmic
    ? Math.exp(low + part * (Math.log(maxMeters + shift) - low)) - shift
    : minMeters + part * (maxMeters - minMeters)
  return unit === 'mm' ? meters * metersToMillimeters : meters
}

/** `values`: what each bin stands for. */
function describeHistogram(histogram: Float64Array, values: Float64Array): Record<string, number> {
  // Plain loops: with callbacks every number is an object for a moment, and there are thousands of histograms.
  let [total, sum, squares] = [0, 0, 0]
  for (let bin = 0; bin < histogram.length; bin++) {
    total += histogram[bin] as number
    sum += (histogram[bin] as number) * (values[bin] as number)
  }
  if (total === 0) return {}
  const mean = sum / total
  for (let bin = 0; bin < histogram.length; bin++)
    squares += (histogram[bin] as number) * ((values[bin] as number) - mean) ** 2
  // Ranks are asked for in their order but for the last: what lies below a bin is counted once.
  let [bin, reached] = [0, histogram[0] as number]
  const valueAt = (rank: number) => {
    if (rank < reached - (histogram[bin] as number)) [bin, reached] = [0, histogram[0] as number]
    while (reached <= rank) reached += histogram[++bin] as number
    return values[bin] as number
  }
  const quantiles = quantileNames.map((name) => [name, interpolate(total, quantileLevels[name], valueAt)] as const)
  return {
    max: valueAt(total - 1),
    min: valueAt(0),
    mean,
    std: Math.sqrt(squares / total),
    ...Object.fromEntries(quantiles),
  }
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
