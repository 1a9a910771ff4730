import type { Dataset, ReportProgress } from '../dataset.ts'
import type { Finding } from '../finding.ts'

/** Turns a dataset into files of one kind. Same dataset and options give the same bytes. */
export interface Writer<Options extends WriteOptions = WriteOptions> {
  readonly name: string
  write(dataset: Dataset, folder: string, options?: Options): Promise<WriteReport>
}

export interface WriteOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: ReportProgress
}

export interface WriteReport {
  readonly episodeCount: number
  readonly frameCount: number
  /** Relative paths with their sizes, in the order they were finished. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number }[]
  /** Those of the dataset and those met while writing. */
  readonly findings: readonly Finding[]
}
