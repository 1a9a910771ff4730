/** The rows of an episode as blocks: one read per array and block, whatever the family. */
import { getRowBytes } from '../../containers/hdf5/hdf5.ts'
import { joinPath } from '../../containers/hdf5/tree.ts'
import type { Block, BlockRequest, Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { countValues, type NumericArray } from '../../feature.ts'
import type { Hdf5Entry } from './catalog.ts'
import type { Hdf5Files } from './files.ts'
import { joinColumns, viewNumbers } from './numbers.ts'
import type { ColumnPlan } from './plan.ts'

const maxBlockRows = 4096
const maxBlockBytes = 32 * 1024 * 1024

export async function* readBlocks(
  files: Hdf5Files,
  entry: Hdf5Entry,
  columns: readonly ColumnPlan[],
  { startFrame = 0, endFrame = entry.length, signal }: BlockRequest,
): AsyncGenerator<Block> {
  const rowBytes = columns.reduce((sum, { shape }) => sum + 8 * countValues(shape), 1)
  const blockRows = Math.max(1, Math.min(maxBlockRows, Math.floor(maxBlockBytes / rowBytes)))
  for (let start = startFrame; start < endFrame; start += blockRows) {
    signal?.throwIfAborted()
    const end = Math.min(endFrame, start + blockRows)
    const values = new Map<string, Values>()
    for (const column of columns) values.set(column.name, await readColumn(files, entry, column, start, end))
    yield { startFrame: start, frameCount: end - start, columns: values }
  }
}

async function readColumn(
  files: Hdf5Files,
  entry: Hdf5Entry,
  column: ColumnPlan,
  start: number,
  end: number,
): Promise<NumericArray> {
  if (column.form === 'success') return markLastRow(entry, start, end)
  const parts = []
  for (const { path, rowOffset, width } of column.parts) {
    const firstRow = entry.startRow + rowOffset
    const values = await readArray(files, entry, joinPath(entry.group, path), firstRow + start, firstRow + end)
    parts.push({ values, width })
  }
  const joined = joinColumns(column.dtype, parts, end - start)
  return column.clockUnit === undefined ? joined : scaleClock(files, entry, column, joined, column.clockUnit)
}

async function readArray(files: Hdf5Files, entry: Hdf5Entry, path: string, start: number, end: number) {
  const file = files.paths[entry.file] ?? ''
  const dataset = await files.findDataset(file, path)
  if (!dataset) throw new FormatError('episode_unreadable', `${file} no longer contains ${path}.`)
  const rowBytes = Math.max(1, getRowBytes(dataset))
  if ((end - start) * rowBytes > maxBlockBytes * 2) {
    throw new FormatError('limit_exceeded', `${path} has rows of ${rowBytes} bytes.`)
  }
  const rows = await files.readRows(file, dataset, start, end)
  const values = rows.form === 'packed' ? viewNumbers(dataset.dtype, rows.bytes) : undefined
  if (!values) throw new FormatError('episode_unreadable', `${path} of ${file} contains no numbers.`)
  return values
}

function markLastRow(entry: Hdf5Entry, start: number, end: number): NumericArray {
  const marks = new Uint8Array(end - start)
  if (entry.success && end === entry.length) marks[marks.length - 1] = 1
  return marks
}

/** Seconds since the episode's first frame. */
async function scaleClock(
  files: Hdf5Files,
  entry: Hdf5Entry,
  column: ColumnPlan,
  values: NumericArray,
  unit: number,
): Promise<NumericArray> {
  const path = joinPath(entry.group, column.parts[0]?.path ?? '')
  const [origin = 0] = await readArray(files, entry, path, entry.startRow, entry.startRow + 1)
  return Float64Array.from(values as Float64Array, (value) => (value - Number(origin)) * unit)
}
