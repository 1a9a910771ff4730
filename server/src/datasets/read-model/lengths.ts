import type { LengthStatistics } from './manifest.ts'

/** Episodes by length, shortest first; equal lengths keep their order. */
export function orderByLength(lengths: Uint32Array): Uint32Array {
  const indices = new Uint32Array(lengths.length)
  for (let index = 0; index < indices.length; index++) indices[index] = index
  return indices.sort((a, b) => (lengths[a] as number) - (lengths[b] as number) || a - b)
}

/** Exact, over every episode. */
export function describeLengths(lengths: Uint32Array, byLength: Uint32Array, fps: number): LengthStatistics {
  const count = lengths.length
  const at = (place: number): number => lengths[byLength[place] as number] ?? 0
  let total = 0
  for (const length of lengths) total += length
  const mean = count === 0 ? 0 : total / count
  let squares = 0
  for (const length of lengths) squares += (length - mean) ** 2
  const middle = Math.floor(count / 2)
  const median = count === 0 ? 0 : count % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
  const [shortest, longest] = count === 0 ? [0, 0] : [at(0), at(count - 1)]
  return {
    total_recording_sec: total / fps,
    shortest_episode_frames: shortest,
    longest_episode_frames: longest,
    shortest_episode_sec: shortest / fps,
    longest_episode_sec: longest / fps,
    mean_episode_sec: mean / fps,
    median_episode_sec: median / fps,
    std_episode_sec: count === 0 ? 0 : Math.sqrt(squares / count) / fps,
    histogram: count === 0 ? [] : countLengths(lengths, byLength, fps),
  }
}

/**
 * Ten to fifty bins of a round width between the 1st and the 99th percentile; a few extreme episodes get an open bin at either end
 * instead of squeezing all others into one. Every episode is in exactly one bin.
 */
function countLengths(lengths: Uint32Array, byLength: Uint32Array, fps: number): { label: string; count: number }[] {
  const count = lengths.length
  const secondsAt = (place: number): number => (lengths[byLength[place] as number] ?? 0) / fps
  const [shortest, longest] = [secondsAt(0), secondsAt(count - 1)]
  if (shortest === longest) return [{ label: `${trim(shortest, 3)} s`, count }]
  const tail = Math.floor((count - 1) / 100)
  const [low, high] = [secondsAt(tail), secondsAt(count - 1 - tail)]
  const wanted = Math.max(10, Math.min(50, Math.ceil(Math.log2(count) + 1)))
  const width = roundUp((high > low ? high - low : longest - shortest) / wanted, 1 / fps)
  const [first, last] = [Math.floor(low / width + 1e-9), Math.floor(high / width + 1e-9)]
  const bins = new Array<number>(last - first + 3).fill(0)
  for (const length of lengths) {
    const bin = Math.floor(length / fps / width + 1e-9)
    const place = Math.min(last + 1, Math.max(first - 1, bin)) - (first - 1)
    bins[place] = (bins[place] as number) + 1
  }
  const digits = Math.max(0, Math.ceil(-Math.log10(width) + 1e-9) + (isWhole(width) ? 0 : 1))
  const edge = (bin: number): string => trim(bin * width, digits)
  const labelled = bins.map((inBin, place) => {
    if (place === 0) return { label: `< ${edge(first)} s`, count: inBin }
    if (place === bins.length - 1) return { label: `>= ${edge(last + 1)} s`, count: inBin }
    return { label: `${edge(first + place - 1)}–${edge(first + place)} s`, count: inBin }
  })
  return labelled.filter(({ count: inBin }, place) => inBin > 0 || (place > 0 && place < bins.length - 1))
}

/** The next of 1, 2, 2.5, 5 times a power of ten; not below the distance of two frames' times. */
function roundUp(width: number, least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(width, least)))
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= Math.max(width, least) - 1e-12) ?? 10
  return step * power
}

const isWhole = (width: number): boolean => {
  const scaled = width / 10 ** Math.floor(Math.log10(width))
  return Math.abs(scaled - Math.round(scaled)) < 1e-9
}

const trim = (value: number, digits: number): string => String(Number(value.toFixed(digits)))
