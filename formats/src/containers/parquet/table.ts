import type { Values } from '../../dataset.ts'
import type { ColumnFeature } from '../../feature.ts'

export interface ColumnRequest extends Pick<ColumnFeature, 'name' | 'dtype' | 'shape'> {
  /** Set for a feature of shape [1] that a file stores as lists of one. */
  readonly isList?: boolean
}

/** Consecutive rows of one file, in memory of their own. */
export interface RowChunk {
  readonly startRow: number
  readonly rowCount: number
  /** In the order of the request. */
  readonly columns: readonly Values[]
}

export interface ScanOptions {
  readonly startRow?: number
  readonly endRow?: number
  readonly signal?: AbortSignal | undefined
}

export type MetadataValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | MetadataValue[]
  | { [key: string]: MetadataValue }

/** What reads the tables of a folder by native code: DuckDB in this process, or in a child. */
export interface Tables {
  scan(path: string, columns: readonly ColumnRequest[], options: ScanOptions): AsyncGenerator<RowChunk>
  readRecords(path: string, columns: readonly string[]): AsyncGenerator<Record<string, MetadataValue>>
  close(): Promise<void>
}
