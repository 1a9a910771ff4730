/** Groups that are episodes, and the tables that name them. */
import type { Hdf5Group, Hdf5Tree } from '../../containers/hdf5/hdf5.ts'
import { getName } from '../../containers/hdf5/tree.ts'
import { compareNumbered } from './files.ts'
import type { Hdf5Source } from './source.ts'

/** The groups directly below `path` in the order of their numbers (`demo_2` before `demo_10`), those that match only. */
export function listGroups(tree: Hdf5Tree, path: string, pattern?: RegExp): Hdf5Group[] {
  return tree
    .list(path)
    .filter((node) => node.kind === 'group')
    .filter((group) => pattern?.test(getName(group.path)) ?? true)
    .sort((a, b) => compareNumbered(a.path, b.path))
}

/** The id of an episode that is a file: its name without the ending. */
export function nameFile(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.(h5|hdf5|hdf)$/i, '')
}

/** The first text of the first of these datasets that holds one; JSON lists give their first entry. */
export async function findText(source: Hdf5Source, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const [text] = (await source.readTexts(path)) ?? []
    const first = text === undefined ? undefined : takeFirst(text)
    if (first !== undefined && first !== '' && !/\.(npy|json|txt)$/.test(first)) return first
  }
  return undefined
}

function takeFirst(text: string): string {
  if (!text.startsWith('[')) return text
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && typeof list[0] === 'string' ? list[0] : text
  } catch {
    return text
  }
}
