import type { ColumnRequest } from './table.ts'

/**
 * What the child that reads tables is asked: a reading is opened, fetched from until nothing comes, and ended. Readers are told apart, since
 * each remembers what it has seen of a file, and closed.
 */
export type TableCall = 'open' | 'next' | 'end' | 'close'

export type ReadingStart = { reader: number } & (
  | { kind: 'rows'; path: string; columns: readonly ColumnRequest[]; startRow: number; endRow?: number }
  | { kind: 'records'; path: string; columns: readonly string[] }
)
