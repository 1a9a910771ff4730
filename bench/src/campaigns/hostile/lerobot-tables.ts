import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { makeFolder } from '../../../../e2e/program.ts'
import { damages } from './damage.ts'
import type { HostileSource } from './import-door.ts'
import { type Base, changeSet, files, type Make } from './lerobot-set.ts'

const video = '"videos/observation.images.front/'

/** What the table of episodes says instead, as SQL. */
const episodes: [name: string, column: string, value: string][] = [
  ['an episode twice', 'episode_index', '0'],
  ['negative episodes', 'episode_index', '-1 - episode_index'],
  ['episodes out of reach', 'episode_index', 'episode_index + 9000000000000000000'],
  ['episodes by name', 'episode_index', "'x' || episode_index"],
  ['lengths of none', 'length', '0'],
  ['negative lengths', 'length', '-length'],
  ['lengths that lie', 'length', 'length * 1000000000'],
  ['lengths that are lists', 'length', '[length]'],
  ['rows that begin before the first', 'dataset_from_index', '-5'],
  ['rows that overlap', 'dataset_from_index', '0'],
  ['rows that end before they begin', 'dataset_to_index', '0'],
  ['rows out of reach', 'dataset_to_index', '9223372036854775807'],
  ['chunks that are not there', '"data/chunk_index"', '999999999'],
  ['negative chunks', '"data/chunk_index"', '-1'],
  ['files that are not there', '"data/file_index"', '7'],
  ['no file', '"data/file_index"', 'NULL'],
  ['negative times', `${video}from_timestamp"`, '-10.0'],
  ['endless times', `${video}from_timestamp"`, "'inf'::DOUBLE"],
  ['times that are no number', `${video}from_timestamp"`, "'nan'::DOUBLE"],
  ['times that overlap', `${video}from_timestamp"`, '0.0'],
  ['no times', `${video}from_timestamp"`, 'NULL'],
  ['times as text', `${video}from_timestamp"`, "'now'"],
  ['ends before their beginning', `${video}to_timestamp"`, '-1.0'],
  ['ends out of reach', `${video}to_timestamp"`, '1e300'],
  ['endless ends', `${video}to_timestamp"`, "'inf'::DOUBLE"],
  ['tasks with a NUL', 'tasks', "['pick' || chr(0)]"],
  ['videos out of reach', `${video}file_index"`, '123456789012'],
  ['negative videos', `${video}chunk_index"`, '-3'],
]

/** What the rows say instead. */
const rows: [name: string, column: string, value: string][] = [
  ['endless times', 'timestamp', "'inf'::FLOAT"],
  ['negative times', 'timestamp', '-timestamp - 1'],
  ['times that are no number', 'timestamp', "'nan'::FLOAT"],
  ['no times', 'timestamp', 'NULL::FLOAT'],
  ['the same time', 'timestamp', '0::FLOAT'],
  ['times that run back', 'timestamp', '(100 - timestamp)::FLOAT'],
  ['times as text', 'timestamp', "'soon'"],
  ['frames that are all the first', 'frame_index', '0::BIGINT'],
  ['negative frames', 'frame_index', '-frame_index'],
  ['frames out of reach', 'frame_index', '9223372036854775807'],
  ['episodes that are not listed', 'episode_index', '77::BIGINT'],
  ['negative episodes', 'episode_index', '-1::BIGINT'],
  ['no episode', 'episode_index', 'NULL::BIGINT'],
  ['rows that are all the first', 'index', '0::BIGINT'],
  ['tasks that are not listed', 'task_index', '99::BIGINT'],
  ['negative tasks', 'task_index', '-1::BIGINT'],
  ['endless actions', 'action', "['inf'::FLOAT, '-inf'::FLOAT]"],
  ['actions that are no number', 'action', "['nan'::FLOAT, 'nan'::FLOAT]"],
  ['actions of nothing', 'action', '[]::FLOAT[]'],
  ['actions of a thousand', 'action', 'list_transform(range(1000), x -> x::FLOAT)'],
  ['actions of several lengths', 'action', 'list_transform(range(frame_index), x -> x::FLOAT)'],
  ['actions that nest', 'action', '[[[[action]]]]'],
  ['actions of text', 'action', "['a', 'b']"],
  ['no action', 'action', 'NULL'],
  ['actions of a megabyte', 'action', "[repeat('x', 1000000)]"],
  ['a map of actions', 'action', "MAP {'a': 1.0, 'b': 2.0}"],
]

const tasks: [name: string, column: string, value: string][] = [
  ['a task twice', 'task_index', '0::BIGINT'],
  ['negative tasks', 'task_index', '-1 - task_index'],
  ['no task', 'task', 'NULL::VARCHAR'],
  ['tasks of ten megabytes', 'task', "repeat('x', 10000000)"],
  ['tasks that are numbers', 'task', '7'],
  ['tasks that are lists', 'task', '[task]'],
  ['tasks with a NUL', 'task', "'pick' || chr(0) || 'place'"],
  ['tasks that control a terminal', 'task', "chr(27) || ']0;owned' || chr(7)"],
]

/** The last eight bytes of a Parquet file are the length of its footer and its name. */
const footers: [name: string, make: Make][] = [
  ['a footer of none', (good) => withFooterLength(good, 0)],
  ['a footer longer than the file', (good) => withFooterLength(good, good.length)],
  ['a footer of two gigabytes', (good) => withFooterLength(good, 0x7fffffff)],
  ['a footer of four gigabytes', (good) => withFooterLength(good, 0xffffffff)],
  ['a footer that begins in the middle', (good) => withFooterLength(good, good.readUInt32LE(good.length - 8) - 5)],
  ['an encrypted footer', (good) => Buffer.concat([good.subarray(0, -4), Buffer.from('PARE')])],
  ['a footer of noughts', (good) => Buffer.from(good).fill(0, footerStart(good), good.length - 8)],
  ['a footer of lists', (good) => Buffer.from(good).fill(0x19, footerStart(good), good.length - 8)],
  ['a footer of structures', (good) => Buffer.from(good).fill(0x1c, footerStart(good), good.length - 8)],
  ['a footer of long numbers', (good) => Buffer.from(good).fill(0xff, footerStart(good), good.length - 8)],
  ['pages of noughts', (good) => Buffer.from(good).fill(0, 4, footerStart(good))],
  ['pages of long numbers', (good) => Buffer.from(good).fill(0xff, 4, footerStart(good))],
]

const footerStart = (good: Buffer): number => good.length - 8 - good.readUInt32LE(good.length - 8)
const withFooterLength = (good: Buffer, length: number): Buffer => {
  const changed = Buffer.from(good)
  changed.writeUInt32LE(length, changed.length - 8)
  return changed
}

export function listTableCases(seed: number): HostileSource[] {
  const v3 = files['v3.0']
  const change =
    (base: Base, file: string, what: string) =>
    ([name, column, value]: [string, string, string]): HostileSource =>
      changeSet(`${what}: ${name}`, base, file, (good) => rewriteTable(good, column, value))
  const footerCases = (['data', 'episodes'] as const).flatMap((file, place) =>
    footers
      .filter((_, index) => file === 'data' || index % 2 === place)
      .map(([name, make]) => changeSet(`${file}: ${name}`, 'v3.0', v3[file], make)),
  )
  const damageCases = (['data', 'episodes', 'tasks'] as const).flatMap((file, place) =>
    Object.entries(damages)
      .filter((_, index) => index % 3 !== place)
      .map(([name, damage]) => changeSet(`${file}: ${name}`, 'v3.0', v3[file], (good) => damage(good, seed))),
  )
  return [
    ...episodes.map(change('v3.0', v3.episodes, 'episodes')),
    ...rows.map(change('v3.0', v3.data, 'rows')),
    ...rows.filter((_, index) => index % 4 === 0).map(change('v2.1', files['v2.1'].data, 'rows')),
    ...tasks.map(change('v3.0', v3.tasks, 'tasks')),
    ...footerCases,
    ...damageCases,
  ]
}

let instance: Promise<DuckDBInstance> | undefined

/** The same table with another value in a column, or with a column more. */
async function rewriteTable(good: Buffer, column: string, value: string): Promise<Buffer> {
  const folder = await makeFolder()
  const [from, to] = [join(folder, 'from.parquet'), join(folder, 'to.parquet')]
  await writeFile(from, good)
  instance ??= DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await (await instance).connect()
  const columns = (await connection.run(`SELECT * FROM '${from}' LIMIT 0`)).columnNames()
  const changed = columns.includes(column.replaceAll('"', ''))
    ? `* REPLACE (${value} AS ${column})`
    : `*, ${value} AS ${column}`
  await connection.run(`COPY (SELECT ${changed} FROM '${from}') TO '${to}' (FORMAT parquet)`)
  connection.closeSync()
  return readFile(to)
}
