import type { Hdf5Dataset, Hdf5Tree } from '../containers/hdf5/hdf5.ts'
import { getName, joinPath } from '../containers/hdf5/tree.ts'
import { describeCause, FormatError } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import { recognizeFamily } from '../layouts/hdf5/families/index.ts'
import { takeHdf5Files } from '../layouts/hdf5/files.ts'
import type { FilePlan } from '../layouts/hdf5/plan.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { formatBytes, formatTable } from './text.ts'

const shownFiles = 3
const shownChildren = 60

/** The trees of HDF5 files for a person: shapes, types, and what each array was taken for. */
export async function formatHdf5Tree(tree: FileTree, options: OpenOptions): Promise<string> {
  await using files = await takeHdf5Files(tree, options)
  const parts: string[] = []
  for (const path of files.paths.slice(0, shownFiles)) {
    try {
      const source = await files.openSource(path)
      const family = recognizeFamily(source)
      const rows = listRows(source.tree, nameArrays(await family.plan(source)))
      parts.push(`${path}, ${formatBytes(source.tree.sizeBytes)}, ${family.name}\n${formatTable(rows)}`)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      parts.push(`${path}: ${describeCause(error)}`)
    }
  }
  if (files.paths.length > shownFiles) parts.push(`… and ${files.paths.length - shownFiles} more files`)
  return parts.join('\n\n')
}

/** What each path became, over all episodes of a file. */
function nameArrays(plan: FilePlan): Map<string, string> {
  const names = new Map<string, string>()
  for (const { group, columns, cameras } of plan.episodes) {
    for (const { name, parts } of columns) {
      for (const { path } of parts) names.set(joinPath(group, path), name)
    }
    for (const { name, path, form, width, height, colorOrder, isFlipped } of cameras) {
      const marks = [`${width}x${height}`, form, ...(colorOrder === 'bgr' ? ['red and blue swapped'] : [])]
      if (isFlipped) marks.push('upside down')
      names.set(joinPath(group, path), `${name} (${marks.join(', ')})`)
    }
  }
  return names
}

/** Groups that look like the one before them are counted, not shown. */
function listRows(tree: Hdf5Tree, names: ReadonlyMap<string, string>): string[][] {
  const rows: string[][] = []
  const visit = (group: string, depth: number) => {
    let before = ''
    let alike = 0
    const say = () => {
      if (alike > 0) rows.push([`${'  '.repeat(depth)}… and ${alike} more like it`])
      alike = 0
    }
    for (const node of tree.list(group).slice(0, shownChildren)) {
      if (node.kind === 'dataset') {
        say()
        rows.push(describeRow(node, depth, names.get(node.path)))
        continue
      }
      const look = describeLook(tree, node.path)
      if (look === before) {
        alike++
        continue
      }
      say()
      before = look
      rows.push([`${'  '.repeat(depth)}${getName(node.path)}/`])
      visit(node.path, depth + 1)
    }
    say()
    const rest = tree.list(group).length - shownChildren
    if (rest > 0) rows.push([`${'  '.repeat(depth)}… and ${rest} more`])
  }
  visit('/', 0)
  return rows
}

/** The names, types and row shapes below a group, without the number of rows. */
function describeLook(tree: Hdf5Tree, group: string): string {
  const datasets = tree.listDatasets(group)
  return datasets
    .map(({ path, dtype, shape }) => `${path.slice(group.length)} ${dtype.replace(/\d+$/, '')} ${shape.slice(1)}`)
    .join('\n')
}

function describeRow(dataset: Hdf5Dataset, depth: number, name: string | undefined): string[] {
  const { path, dtype, shape, filters, refusal } = dataset
  const compression = filters.map((filter) => filter.name).join('+')
  const taken = refusal ?? (name === undefined ? '' : `-> ${name}`)
  return [
    '  '.repeat(depth) + getName(path),
    dtype,
    shape.length === 0 ? 'scalar' : shape.join(' x '),
    compression,
    taken,
  ]
}
