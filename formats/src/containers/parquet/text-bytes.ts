import { DuckDBBlobVector, DuckDBVarCharVector, type DuckDBVector } from '@duckdb/node-api'
import { FormatError } from '../../errors.ts'

/** As of a document of JSON. */
const maxTextBytes = 64 * 1024 * 1024
const stringBytes = 16

/** The parts of DuckDB's vectors that are private in its declarations; see `RawVector` beside the reader of numbers. */
interface Parts {
  readonly childData?: DuckDBVector
  readonly entryVectors?: readonly DuckDBVector[]
  readonly listVector?: DuckDBVector
  readonly dataView?: DataView
  readonly validity?: { itemValid(index: number): boolean }
}

/**
 * Counts the texts of a batch before they are made: a page holds a text once and a million rows refer to it, but each of ours is a copy.
 * `name` is the file's, for the sentence.
 */
export function requireFewTexts(vectors: readonly DuckDBVector[], name: string): void {
  if (vectors.reduce((sum, vector) => sum + countTextBytes(vector), 0) <= maxTextBytes) return
  const most = maxTextBytes / 1024 / 1024
  throw new FormatError('limit_exceeded', `${name} has more than ${most} MiB of text in a batch of rows.`)
}

function countTextBytes(vector: DuckDBVector): number {
  const { childData, entryVectors, listVector, dataView, validity } = vector as unknown as Parts
  if (childData) return countTextBytes(childData)
  if (listVector) return countTextBytes(listVector)
  if (entryVectors) return entryVectors.reduce((sum, entry) => sum + countTextBytes(entry), 0)
  if (!dataView || !(vector instanceof DuckDBVarCharVector || vector instanceof DuckDBBlobVector)) return 0
  let sum = 0
  for (let item = 0; item < vector.itemCount; item++)
    if (!validity || validity.itemValid(item)) sum += dataView.getUint32(item * stringBytes, true)
  return sum
}
