import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testWhere } from '../../../../fixtures/test-where.ts'
import { findChildrenOn } from '../../../test/own-children.ts'
import { encodePrefixAndHead } from '../child/message.ts'
import { openParquetReader } from './parquet.ts'
import { list, shapedNode, value } from './schema.ts'
import { decodeChunks, decodeRecords } from './table-wire.ts'
import { createParquetWriter } from './writer.ts'

const columns = [{ name: 'x', dtype: 'float32' as const, shape: [8] }]

/** By another writer's name: DuckDB reads it. */
async function writeForeign(rowCount: number, first: number): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
  const path = join(folder, 'foreign.parquet')
  const writer = await createParquetWriter(path, [
    { name: 'x', node: shapedNode('float32', [8]) },
    { name: 'task', node: value('string') },
  ])
  const numbers = Float32Array.from({ length: rowCount * 8 }, (_, at) => first + at)
  await writer.writeRows(rowCount, [{ shape: [8], numbers }, { rows: Array(rowCount).fill('pick') }])
  await writer.finish()
  const bytes = await readFile(path)
  bytes.write('other', bytes.lastIndexOf('nmp-formats version'), 'latin1')
  await writeFile(path, bytes)
  return { folder, path }
}

testWhere(process.platform === 'linux')('DuckDB is in a process of the sandbox, and in no other', async () => {
  const { folder, path } = await writeForeign(10, 0)
  await using reader = await openParquetReader(folder, { only: path })
  expect(await Array.fromAsync(reader.readRecords(path, ['task']))).toHaveLength(10)
  const children = findChildrenOn('table-entry.ts')
  expect(children.length).toBeGreaterThan(0)
  for (const status of children) expect(status).toMatch(/^NoNewPrivs:\s+1\nSeccomp:\s+2$/m)
  expect(readFileSync('/proc/self/maps', 'utf8')).not.toContain('duckdb.node')
})

test('killed where there is no sandbox, it leaves no folder behind', async () => {
  const { folder, path } = await writeForeign(10, 0)
  const temporary = await mkdtemp(join(tmpdir(), 'parquet-'))
  const entry = fileURLToPath(new URL('./table-entry.ts', import.meta.url))
  const child = spawn(process.execPath, [entry, folder], { env: { TMP: temporary }, stdio: ['pipe', 'pipe', 'ignore'] })
  const params = { reader: 1, kind: 'records', path, columns: ['task'] }
  for (const head of [{ name: 'open', params }, 'input-end', { name: 'next', params: 1 }, 'input-end'])
    child.stdin.write(encodePrefixAndHead({ head }))
  let said = ''
  while (!said.includes('pick')) said += String((await once(child.stdout, 'data'))[0])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await readdir(temporary)).toEqual([])
})

test('readings go on beside each other, and one that is left early ends nothing but itself', async () => {
  const { folder, path } = await writeForeign(20_000, 0)
  await using reader = await openParquetReader(folder)
  const [left, whole] = [reader.scan(path, columns), reader.scan(path, columns)]
  const { value: first } = await left.next()
  expect(first?.startRow).toBe(0)
  let rowCount = 0
  for await (const chunk of whole) {
    expect(chunk.columns[0]?.[0]).toBe(chunk.startRow * 8)
    rowCount += chunk.rowCount
    if (chunk.startRow === 0) await left.return(undefined)
  }
  expect(rowCount).toBe(20_000)
})

test('a file that took the place of another is read, not the other', async () => {
  const [{ folder, path }, { path: healed }] = [await writeForeign(10, 0), await writeForeign(10, 500)]
  const readFirst = async () => {
    await using reader = await openParquetReader(folder, { only: path })
    for await (const chunk of reader.scan(path, columns)) return chunk.columns[0]?.[0]
  }
  expect(await readFirst()).toBe(0)
  await copyFile(healed, `${path}.new`)
  await rename(`${path}.new`, path)
  expect(await readFirst()).toBe(500)
})

test('a table of ours gives the same records as DuckDB reads of it, whatever their types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
  const own = join(folder, 'own.parquet')
  const fields = [
    { name: 'index', node: value('int64') },
    { name: 'small', node: value('int32') },
    { name: 'mean', node: list(list(list(value('float64')))) },
    { name: 'part', node: value('float32') },
    { name: 'tasks', node: list(value('string')) },
    { name: 'low', node: value('int64') },
  ]
  const writer = await createParquetWriter(own, fields)
  for (const group of [0, 1]) {
    const rows = [0, 1, 2].map((row) => group * 3 + row)
    await writer.writeRows(3, [
      { rows },
      { rows: rows.map((row) => (row === 4 ? null : row)) },
      { rows: rows.map((row) => [[[row / 3, Number.NaN], []], null, []]) },
      { rows: [0.1, -0, Number.POSITIVE_INFINITY] },
      { rows: [['pick', 'größer'], [], null] },
      // Ours reads none below zero, which could be meant without a sign: the second group is DuckDB's.
      { rows: rows.map((row) => (group === 1 ? -row : row)) },
    ])
    await writer.endRowGroup()
  }
  await writer.finish()
  const foreign = join(folder, 'foreign.parquet')
  const bytes = await readFile(own)
  bytes.write('other', bytes.lastIndexOf('nmp-formats version'), 'latin1')
  await writeFile(foreign, bytes)
  await using reader = await openParquetReader(folder)
  const names = fields.map(({ name }) => name)
  for (const chosen of [names.slice(0, 5), names]) {
    const records = await Array.fromAsync(reader.readRecords(own, chosen))
    expect(records).toHaveLength(6)
    expect(records).toEqual(await Array.fromAsync(reader.readRecords(foreign, chosen)))
  }
})

test('an answer that does not hold what was asked for is refused', () => {
  const head = { startRow: 0, rowCount: 2, sizes: [64] }
  const body = new Uint8Array(64)
  const decode = (changed: object, bytes = body) => [
    ...decodeChunks({ head: [{ ...head, ...changed }], body: bytes }, columns),
  ]
  expect(decode({})).toHaveLength(1)
  for (const wrong of [{ rowCount: 3 }, { rowCount: -1 }, { sizes: [] }, { sizes: [[32, 32]] }, { startRow: 0.5 }])
    expect(() => decode(wrong)).toThrow('gave an invalid answer')
  expect(() => decode({}, body.subarray(1))).toThrow('gave an invalid answer')
  expect(() => decodeRecords({ head: null, body: Buffer.from('[["bigint","x"]]') })).toThrow('gave an invalid answer')
})
