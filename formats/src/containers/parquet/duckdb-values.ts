/** How DuckDB's vectors become values of ours. */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import type { Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { countValues, type NumericArray, type NumericDtype } from '../../feature.ts'
import { parseJson, toStorableText } from '../../json.ts'
import type { ColumnRequest, MetadataValue } from './table.ts'
import { requireFewTexts } from './text-bytes.ts'

/**
 * The parts of DuckDB's vectors that lie in memory as one array. These fields are private in its declarations; the version is
 * pinned and `parquet.test.ts` holds every dtype. Going through `getItem` instead costs 1.6 times the CPU
 * (`npm run bench -- parquet`).
 */
interface RawVector {
  readonly childData?: RawVector
  readonly items?: NumericArray
  readonly dataView?: DataView
  readonly validity: { readonly data: BigUint64Array | null; itemValid(index: number): boolean }
}

export function copyColumn(chunk: DuckDBDataChunk, index: number, column: ColumnRequest, path: string): Values {
  const vector = chunk.getColumnVector(index)
  const { dtype } = column
  if (dtype === 'string' || dtype === 'language') {
    requireFewTexts([vector], path)
    const texts = Array.from({ length: chunk.rowCount }, (_, row) => vector.getItem(row))
    if (dtype === 'language')
      return texts.map((text) => (typeof text === 'string' ? parseJson(text, column.name).value : []))
    return texts.map((text) => (typeof text === 'string' ? text : refuseEmpty(path, column.name)))
  }
  const levels: RawVector[] = []
  for (let raw: RawVector | undefined = vector as unknown as RawVector; raw; raw = raw.childData) levels.push(raw)
  const values = copyValues(levels.at(-1), dtype, chunk.rowCount * countValues(column.shape))
  let itemCount = chunk.rowCount
  for (const [depth, { validity }] of levels.entries()) {
    const width = values.length / itemCount
    for (let item = 0; validity.data !== null && item < itemCount; item++) {
      if (validity.itemValid(item)) continue
      if (dtype !== 'float32' && dtype !== 'float64') refuseEmpty(path, column.name)
      ;(values as Float32Array | Float64Array).fill(Number.NaN, item * width, (item + 1) * width)
    }
    itemCount *= column.shape[depth] ?? 1
  }
  return values
}

function copyValues(raw: RawVector | undefined, dtype: NumericDtype, valueCount: number): NumericArray {
  if (raw?.items) return raw.items.slice(0, valueCount)
  if (dtype !== 'bool' || !raw?.dataView)
    throw new FormatError('unsupported', `DuckDB returned ${dtype} values in an unknown form.`)
  return new Uint8Array(raw.dataView.buffer, raw.dataView.byteOffset, valueCount).slice()
}

function refuseEmpty(path: string, column: string): never {
  throw new FormatError('container_invalid', `${path}: column ${column} has empty values, which its type cannot hold.`)
}

export function toPlain(value: unknown): MetadataValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value !== 'object') return value as MetadataValue
  if ('items' in value && Array.isArray(value.items)) return value.items.map(toPlain)
  if ('entries' in value && typeof value.entries === 'object' && value.entries !== null) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, toPlain(item)]))
  }
  return toStorableText(String(value))
}
