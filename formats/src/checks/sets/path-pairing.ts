import { findUsualDistance, type MotionPaths, pointsPerPath } from './motion-paths.ts'

/** Of each of the two, to tell what is usual. */
const sampledPaths = 60
/** Coordinates are compared in leaps of so many, as the starts of episodes are alike; a prime, so that none is left out. */
const leap = 83

/** Undefined where the two have too little in common to be compared. */
export function matchPaths(own: MotionPaths, other: MotionPaths): PathPairing | undefined {
  if (own.role !== other.role || own.width !== other.width) return undefined
  const both = own.dimensions.filter((dimension) => other.dimensions.includes(dimension))
  if (both.length * 2 < Math.max(own.dimensions.length, other.dimensions.length)) return undefined
  return new PathPairing(own, other, both)
}

/** Paths of two sets, whose dimensions are divided by the wider of their two ranges. */
class PathPairing {
  readonly #own: PlacedPaths
  readonly #other: PlacedPaths

  constructor(own: MotionPaths, other: MotionPaths, dimensions: readonly number[]) {
    const scaleIn = ({ scales, dimensions: all }: MotionPaths, dimension: number): number =>
      scales[all.indexOf(dimension)] as number
    const scales = dimensions.map((dimension) => Math.min(scaleIn(own, dimension), scaleIn(other, dimension)))
    this.#own = placePaths(own, dimensions, scales)
    this.#other = placePaths(other, dimensions, scales)
  }

  /** Root of the mean square; Infinity once it is known to be beyond the limit. */
  measure(ownIndex: number, otherIndex: number, limit: number): number {
    const { places, factors } = this.#own
    const { places: otherPlaces, factors: otherFactors } = this.#other
    const [points, otherPoints] = [this.#own.points, this.#other.points]
    const [start, otherStart] = [ownIndex * this.#own.size, otherIndex * this.#other.size]
    const most = limit * limit * places.length
    let sum = 0
    for (let at = 0; at < places.length; at++) {
      const own = (points[start + (places[at] as number)] as number) * (factors[at] as number)
      const other = (otherPoints[otherStart + (otherPlaces[at] as number)] as number) * (otherFactors[at] as number)
      sum += (own - other) * (own - other)
      if (sum > most) return Number.POSITIVE_INFINITY
    }
    return Math.sqrt(sum / places.length)
  }

  /** The median distance of two episodes of both sets. */
  findUsual(): number {
    return findUsualDistance([...samplePaths(this.#own), ...samplePaths(this.#other)])
  }
}

interface PlacedPaths {
  readonly points: Float32Array
  /** Numbers of a path. */
  readonly size: number
  readonly count: number
  /** Where in a path the coordinates are, and what each is multiplied with. */
  readonly places: Int32Array
  readonly factors: Float64Array
}

function placePaths(paths: MotionPaths, dimensions: readonly number[], scales: readonly number[]): PlacedPaths {
  const coordinates = dimensions.length * pointsPerPath
  const places = new Int32Array(coordinates)
  const factors = new Float64Array(coordinates)
  for (let nth = 0; nth < coordinates; nth++) {
    const place = (nth * leap) % coordinates
    const chosen = place % dimensions.length
    const at = paths.dimensions.indexOf(dimensions[chosen] as number)
    places[nth] = Math.floor(place / dimensions.length) * paths.dimensions.length + at
    factors[nth] = (scales[chosen] as number) / (paths.scales[at] as number)
  }
  const size = paths.dimensions.length * pointsPerPath
  return { points: paths.points, size, count: paths.episodes.length, places, factors }
}

/** Spread evenly. */
function samplePaths({ points, size, count, places, factors }: PlacedPaths): Float32Array[] {
  const taken = Math.min(sampledPaths, count)
  return Array.from({ length: taken }, (_, nth) => {
    const start = Math.floor((nth * count) / taken) * size
    return Float32Array.from(places, (place, at) => (points[start + place] as number) * (factors[at] as number))
  })
}
