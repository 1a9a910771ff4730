import type { Dataset } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import { isObject, readJson } from '../../json.ts'
import { findVersion } from './info.ts'

/** LeRobot folders that no reader takes: recognised so that the refusal can name the way out. */

const infoPath = 'meta/info.json'
const v1Info = 'meta_data/info.json'
const traces = ['meta/episodes.jsonl', 'meta/tasks.jsonl', 'meta/tasks.parquet', 'meta/episodes_stats.jsonl']

export async function detect(tree: FileTree): Promise<boolean> {
  for (const path of [infoPath, v1Info, ...traces]) if (await tree.find(path)) return true
  return false
}

export async function open(tree: FileTree): Promise<Dataset> {
  throw new FormatError('layout_unsupported', await explain(tree))
}

async function explain(tree: FileTree): Promise<string> {
  const version = (await findVersion(tree)) ?? (await findV1Version(tree))
  if (version === undefined) {
    if (await tree.find(infoPath))
      return `${infoPath} has no codebase_version, so this is not a LeRobot dataset, or it is damaged.`
    return `This looks like a LeRobot dataset, but ${infoPath} is missing; without it fps and features are unknown. Get it from the source.`
  }
  if (version.startsWith('v1')) {
    return `This is a LeRobot ${version} dataset. Convert it to v2.0 first (convert_dataset_v1_to_v2.py of lerobot in early 2025); v2.0, v2.1 and v3.0 are read directly.`
  }
  return `This is a LeRobot ${version} dataset; versions v2.0, v2.1 and v3.x are read.`
}

async function findV1Version(tree: FileTree): Promise<string | undefined> {
  if (!(await tree.find(v1Info))) return undefined
  const { value } = await readJson(tree, v1Info)
  return isObject(value) && typeof value.codebase_version === 'string' ? value.codebase_version : 'v1'
}
