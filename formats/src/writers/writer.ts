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
  /** Called for each file once nothing of it changes any more, while others are still written. */
  readonly onFile?: (file: WrittenFile) => void
}

export interface WrittenFile {
  /** Relative to the dataset. */
  readonly path: string
  readonly sizeBytes: number
  /** The file of the source that was kept as it is; absolute. */
  readonly keptFrom?: string
}

export interface WriteReport {
  readonly episodeCount: number
  readonly frameCount: number
  /** Relative paths with their sizes, in the order they were finished. */
  readonly files: readonly WrittenFile[]
  /** Those of the dataset and those met while writing. */
  readonly findings: readonly Finding[]
}
