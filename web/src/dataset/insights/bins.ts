export interface Bins {
  low: number
  high: number
  width: number
  counts: number[]
  /** Which bin each episode is in. */
  places: Uint16Array
}

export function makeBins(values: readonly number[], wanted: number): Bins {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) [low, high] = [0, 1]
  if (low === high) high = low + (Math.abs(low) * 0.01 || 1)
  const width = (high - low) / wanted
  const counts = new Array<number>(wanted).fill(0)
  const places = new Uint16Array(values.length)
  for (const [index, value] of values.entries()) {
    const place = Math.min(wanted - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * wanted)))
    places[index] = place
    counts[place] = (counts[place] ?? 0) + 1
  }
  return { low, high, width, counts, places }
}

/** About five round numbers inside a range. */
export function roundMarks(low: number, high: number, wanted = 5): number[] {
  const raw = (high - low) / wanted
  const power = 10 ** Math.floor(Math.log10(raw || 1))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? raw
  const marks: number[] = []
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step)
    marks.push(Number(at.toPrecision(6)))
  return marks
}

export const medianOf = (values: readonly number[]): number => {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  return sorted.length === 0
    ? 0
    : sorted.length % 2
      ? (sorted[middle] ?? 0)
      : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
