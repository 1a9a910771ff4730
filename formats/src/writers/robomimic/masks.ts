import { createHash } from 'node:crypto'

/** `mask/<name>`: the demos of every split, in order. */
export type Masks = ReadonlyMap<string, readonly string[]>

export const nameDemo = (index: number): string => `demo_${index}`

/** The splits of the episodes; or, where a share for validation is asked for, `train` and `valid` drawn anew beside the others. */
export function listMasks(splits: readonly (readonly string[])[], validPercent: number): Masks {
  const masks = new Map<string, string[]>()
  const add = (name: string, index: number) => {
    const demos = masks.get(name) ?? []
    demos.push(nameDemo(index))
    masks.set(name, demos)
  }
  const valid = drawValid(splits.length, validPercent)
  for (const [index, names] of splits.entries()) {
    const kept = valid ? names.filter((name) => name !== 'train' && name !== 'valid') : names
    for (const name of kept) add(name, index)
    if (valid) add(valid.has(index) ? 'valid' : 'train', index)
  }
  return masks
}

/** By a hash of the number: the same ones every time, and nothing that episodes have in common with their neighbours. */
function drawValid(count: number, percent: number): ReadonlySet<number> | undefined {
  if (percent === 0) return undefined
  const wanted = Math.min(count - 1, Math.max(1, Math.round((count * percent) / 100)))
  const keys = Array.from({ length: count }, (_, index) => ({
    index,
    key: createHash('sha256').update(nameDemo(index)).digest('hex'),
  }))
  const drawn = keys.toSorted((one, two) => (one.key < two.key ? -1 : 1)).slice(0, Math.max(0, wanted))
  return new Set(drawn.map(({ index }) => index))
}
