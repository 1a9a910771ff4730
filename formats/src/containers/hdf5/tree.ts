/** What a file holds, as plain data: answers to "is there" and "what lies below". */
import type { JsonValue } from '../../json.ts'
import type { Hdf5Dataset, Hdf5Group, Hdf5Node } from './calls.ts'

export interface Hdf5Tree {
  readonly sizeBytes: number
  /** In the order of their paths; the root first. */
  readonly nodes: readonly Hdf5Node[]
  /** More objects than are looked at; `nodes` holds the first ones. */
  readonly isTruncated: boolean
  readonly skippedLinks: number
  find(path: string): Hdf5Node | undefined
  findGroup(path: string): Hdf5Group | undefined
  findDataset(path: string): Hdf5Dataset | undefined
  /** An attribute that came along with the tree. */
  findAttribute(path: string, name: string): JsonValue | undefined
  /** The direct children of a group. */
  list(path: string): readonly Hdf5Node[]
  /** All datasets below a group, at any depth. */
  listDatasets(path: string): Hdf5Dataset[]
}

export function createHdf5Tree(
  nodes: readonly Hdf5Node[],
  facts: { sizeBytes: number; isTruncated: boolean; skippedLinks: number },
): Hdf5Tree {
  const byPath = new Map(nodes.map((node) => [node.path, node]))
  const children = new Map<string, Hdf5Node[]>()
  for (const node of nodes) {
    if (node.path === '/') continue
    const parent = getParent(node.path)
    const known = children.get(parent)
    if (known) known.push(node)
    else children.set(parent, [node])
  }
  const list = (path: string) => children.get(path) ?? []
  function findDataset(path: string): Hdf5Dataset | undefined {
    const node = byPath.get(path)
    return node?.kind === 'dataset' ? node : undefined
  }
  function listDatasets(path: string): Hdf5Dataset[] {
    return list(path).flatMap((node) => (node.kind === 'dataset' ? [node] : listDatasets(node.path)))
  }
  return {
    sizeBytes: facts.sizeBytes,
    nodes,
    isTruncated: facts.isTruncated,
    skippedLinks: facts.skippedLinks,
    find: (path) => byPath.get(path),
    findGroup: (path) => {
      const node = byPath.get(path)
      return node?.kind === 'group' ? node : undefined
    },
    findDataset,
    findAttribute: (path, name) => {
      const attrs = byPath.get(path)?.attrs
      return attrs && Object.hasOwn(attrs, name) ? attrs[name] : undefined
    },
    list,
    listDatasets,
  }
}

function getParent(path: string): string {
  const at = path.lastIndexOf('/')
  return at <= 0 ? '/' : path.slice(0, at)
}

/** The last part of a path. */
export function getName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** `joinPath('/', 'a')` and `joinPath('/g', 'a')`. */
export function joinPath(group: string, relative: string): string {
  if (relative === '') return group
  return group === '/' ? `/${relative}` : `${group}/${relative}`
}
