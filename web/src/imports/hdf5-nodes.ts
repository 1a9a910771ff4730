import type { Hdf5DatasetSummary, Hdf5SourceSummary } from '@nmp/sdk/generated/records'

export interface TreeNode {
  path: string
  name: string
  depth: number
  dataset: Hdf5DatasetSummary | undefined
  attrs: Record<string, unknown>
  children: TreeNode[]
  /** Of pictures: their camera and how they are stored. What became of numbers is the importer's to say. */
  role: string | undefined
}

/** The flat lists of the summary as a tree. */
export function buildTree(summary: Hdf5SourceSummary): TreeNode[] {
  const roles = readRoles(summary)
  const nodes = new Map<string, TreeNode>()
  const roots: TreeNode[] = []
  const get = (path: string): TreeNode => {
    const known = nodes.get(path)
    if (known) return known
    const parts = path.split('/').filter(Boolean)
    const name = parts.at(-1) ?? '/'
    const node: TreeNode = {
      path,
      name: parts.length === 1 ? `/${name}` : name,
      depth: parts.length - 1,
      dataset: undefined,
      attrs: {},
      children: [],
      role: roles.get(path),
    }
    nodes.set(path, node)
    if (parts.length <= 1) roots.push(node)
    else get(`/${parts.slice(0, -1).join('/')}`).children.push(node)
    return node
  }
  for (const { path, attrs } of summary.groups) if (path !== '/') get(clean(path)).attrs = attrs
  for (const dataset of summary.datasets) {
    const node = get(clean(dataset.path))
    node.dataset = dataset
    node.attrs = dataset.attrs
  }
  return roots
}

const clean = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}`

function readRoles({ preview_candidates: found }: Hdf5SourceSummary): Map<string, string> {
  const roles = new Map<string, string>()
  const cameras = [
    ...found.image.map((one) => ({ ...one, how: 'pictures' })),
    ...found.jpeg_bytes.map((one) => ({ ...one, camera_key: null, how: 'JPEG' })),
    ...found.padded_jpeg.map((one) => ({ ...one, how: 'padded JPEG' })),
    ...found.image_path.map((one) => ({ ...one, how: 'paths of pictures' })),
  ]
  for (const { path, camera_key, how } of cameras) roles.set(clean(path), camera_key ? `${camera_key}, ${how}` : how)
  return roles
}

/** What is to be seen: roots, and below whatever is open. */
export function listVisible(roots: readonly TreeNode[], open: ReadonlySet<string>): TreeNode[] {
  const rows: TreeNode[] = []
  const visit = (node: TreeNode) => {
    rows.push(node)
    if (open.has(node.path)) for (const child of node.children) visit(child)
  }
  for (const root of roots) visit(root)
  return rows
}

export function describeLayout({ chunks, compression }: Hdf5DatasetSummary): string {
  if (!chunks) return 'contiguous'
  return `chunks ${chunks.join(' x ')}${compression ? `, ${compression}` : ''}`
}
