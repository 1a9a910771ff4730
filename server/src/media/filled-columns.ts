import type { ColumnFeature } from '@nmp/formats/feature'
import { fillRows } from '@nmp/formats/merge/fill'
import type { RowChunk } from '@nmp/formats/parquet'
import type { ReadModel } from '../datasets/read-model/model.ts'

type Take<Rows> = (rows: Rows) => Promise<boolean> | boolean

/** The columns that are read, and what puts the constants of the others between them again. */
export function fillColumns<Rows extends { rowCount: number; columns: RowChunk['columns'] }>(
  { model, columns }: { model: ReadModel; columns: ColumnFeature[] },
  take: Take<Rows>,
): { columns: ColumnFeature[]; take: Take<Rows> } {
  const fills = model.derivation?.fills
  if (!fills || !columns.some(({ name }) => fills.has(name))) return { columns, take }
  return {
    columns: columns.filter(({ name }) => !fills.has(name)),
    take: (rows) => {
      const stored = rows.columns.values()
      const all = columns.map((column) => {
        const fill = fills.get(column.name)
        return fill === undefined
          ? (stored.next().value as RowChunk['columns'][number])
          : (fillRows(column, fill, rows.rowCount) as RowChunk['columns'][number])
      })
      return take({ ...rows, columns: all })
    },
  }
}
