import { tableFromIPC } from 'apache-arrow'

/** One column of an Arrow file as another reader sees it. */
export function readArrowColumn(bytes: Uint8Array, name: string): { rowCount: number; at(row: number): number[] } {
  const table = tableFromIPC(bytes)
  const column = table.getChild(name)
  return { rowCount: table.numRows, at: (row) => Array.from(column?.get(row)?.toArray() ?? [], Number) }
}
