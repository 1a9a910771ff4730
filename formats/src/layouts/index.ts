import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import type { Layout, OpenOptions } from './layout.ts'
import * as lerobotRefused from './lerobot/refused.ts'
import * as lerobotV2 from './lerobot/v2.ts'
import * as lerobotV3 from './lerobot/v3.ts'

/** Every layout, in the order they are asked. */
const layouts: readonly (Layout | (() => Promise<readonly Layout[]>))[] = [
  { name: 'lerobot-v3', detect: lerobotV3.detect, open: lerobotV3.open },
  { name: 'lerobot-v2', detect: lerobotV2.detect, open: lerobotV2.open },
  { name: 'lerobot-refused', detect: lerobotRefused.detect, open: lerobotRefused.open },
  // Some thirty modules that no LeRobot dataset needs: 60 ms of CPU at every start.
  async () => (await import('./hdf5/families/index.ts')).hdf5Layouts,
]

export async function findLayout(tree: FileTree): Promise<Layout | undefined> {
  for (const entry of layouts) {
    for (const layout of typeof entry === 'function' ? await entry() : [entry]) {
      if (await layout.detect(tree)) return layout
    }
  }
  return undefined
}

/** Opens whatever lies in the tree, or refuses with a sentence that says what was looked for. */
export async function openDataset(tree: FileTree, options: OpenOptions = {}): Promise<Dataset> {
  const layout = await findLayout(tree)
  if (layout) return layout.open(tree, options)
  throw new FormatError(
    'layout_unknown',
    'No known robot dataset was found. A LeRobot dataset has meta/info.json with a codebase_version at its root.',
  )
}
