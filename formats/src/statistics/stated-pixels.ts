import type { CameraStatistics } from './camera.ts'
import { ascending } from './stated.ts'

/** What a source says of the pixels of one camera in one episode, by channel, in 0 to 1. */
export interface StatedPixels {
  readonly mean: readonly number[]
  readonly std: readonly number[]
}

/** Programs add up in single precision. */
const slack = 1e-4
/** As a share of the range of a pixel. */
const nearPixels = 0.01
const brightest = 255

/**
 * Of a camera's block in episodes_stats.jsonl or a row of meta/episodes. Undefined where it cannot be right: not one number for each of
 * three channels, not finite, outside of 0 to 1, in the wrong order, a deviation wider than the range allows, no frames counted.
 */
export function takeStatedPixels(block: Readonly<Record<string, unknown>>): StatedPixels | undefined {
  const [min, max, mean, std] = ['min', 'max', 'mean', 'std'].map((name) => flattenChannels(block[name]))
  if (!min || !max || !mean || !std) return undefined
  if (block.count !== undefined && !(Number([block.count].flat()[0]) > 0)) return undefined
  const order: (readonly number[])[] = []
  for (const name of ascending) {
    if (block[name] === undefined || block[name] === null) continue
    const values = flattenChannels(block[name])
    if (!values) return undefined
    order.push(values)
  }
  for (let channel = 0; channel < 3; channel++) {
    const at = (values: readonly number[]) => values[channel] as number
    if (order.some((values, place) => place > 0 && at(values) < at(order[place - 1] as readonly number[]) - slack))
      return undefined
    if (at(min) < -slack || at(max) > 1 + slack) return undefined
    if (at(mean) < at(min) - slack || at(mean) > at(max) + slack) return undefined
    if (at(std) < 0 || at(std) > (at(max) - at(min)) / 2 + slack) return undefined
  }
  return { mean, std }
}

/** Three numbers, however they are nested. */
function flattenChannels(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined
  const numbers: unknown[] = value.flat(2)
  const isWhole = numbers.length === 3 && numbers.every((entry) => typeof entry === 'number' && Number.isFinite(entry))
  return isWhole ? (numbers as number[]) : undefined
}

/** Whether the pixels that were counted have the mean and the deviation that are stated, channel by channel. */
export function areAsStated({ histograms }: CameraStatistics, stated: StatedPixels): boolean {
  if (histograms.length !== stated.mean.length) return false
  return histograms.every((histogram, channel) => {
    let [total, sum, squares] = [0, 0, 0]
    for (let value = 0; value < histogram.length; value++) {
      const count = histogram[value] as number
      total += count
      sum += count * value
      squares += count * value * value
    }
    const mean = sum / total
    const std = Math.sqrt(Math.max(0, squares / total - mean * mean))
    const isNear = (own: number, other: number | undefined) => Math.abs(own / brightest - Number(other)) <= nearPixels
    return isNear(mean, stated.mean[channel]) && isNear(std, stated.std[channel])
  })
}
