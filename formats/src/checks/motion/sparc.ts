import { listMagnitudes } from './spectrum.ts'

const padLevel = 4
const cutOffHertz = 10
const amplitudeShare = 0.05
/** 16 MB of spectrum; longer movements are padded less. */
const maxSize = 2 ** 20

/**
 * Spectral arc length of a speed profile (Balasubramanian et al. 2015, with the constants of their program): 0 would be perfectly
 * smooth, every stop and tremor makes it more negative. Null where nothing moves.
 */
export function measureSparc(speed: Float64Array, fps: number): number | null {
  if (speed.length < 2) return null
  const size = Math.min(maxSize, 2 ** (Math.ceil(Math.log2(speed.length)) + padLevel))
  const magnitudes = listMagnitudes(speed, Math.max(size, 2 ** Math.ceil(Math.log2(Math.min(speed.length, maxSize)))))
  const step = fps / ((magnitudes.length - 1) * 2)
  const highest = findHighest(magnitudes)
  if (!(highest > 0)) return null
  const end = Math.min(magnitudes.length - 1, Math.floor(cutOffHertz / step + 1e-9))
  const isHigh = (at: number): boolean => (magnitudes[at] as number) / highest >= amplitudeShare
  let [first, last] = [0, end]
  while (first < end && !isHigh(first)) first++
  while (last > first && !isHigh(last)) last--
  if (last === first) return 0
  return -measureArc(magnitudes, first, last, highest)
}

function findHighest(values: Float64Array): number {
  let highest = 0
  for (let at = 0; at < values.length; at++) if ((values[at] as number) > highest) highest = values[at] as number
  return highest
}

function measureArc(magnitudes: Float64Array, first: number, last: number, highest: number): number {
  let length = 0
  const across = 1 / (last - first)
  for (let at = first; at < last; at++) {
    const up = ((magnitudes[at + 1] as number) - (magnitudes[at] as number)) / highest
    length += Math.sqrt(across * across + up * up)
  }
  return length
}
