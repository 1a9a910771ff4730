/** The first `count` of a list that may be long. */
export async function takeSome<T>(source: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  if (count === 0) return taken
  for await (const item of source) {
    taken.push(item)
    if (taken.length >= count) break
  }
  return taken
}

export const takeAll = <T>(source: AsyncIterable<T>): Promise<T[]> => takeSome(source, Number.POSITIVE_INFINITY)
