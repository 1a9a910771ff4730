/** Rows in buckets of about equal length, of each of which the smallest and the largest value are kept. */
export interface Buckets {
  startFrame: number
  endFrame: number
  count: number
}

/** At most `points` x positions, two per bucket; undefined when all rows fit. */
export function planBuckets(startFrame: number, endFrame: number, points: number): Buckets | undefined {
  const rows = endFrame - startFrame
  return rows <= points ? undefined : { startFrame, endFrame, count: Math.max(1, Math.floor(points / 2)) }
}

const borderOf = ({ startFrame, endFrame, count }: Buckets, bucket: number): number =>
  startFrame + Math.floor(((endFrame - startFrame) * bucket) / count)

/** The frames that stand for the buckets: first and last of each. */
export function listBucketFrames(buckets: Buckets): number[] {
  return Array.from({ length: buckets.count }, (_, bucket) => [
    borderOf(buckets, bucket),
    borderOf(buckets, bucket + 1) - 1,
  ]).flat()
}

export function createBucketFinder(buckets: Buckets): (frame: number) => number {
  let bucket = 0
  return (frame) => {
    while (bucket + 1 < buckets.count && frame >= borderOf(buckets, bucket + 1)) bucket++
    return bucket
  }
}

/** Smallest and largest value of one dimension per bucket, in the order in which they came; empty buckets stay NaN. */
export class Extremes {
  readonly #low: Float64Array
  readonly #high: Float64Array
  readonly #lowAt: Uint32Array
  readonly #highAt: Uint32Array

  constructor(bucketCount: number) {
    this.#low = new Float64Array(bucketCount).fill(Number.NaN)
    this.#high = new Float64Array(bucketCount).fill(Number.NaN)
    this.#lowAt = new Uint32Array(bucketCount)
    this.#highAt = new Uint32Array(bucketCount)
  }

  /** NaN is no value: a bucket that holds another one shows that. */
  add(bucket: number, frame: number, value: number): void {
    if (Number.isNaN(value)) return
    if (!(value >= (this.#low[bucket] as number))) {
      this.#low[bucket] = value
      this.#lowAt[bucket] = frame
    }
    if (!(value <= (this.#high[bucket] as number))) {
      this.#high[bucket] = value
      this.#highAt[bucket] = frame
    }
  }

  /** Two values per bucket. */
  list(): number[] {
    const values: number[] = []
    for (let bucket = 0; bucket < this.#low.length; bucket++) {
      const low = this.#low[bucket] as number
      const high = this.#high[bucket] as number
      if ((this.#lowAt[bucket] as number) <= (this.#highAt[bucket] as number)) values.push(low, high)
      else values.push(high, low)
    }
    return values
  }
}
