/** What reading in a child costs: prints, as JSON, milliseconds of a page of rows and of a picture by the clock, first, then again, then without a child. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseHere } from '../../../formats/src/containers/child/confinement.ts'
import { decodeImage, encodePng } from '../../../formats/src/containers/image.ts'
import { openParquetReader } from '../../../formats/src/containers/parquet/parquet.ts'
import { shapedNode } from '../../../formats/src/containers/parquet/schema.ts'
import { createParquetWriter } from '../../../formats/src/containers/parquet/writer.ts'

const [rowCount, width, pageRows, rounds] = [100_000, 14, 2000, 30]
const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-'))

async function writeForeign(): Promise<string> {
  const path = join(folder, 'foreign.parquet')
  const writer = await createParquetWriter(path, [{ name: 'action', node: shapedNode('float32', [width]) }])
  await writer.writeRows(rowCount, [
    { shape: [width], numbers: Float32Array.from({ length: rowCount * width }, Math.sin) },
  ])
  await writer.finish()
  const bytes = await readFile(path)
  bytes.write('other', bytes.lastIndexOf('nmp-formats version'), 'latin1')
  await writeFile(path, bytes)
  return path
}

/** A reader that is open, as the API keeps those that were used last. */
async function measurePages(path: string): Promise<{ first: number; again: number }> {
  await using reader = await openParquetReader(dirname(path), { only: path })
  const read = async (round: number): Promise<void> => {
    const startRow = (round * pageRows) % rowCount
    const columns = [{ name: 'action', dtype: 'float32' as const, shape: [width] }]
    for await (const chunk of reader.scan(path, columns, { startRow, endRow: startRow + pageRows }))
      if (chunk.rowCount === 0) throw new Error('nothing was read')
  }
  return measure(read)
}

async function measure(work: (round: number) => Promise<unknown>): Promise<{ first: number; again: number }> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const begun = performance.now()
    await work(round)
    times.push(performance.now() - begun)
  }
  const [first = 0, ...others] = times
  return { first, again: others.sort((a, b) => a - b)[rounds / 2] ?? 0 }
}

const path = await writeForeign()
const pixels = Uint8Array.from({ length: 640 * 480 * 3 }, (_, at) => (at * 2654435761) >>> 24)
const png = await encodePng({ width: 640, height: 480, channels: 3, data: pixels })
const inChild = { page: await measurePages(path), picture: await measure(() => decodeImage(png)) }
parseHere()
const here = { page: await measurePages(path), picture: await measure(() => decodeImage(png)) }
await rm(folder, { recursive: true })
process.stdout.write(JSON.stringify({ inChild, here }))
