import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import h5wasm, { ready } from 'h5wasm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHdf5Reader, getRowBytes, type Hdf5Dataset, type Hdf5Reader } from './hdf5.ts'

const folder = mkdtempSync(join(tmpdir(), 'hdf5-rows-'))
const path = join(folder, 'arrays.h5')

beforeAll(async () => {
  const module = await ready
  const file = new h5wasm.File('/arrays.h5', 'w')
  const bytes = Uint8Array.from({ length: 40 * 96 * 128 * 3 }, (_, index) => (index * 31 + (index >> 9)) & 255)
  const shape = [40, 96, 128, 3]
  file.create_dataset({ name: 'contiguous', data: bytes, shape })
  file.create_dataset({ name: 'one_frame_chunks', data: bytes, shape, chunks: [1, 96, 128, 3] })
  file.create_dataset({ name: 'uneven_chunks', data: bytes, shape, chunks: [7, 96, 128, 3] })
  file.create_dataset({ name: 'cut_chunks', data: bytes, shape, chunks: [7, 48, 64, 3] })
  file.create_dataset({ name: 'gzip', data: bytes, shape, chunks: [4, 96, 128, 3], compression: 4 })
  const numbers = Float64Array.from({ length: 40_000 * 7 }, (_, index) => Math.sin(index))
  file.create_dataset({ name: 'numbers', data: numbers, shape: [40_000, 7] })
  file.create_dataset({ name: 'growing', data: numbers, shape: [40_000, 7], chunks: [3000, 7], maxshape: [null, 7] })
  file.close()
  writeFileSync(path, module.FS.readFile('/arrays.h5'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function readBytes(reader: Hdf5Reader, dataset: Hdf5Dataset, start: number, end: number): Promise<Uint8Array> {
  const rows = await reader.readRows(path, dataset, start, end)
  if (rows.form !== 'packed') throw new Error(rows.form)
  return rows.bytes
}

describe('rows', () => {
  test('read at their place in the file are the rows that HDF5 reads', async () => {
    await using direct = createHdf5Reader()
    await using through = createHdf5Reader({ isDirect: false })
    const tree = await direct.describe(path)
    const datasets = tree.nodes.filter((node) => node.kind === 'dataset')
    expect(datasets).toHaveLength(7)
    for (const dataset of datasets) {
      const rows = dataset.shape[0] ?? 0
      for (const [start, end] of [
        [0, rows],
        [3, rows - 2],
        [rows >> 1, rows],
      ] as const) {
        const ours = await readBytes(direct, dataset, start, end)
        const theirs = await readBytes(through, dataset, start, end)
        expect(ours.length).toBe((end - start) * getRowBytes(dataset))
        expect(Buffer.compare(ours, theirs)).toBe(0)
      }
    }
  })

  test('outside the array, or more than 64 MiB, are refused and the reader goes on', async () => {
    await using reader = createHdf5Reader()
    const dataset = (await reader.describe(path)).findDataset('/gzip')
    if (!dataset) throw new Error('no dataset')
    await expect(reader.readRows(path, dataset, 30, 41)).rejects.toMatchObject({ code: 'container_invalid' })
    expect(await readBytes(reader, dataset, 39, 40)).toHaveLength(96 * 128 * 3)
  })

  test('calls of several callers take turns', async () => {
    await using reader = createHdf5Reader()
    const tree = await reader.describe(path)
    const dataset = tree.findDataset('/gzip')
    if (!dataset) throw new Error('no dataset')
    const reads = Array.from({ length: 10 }, (_, frame) => readBytes(reader, dataset, frame, frame + 1))
    const first = (await Promise.all(reads)).map(([byte]) => byte)
    const frameBytes = 96 * 128 * 3
    expect(first).toEqual(first.map((_, frame) => (frame * frameBytes * 31 + ((frame * frameBytes) >> 9)) & 255))
  })
})
