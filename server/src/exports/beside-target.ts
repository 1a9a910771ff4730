import type { Dataset } from '@nmp/formats/dataset'
import type { FileTree } from '@nmp/formats/file-tree'
import { readJson } from '@nmp/formats/json'
import { annotationsPath } from '@nmp/formats/steps/annotate'
import type { Loss } from '@nmp/formats/writers/writer'
import { isFileBeside } from '../datasets/file-beside.ts'
import { cardPath } from './files-beside.ts'

const mostNamed = 20

/** What was said of episodes lies beside the rows, where a reader of datasets does not look: targets carry it, or name it as lost. */
export async function withAnnotations(dataset: Dataset, tree: FileTree): Promise<Dataset> {
  if (!(await tree.find(annotationsPath))) return dataset
  const { value } = await readJson(tree, annotationsPath)
  return { ...dataset, sidecars: new Map([...(dataset.sidecars ?? []), [annotationsPath, value]]) }
}

/** Licence, calibration, notes: files of the version that only its own form takes along. The card is about that form. */
export function listBesideLosses(paths: readonly string[]): Loss[] {
  const beside = paths.filter((path) => path !== cardPath && isFileBeside(path, { isLeRobot: true }))
  const reason = 'Files beside the data are in the LeRobot v3 export only.'
  const named = beside.slice(0, mostNamed).map((feature) => ({ feature, reason }))
  const more = beside.length - named.length
  return more > 0 ? [...named, { feature: `${more} more files`, reason }] : named
}
