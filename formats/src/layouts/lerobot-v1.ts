import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import { isObject, readJson } from '../json.ts'
import { findVersion } from './lerobot-info.ts'

/** LeRobot before November 2024: recognised so that the refusal can name the way out. */

const V1_INFO = 'meta_data/info.json'

export async function detect(tree: FileTree): Promise<boolean> {
  if ((await findVersion(tree))?.startsWith('v1.')) return true
  return (await tree.find(V1_INFO)) !== undefined
}

export async function open(tree: FileTree): Promise<Dataset> {
  const value = (await tree.find(V1_INFO)) ? (await readJson(tree, V1_INFO)).value : undefined
  const version = (isObject(value) ? value.codebase_version : undefined) ?? (await findVersion(tree)) ?? 'v1'
  throw new FormatError(
    'layout_unsupported',
    `This is a LeRobot ${String(version)} dataset. Convert it to v2.0 first (lerobot/common/datasets/v2/convert_dataset_v1_to_v2.py, in lerobot of early 2025); v2.0, v2.1 and v3.0 are read directly.`,
  )
}
