import type { Dataset, ReportProgress } from '../dataset.ts'
import type { FileTree } from '../file-tree.ts'

/** How episodes lie in files. A layout is one file that exports `detect` and `open`, and one line in `index.ts`. */
export interface Layout {
  readonly name: string
  /** Looks at structure, never at the name of the folder or file. Cheap: a few small reads. */
  detect(tree: FileTree): Promise<boolean>
  /** Checks the whole of the metadata; leaves bad episodes out and says so in the findings. */
  open(tree: FileTree, options: OpenOptions): Promise<Dataset>
}

/** What a person may know better than the file. Layouts that find the answer in the data ignore the option. */
export interface OpenOptions {
  readonly fps?: number
  readonly colorOrder?: 'rgb' | 'bgr'
  readonly flipVertical?: boolean
  readonly task?: string
  readonly signal?: AbortSignal
  readonly onProgress?: ReportProgress
}
