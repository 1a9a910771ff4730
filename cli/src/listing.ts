import type { Columns, Output } from './output.ts'

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

interface ListOptions<R extends object> {
  count: number
  columns: Columns<R>
  idOf: (record: R) => string
}

/** Prints the first of a list that may be long, and beside them that there are more. */
export async function listSome<R extends object>(
  output: Output,
  source: AsyncIterable<R>,
  { count, columns, idOf }: ListOptions<R>,
): Promise<void> {
  const taken = await takeSome(source, count + 1)
  output.list(taken.slice(0, count), columns, idOf)
  if (taken.length > count) output.note(`There are more than these ${count}: --limit N lists as many as you say.`)
}
