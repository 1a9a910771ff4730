/** Which episodes of HDF5 files belong to which split: robomimic's masks, or the folders that files lie in. */
import { getName } from '../../containers/hdf5/tree.ts'
import type { NamedSplit } from './plan.ts'
import type { Hdf5Source } from './source.ts'

export interface Masks {
  readonly splits: readonly NamedSplit[]
  /** The masks that name a demo. */
  find(demo: string): readonly string[]
}

/** robomimic's `mask/*`: lists of demo names. They overlap (`train`, `20_percent_train`), and name demos that are not there. */
export async function readMasks(source: Hdf5Source, demos: readonly string[]): Promise<Masks> {
  const byDemo = new Map<string, string[]>(demos.map((demo) => [demo, []]))
  const splits: NamedSplit[] = []
  for (const node of source.tree.list('/mask')) {
    const name = getName(node.path)
    const isEmpty = node.kind === 'dataset' && node.shape.includes(0)
    const texts = isEmpty ? [] : await source.readTexts(node.path)
    const named = new Set(texts)
    for (const demo of named) byDemo.get(demo)?.push(name)
    splits.push({
      name,
      missing: [...named].filter((demo) => !byDemo.has(demo)),
      ...(texts ? {} : { refusal: 'it does not contain a list of names' }),
    })
  }
  return { splits, find: (demo) => byDemo.get(demo) ?? [] }
}

/** The innermost folder whose name is that of a split: `…/val/0925_173541/data/trajectory.hdf5` is in `val`. */
export function readPathSplit(file: string): readonly string[] {
  const folder = file
    .split('/')
    .slice(0, -1)
    .findLast((name) => splitFolder.test(name))
  return folder === undefined ? [] : [folder]
}

const splitFolder = /^(train|val|valid|validation|test)$/

/** The one that says most where only one can be shown: whether it is for training or for validation. */
export function pickSplit(splits: readonly string[]): string | null {
  return splits.find((name) => splitFolder.test(name)) ?? splits[0] ?? null
}
