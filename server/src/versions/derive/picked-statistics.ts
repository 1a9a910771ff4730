import { countValues } from '@nmp/formats/feature'
import type { StoredColumn } from '../../datasets/read-model/derivation.ts'

/** Numbers of a stored column as those of the dimensions that are left: each has its own, only the count is of all. */
export function pickStatistics<T>(statistics: Readonly<Record<string, T>>, column: StoredColumn | undefined) {
  const { dimensions, shape = [] } = column ?? {}
  if (!dimensions) return { ...statistics }
  const width = countValues(shape)
  return Object.fromEntries(
    Object.entries(statistics).map(([key, values]) => {
      const isEach = key !== 'count' && Array.isArray(values) && values.length === width
      return [key, isEach ? dimensions.map((dimension) => values[dimension]) : values]
    }),
  ) as Record<string, T>
}
