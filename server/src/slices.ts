import { setImmediate } from 'node:timers/promises'

const itemsAtOnce = 2000

/** Goes through very many things; others are answered in between. */
export async function* inSlices<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await setImmediate()
    yield items.slice(start, start + itemsAtOnce)
  }
}

/** As `Array.filter`. */
export async function filterInSlices<T>(items: readonly T[], isWanted: (item: T) => boolean): Promise<T[]> {
  const wanted: T[] = []
  for await (const slice of inSlices(items)) for (const item of slice) if (isWanted(item)) wanted.push(item)
  return wanted
}

/** As `JSON.stringify` of a list. */
export async function writeJsonInSlices(items: readonly unknown[]): Promise<string> {
  const parts: string[] = []
  for await (const slice of inSlices(items)) parts.push(JSON.stringify(slice).slice(1, -1))
  return `[${parts.join(',')}]`
}
