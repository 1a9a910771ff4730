/** One piece of Parquet work in a process of its own: `node parquet-work.ts KIND FILE` prints its CPU seconds and peak memory. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DuckDBInstance, DuckDBListValue, DuckDBStructValue } from '@duckdb/node-api'
import { parquetWriteFile } from 'hyparquet-writer'
import { parseHere } from '../../../formats/src/containers/child/confinement.ts'
import { readImageColumn } from '../../../formats/src/containers/parquet/images.ts'
import { openParquetReader } from '../../../formats/src/containers/parquet/parquet.ts'
import { createdBy, createParquetWriter } from '../../../formats/src/containers/parquet/writer.ts'
import { measureOwnPeakBytes } from '../own-peak.ts'
import { fields, makeRows } from './formats-sample.ts'

// What DuckDB itself costs is meant; what its child adds is measured by `npm run bench -- sandbox`.
parseHere()

const [kind = '', path = ''] = process.argv.slice(2)
const [episodeCount, episodeLength] = [2000, 250]
const [pictureCount, pictureBytes, pictureColumn] = [2048, 100_000, 'observation.images.top']
const listed = fields.slice(0, 2).map(({ name }) => name)

const makeEpisodes = () =>
  Array.from({ length: episodeCount }, (_, episode) => makeRows(episode, episodeLength, episode * episodeLength))

async function writeOwn(): Promise<() => Promise<void>> {
  const episodes = makeEpisodes()
  await rm(path, { force: true })
  return async () => {
    const writer = await createParquetWriter(path, fields)
    for (const rows of episodes) {
      await writer.writeRows(episodeLength, rows)
      await writer.endRowGroup()
    }
    await writer.finish()
  }
}

/** The same with hyparquet-writer, which takes the whole file at once, and lists as arrays of numbers: making them is part of it. */
async function writeByLibrary(): Promise<() => Promise<void>> {
  const episodes = makeEpisodes()
  const leaf = (name: string, place: number) => ({
    name,
    type: place < 4 ? ('FLOAT' as const) : ('INT64' as const),
    repetition_type: 'OPTIONAL' as const,
  })
  const schema = [
    { name: 'schema', num_children: fields.length },
    ...fields.flatMap(({ name }, place) =>
      listed.includes(name)
        ? [
            { name, repetition_type: 'OPTIONAL' as const, num_children: 1, converted_type: 'LIST' as const },
            { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
            leaf('element', place),
          ]
        : [leaf(name, place)],
    ),
  ]
  return async () => {
    const columnData = fields.map(({ name }, place) => {
      const data: unknown[] = []
      for (const rows of episodes) {
        const part = rows[place]
        if (!part || !('numbers' in part)) continue
        if (!listed.includes(name)) for (const value of part.numbers) data.push(value)
        else
          for (let at = 0; at < part.numbers.length; at += 14)
            data.push([...(part.numbers as Float32Array).subarray(at, at + 14)])
      }
      return { name, data }
    })
    parquetWriteFile({ filename: path, columnData, schema, rowGroupSize: episodeLength })
  }
}

const columns = fields.map(({ name }, place) => ({
  name,
  dtype: place < 4 ? ('float32' as const) : ('int64' as const),
  shape: [place < 2 ? 14 : 1],
}))

/** Reads every number; by DuckDB where the file does not say that this library wrote it. */
async function readRows(): Promise<() => Promise<void>> {
  return async () => {
    await using reader = await openParquetReader(dirname(path))
    let rows = 0
    for await (const chunk of reader.scan(path, columns)) rows += chunk.rowCount
    if (rows !== episodeCount * episodeLength) throw new Error(`${rows} rows were read`)
  }
}

/** The same through what DuckDB declares as its interface: a value at a time. */
async function readByItems(): Promise<() => Promise<void>> {
  return async () => {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
    const result = await connection.stream(`SELECT * FROM read_parquet('${path}')`)
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) break
      for (const [place, { shape }] of columns.entries()) {
        const vector = chunk.getColumnVector(place)
        const width = shape[0] ?? 1
        const values = place < 4 ? new Float32Array(chunk.rowCount * width) : new BigInt64Array(chunk.rowCount * width)
        for (let row = 0; row < chunk.rowCount; row++) {
          const item = vector.getItem(row)
          values.set((item instanceof DuckDBListValue ? item.items : [item]) as never, row * width)
        }
      }
    }
    connection.closeSync()
  }
}

async function writePictures(): Promise<() => Promise<void>> {
  const node = {
    kind: 'struct' as const,
    fields: [
      ['bytes', { kind: 'value' as const, dtype: 'binary' as const }],
      ['path', { kind: 'value' as const, dtype: 'string' as const }],
    ] as const,
  }
  return async () => {
    const writer = await createParquetWriter(path, [{ name: pictureColumn, node }])
    for (let first = 0; first < pictureCount; first += 64) {
      const rows = Array.from({ length: 64 }, (_, row) => {
        const bytes = crypto.getRandomValues(new Uint8Array(65_536))
        return {
          bytes: Buffer.concat([bytes, bytes.subarray(0, pictureBytes - bytes.length)]),
          path: `${first + row}.png`,
        }
      })
      await writer.writeRows(64, [{ rows }])
    }
    await writer.finish()
  }
}

async function readPictures(): Promise<() => Promise<void>> {
  return async () => {
    let count = 0
    const range = { startRow: 0, rowCount: pictureCount }
    for await (const { bytes } of readImageColumn(path, 'pictures', pictureColumn, range))
      if (bytes.length === pictureBytes) count++
    if (count !== pictureCount) throw new Error(`${count} pictures were read`)
  }
}

async function readPicturesByDuckDb(): Promise<() => Promise<void>> {
  return async () => {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
    const result = await connection.stream(`SELECT "${pictureColumn}" FROM read_parquet('${path}')`)
    let count = 0
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) break
      for (let row = 0; row < chunk.rowCount; row++) {
        const item = chunk.getColumnVector(0).getItem(row)
        if (item instanceof DuckDBStructValue && item.entries.bytes) count++
      }
    }
    connection.closeSync()
    if (count !== pictureCount) throw new Error(`${count} pictures were read`)
  }
}

/** Leaves the file as another program would have written it, so that our own reader does not take it. */
async function disown(): Promise<() => Promise<void>> {
  return async () => {
    const bytes = await readFile(path)
    bytes.write(createdBy.replaceAll(/\d/g, '0'), bytes.lastIndexOf(createdBy))
    await writeFile(path, bytes)
  }
}

const kinds: Record<string, () => Promise<() => Promise<void>>> = {
  'write-own': writeOwn,
  'write-library': writeByLibrary,
  'read-rows': readRows,
  'read-items': readByItems,
  'write-pictures': writePictures,
  'read-pictures': readPictures,
  'read-pictures-duckdb': readPicturesByDuckDb,
  disown,
}
const work = await kinds[kind]?.()
if (!work) throw new Error(`There is no work ${kind}.`)
const before = process.cpuUsage()
await work()
const { user, system } = process.cpuUsage(before)
const peakMegabytes = Math.round(measureOwnPeakBytes() / 2 ** 20)
process.stdout.write(JSON.stringify({ cpuSeconds: (user + system) / 1e6, peakMegabytes }))
