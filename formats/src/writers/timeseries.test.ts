import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import { arrayTypes, type ColumnFeature, countValues, type NumericDtype } from '../feature.ts'
import { writeTimeseries } from './timeseries.ts'

const shapes = [[1], [3], [2, 2]]
const features: ColumnFeature[] = (Object.keys(arrayTypes) as NumericDtype[])
  .flatMap((dtype) =>
    shapes.map(
      (shape): ColumnFeature => ({ kind: 'column', name: `${dtype} ${shape.join('x')}`, dtype, shape, names: null }),
    ),
  )
  .concat([{ kind: 'column', name: 'text', dtype: 'string', shape: [1], names: null }])
const length = 20

function makeValues({ dtype, shape }: ColumnFeature) {
  if (dtype === 'string' || dtype === 'language') return Array.from({ length }, (_, row) => `wört ${row}`)
  const values = new arrayTypes[dtype](length * countValues(shape))
  const isBig = values instanceof BigInt64Array || values instanceof BigUint64Array
  for (let at = 0; at < values.length; at++) values[at] = (isBig ? BigInt(at) : dtype === 'bool' ? at % 2 : at) as never
  return values
}

const columns = new Map(features.map((feature) => [feature.name, makeValues(feature)] as const))
const dataset = createMemoryDataset(features, [{ length, tasks: [''], columns }])

function flatten(value: unknown): unknown[] {
  if (value !== null && typeof value === 'object' && Symbol.iterator in value)
    return [...(value as Iterable<unknown>)].flatMap(flatten)
  return [typeof value === 'boolean' ? Number(value) : value]
}

test('an Arrow file holds every column as it was', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'series-')), 'a.arrow')
  const sizeBytes = await writeTimeseries(dataset, 0, path, 'arrow')
  const bytes = await readFile(path)
  expect(bytes.length).toBe(sizeBytes)
  const table = tableFromIPC(bytes)
  expect(table.numRows).toBe(length)
  expect(table.schema.names.slice(0, 2)).toEqual(['timestamp', 'frame_index'])
  for (const { name } of features)
    expect([...(table.getChild(name) ?? [])].flatMap(flatten), name).toEqual([...(columns.get(name) ?? [])])
})

test('a Parquet file holds every column as it was', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'series-'))
  await writeTimeseries(dataset, 0, join(folder, 'a.parquet'), 'parquet')
  await using reader = await openParquetReader(folder)
  for await (const chunk of reader.scan(join(folder, 'a.parquet'), features)) {
    for (const [index, { name }] of features.entries())
      expect([...(chunk.columns[index] ?? [])], name).toEqual([...(columns.get(name) ?? [])])
  }
})
