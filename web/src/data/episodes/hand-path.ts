export type Place = readonly [x: number, y: number, z: number]

/** Where the hand is at each row; null where a number is missing: nobody knows, and it is not the origin. */
export function listPlaces(
  values: readonly (readonly (number | null)[])[],
  dimensions: readonly number[],
): (Place | null)[] {
  const [xs = [], ys = [], zs = []] = dimensions.map((dimension) => values[dimension] ?? [])
  return xs.map((x, at) => {
    const [y, z] = [ys[at], zs[at]]
    return typeof x === 'number' && typeof y === 'number' && typeof z === 'number' ? [x, y, z] : null
  })
}

/** Two ends of each piece between neighbours, one after the other: over what is missing no line is drawn. */
export const listPieces = (places: readonly (Place | null)[]): Place[] =>
  places.flatMap((place, at) => {
    const before = at === 0 ? null : places[at - 1]
    return place && before ? [before, place] : []
  })
