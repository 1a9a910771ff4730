import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrayTypes, countValues, type NumericArray, type NumericDtype } from '../../feature.ts'
import type { NestedValue } from './levels.ts'
import { openParquetReader } from './parquet.ts'
import { list, shapedNode, value } from './schema.ts'
import { createParquetWriter } from './writer.ts'

const dtypes = Object.keys(arrayTypes) as NumericDtype[]

/** Values that show a lost bit, a lost sign or a lost byte. */
function sampleValues(dtype: NumericDtype, length: number): NumericArray {
  const values = new arrayTypes[dtype](length)
  for (let index = 0; index < length; index++) {
    if (values instanceof BigInt64Array) values[index] = BigInt(index) * -(2n ** 54n) - 1n
    else if (values instanceof BigUint64Array) values[index] = 2n ** 64n - 1n - BigInt(index)
    else if (dtype === 'bool') values[index] = index % 3 === 0 ? 1 : 0
    else values[index] = dtype.startsWith('float') ? Math.sin(index) * 10 ** (index % 30) : index * 2654435761
  }
  return values
}

describe('Parquet', () => {
  test('every numeric dtype and shape comes back bit for bit, over several row groups', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    const shapes = [[1], [2], [7], [2, 3], [3, 1, 2]]
    const columns = dtypes.flatMap((dtype) =>
      shapes.map((shape) => ({ name: `${dtype} ${shape.join('x')}`, dtype, shape })),
    )
    const rowCounts = [5000, 1, 33]
    const path = join(folder, 'a.parquet')
    const writer = await createParquetWriter(
      path,
      columns.map(({ name, dtype, shape }) => ({ name, node: shapedNode(dtype, shape) })),
    )
    for (const rowCount of rowCounts) {
      await writer.writeRows(
        rowCount,
        columns.map(({ dtype, shape }) => ({ shape, numbers: sampleValues(dtype, rowCount * countValues(shape)) })),
      )
      await writer.endRowGroup()
    }
    await writer.finish()
    // The same file by another writer's name, which DuckDB reads instead of us.
    const foreign = join(folder, 'foreign.parquet')
    const bytes = await readFile(path)
    bytes.write('other', bytes.lastIndexOf('nmp-formats version'), 'latin1')
    await writeFile(foreign, bytes)
    await using reader = await openParquetReader(folder)
    expect((await reader.readFooter(path)).rowGroups.map((group) => group.rowCount)).toEqual(rowCounts)
    const counts: number[][] = []
    for (const file of [path, foreign]) {
      const chunkRows: number[] = []
      counts.push(chunkRows)
      let startRow = 0
      for (const rowCount of rowCounts) {
        const parts = columns.map(() => [] as NumericArray[])
        for await (const chunk of reader.scan(file, columns, { startRow, endRow: startRow + rowCount })) {
          chunkRows.push(chunk.startRow, chunk.rowCount)
          for (const [index, values] of chunk.columns.entries()) parts[index]?.push(values as NumericArray)
        }
        for (const [index, { dtype, shape }] of columns.entries()) {
          const found = (parts[index] ?? []).map(
            (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
          )
          const expected = sampleValues(dtype, rowCount * countValues(shape))
          expect(Buffer.concat(found).equals(new Uint8Array(expected.buffer)), `${dtype} ${shape}`).toBe(true)
        }
        startRow += rowCount
      }
    }
    // Sums of a dataset are made chunk by chunk: both ways must cut alike, or its statistics differ in the last bit.
    expect(counts[0]).toEqual(counts[1])
  })

  test('a file of ours with empty values, or damaged pages, is left to DuckDB', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    const path = join(folder, 'a.parquet')
    const writer = await createParquetWriter(path, [{ name: 'x', node: value('float64') }])
    await writer.writeRows(3, [{ shape: [1], numbers: Float64Array.of(1, 2, 3) }])
    await writer.endRowGroup()
    await writer.writeRows(2, [{ rows: [4, null] }])
    await writer.finish()
    await using reader = await openParquetReader(folder)
    const columns = [{ name: 'x', dtype: 'float64' as const, shape: [1] }]
    const chunks = await Array.fromAsync(reader.scan(path, columns))
    expect(chunks.map(({ startRow }) => startRow)).toEqual([0, 3])
    expect(chunks.flatMap(({ columns: [values] }) => [...(values ?? [])])).toEqual([1, 2, 3, 4, Number.NaN])
    const bytes = await readFile(path)
    bytes.fill(0xff, 30, 60)
    await writeFile(join(folder, 'b.parquet'), bytes)
    await expect(Array.fromAsync(reader.scan(join(folder, 'b.parquet'), columns))).rejects.toThrow(/b\.parquet/)
  })

  test('any nesting of lists, empty lists and empty values comes back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    await using reader = await openParquetReader(folder)
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
    const row = fc.record({
      text: optional(fc.string({ unit: 'grapheme' })),
      lists: optional(fc.array(optional(fc.array(optional(fc.double({ noNaN: true })))))),
      records: optional(fc.array(optional(fc.record({ role: optional(fc.string()), at: optional(fc.integer()) })))),
    })
    let file = 0
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const path = join(folder, `${file++}.parquet`)
        const record = {
          kind: 'struct',
          fields: [
            ['role', value('string')],
            ['at', value('int32')],
          ],
        } as const
        const fields = [
          { name: 'text', node: value('string') },
          { name: 'lists', node: list(list(value('float64'))) },
          { name: 'records', node: list(record) },
        ]
        const writer = await createParquetWriter(path, fields)
        await writer.writeRows(
          rows.length,
          fields.map(({ name }) => ({ rows: rows.map((entry) => entry[name as keyof typeof entry] as NestedValue) })),
        )
        await writer.finish()
        // Structs are DuckDB's to read, the others ours.
        expect(await Array.fromAsync(reader.readRecords(path, ['text', 'lists', 'records']))).toEqual(rows)
        const own = rows.map(({ text, lists }) => ({ text, lists }))
        expect(await Array.fromAsync(reader.readRecords(path, ['text', 'lists']))).toEqual(own)
      }),
      { numRuns: 60 },
    )
  })

  test('a rolled-back row group leaves no trace', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    const write = async (name: string, spoil: boolean) => {
      const writer = await createParquetWriter(join(folder, name), [{ name: 'x', node: value('float32') }])
      const rows = (numbers: Float32Array) => [{ shape: [1], numbers }]
      await writer.writeRows(2, rows(Float32Array.of(1, 2)))
      await writer.endRowGroup()
      if (spoil) {
        const mark = writer.mark()
        await writer.writeRows(1, rows(Float32Array.of(9)))
        await writer.endRowGroup()
        await writer.writeRows(1, rows(Float32Array.of(8)))
        await writer.rollback(mark)
      }
      await writer.writeRows(1, rows(Float32Array.of(3)))
      await writer.finish()
      return readFile(join(folder, name))
    }
    expect(await write('a', true)).toEqual(await write('b', false))
  })

  test('what does not fit its declaration is told in rows and values, not in casts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    const path = join(folder, 'data.parquet')
    const writer = await createParquetWriter(path, [
      { name: 'action', node: shapedNode('float32', [7]) },
      { name: 'button', node: value('string') },
      { name: 'count', node: value('int64') },
    ])
    await writer.writeRows(1, [
      { shape: [7], numbers: new Float32Array(7) },
      { rows: ['pressed'] },
      { shape: [1], numbers: BigInt64Array.of(70_000n) },
    ])
    await writer.finish()
    await using reader = await openParquetReader(folder)
    const read = async (name: string, dtype: NumericDtype, shape: number[]) => {
      for await (const _ of reader.scan(path, [{ name, dtype, shape }])) expect(_.rowCount).toBeGreaterThan(0)
    }
    await expect(read('action', 'float32', [6])).rejects.toThrow(
      'data.parquet cannot be read: a row has 7 values where 6 are declared.',
    )
    await expect(read('button', 'float32', [1])).rejects.toThrow(
      'data.parquet cannot be read: it has the text "pressed" where a number (FLOAT) is declared.',
    )
    await expect(read('count', 'int16', [1])).rejects.toThrow(
      'data.parquet cannot be read: the value 70000 (INT64) does not fit the declared type.',
    )
  })

  test('the reader sees one folder and refuses damaged files with a sentence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
    const outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await using reader = await openParquetReader(folder)
    const paths = [join(folder, 'a.parquet'), join(outside, 'b.parquet')]
    for (const path of paths) {
      const writer = await createParquetWriter(path, [{ name: 'x', node: value('float64') }])
      await writer.writeRows(1000, [{ shape: [1], numbers: Float64Array.from({ length: 1000 }, Math.sin) }])
      await writer.finish()
    }
    const scan = async (path: string) => {
      let sum = 0
      for await (const chunk of reader.scan(path, [{ name: 'x', dtype: 'float64', shape: [1] }])) sum += chunk.rowCount
      return sum
    }
    expect(await scan(paths[0] as string)).toBe(1000)
    await expect(scan(paths[1] as string)).rejects.toMatchObject({ code: 'container_invalid' })
    await expect(scan(join(folder, '..', 'b.parquet'))).rejects.toThrow()

    const bytes = await readFile(paths[0] as string)
    for (let length = 0; length < bytes.length; length += 499) {
      const cut = join(folder, `cut-${length}.parquet`)
      await writeFile(cut, bytes)
      await truncate(cut, length)
      await expect(scan(cut)).rejects.toMatchObject({ code: 'container_invalid' })
    }
    const footerStart = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
    for (let at = footerStart; at < bytes.length - 8; at++) {
      const bent = join(folder, `bent-${at}.parquet`)
      await writeFile(
        bent,
        bytes.map((byte, index) => (index === at ? byte ^ 0xff : byte)),
      )
      await scan(bent).catch((error) => expect(error).toMatchObject({ name: 'FormatError' }))
    }
  })
})
