import { createHash } from 'node:crypto'
import type { NumericArray } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { type ColumnRequest, openParquetReader, type ParquetReader } from '@nmp/formats/parquet'

/** These count places in the dataset, so they change when an episode before this one goes. */
const positional = /^stats\/(index|episode_index|task_index)\//

export const isEpisodeTable = (path: string): boolean => path.startsWith('meta/episodes/') && path.endsWith('.parquet')

/** Which columns of the episode table say what an episode is; each list gives a digest, null where the table has none of its features. */
export type DigestColumns = readonly ((name: string) => boolean)[]

/** Everything but its place in the dataset: length, and the statistics of every feature and camera. */
export const isContent = (name: string): boolean =>
  name === 'length' || (name.startsWith('stats/') && !positional.test(name))

/** Of every episode of a dataset that lies in a folder, in the order of its table. The statistics cover every row, and LeRobot's sample of the frames. */
export async function* digestEpisodes(
  folder: string,
  wanted: DigestColumns,
  signal: AbortSignal,
): AsyncGenerator<readonly [episode: number, digests: (Buffer | null)[]]> {
  const tree = await openFolder(folder, { links: 'anywhere' })
  await using reader = await openParquetReader(tree.root)
  for (const { path } of await tree.list('meta/episodes'))
    if (isEpisodeTable(path)) yield* readTable(reader, await tree.locate(path), wanted, signal)
}

async function* readTable(reader: ParquetReader, path: string, wanted: DigestColumns, signal: AbortSignal) {
  const { columns, rowCount } = await reader.readFooter(path)
  const lists = wanted.map((isWanted) =>
    columns
      .map(({ name }) => name)
      .filter(isWanted)
      .sort(),
  )
  const names = ['episode_index', ...new Set(lists.flat())]
  const digest = (textOf: (name: string) => string): (Buffer | null)[] =>
    lists.map((list) =>
      list.some((name) => name.startsWith('stats/'))
        ? createHash('sha256').update(list.map(textOf).join('')).digest()
        : null,
    )
  let done = 0
  for await (const { episode, texts } of readOwnRows(reader, path, names, signal)) {
    yield [episode, digest((name) => texts.get(name) as string)] as const
    done++
  }
  if (done === rowCount) return
  let row = 0
  for await (const record of reader.readRecords(path, names)) {
    signal.throwIfAborted()
    if (row++ < done) continue
    yield [Number(record.episode_index), digest((name) => JSON.stringify([name, record[name]], showBigInt))] as const
  }
}

const showBigInt = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/**
 * The same texts of a table that this program wrote, without DuckDB: to start it and to make objects of its lists took longer than the
 * rules took to look at all the episodes. Ends early where a table is laid out otherwise.
 */
async function* readOwnRows(
  reader: ParquetReader,
  path: string,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<{ episode: number; texts: ReadonlyMap<string, string> }> {
  const requests = await reader.findOwnNumbers(path, names)
  if (!requests) return
  for await (const { rowCount, columns } of reader.scanOwn(path, requests, { signal })) {
    for (let row = 0; row < rowCount; row++) {
      const texts = new Map<string, string>()
      for (const [index, request] of requests.entries())
        texts.set(request.name, writeText(request, columns[index] as NumericArray, row))
      yield { episode: Number(columns[0]?.[row]), texts }
    }
  }
}

/** What JSON says of a column's name and its value in a row; 64-bit integers are texts. */
function writeText({ name, dtype, shape, isList }: ColumnRequest, values: NumericArray, row: number): string {
  const [perRow = 1, ...inner] = shape
  const quote = dtype === 'int64' ? '"' : ''
  const [open, close] = [`${'['.repeat(inner.length)}${quote}`, `${quote}${']'.repeat(inner.length)}`]
  const parts: string[] = []
  for (let at = row * perRow; at < (row + 1) * perRow; at++) {
    const value = values[at] as number | bigint
    const isNumber = typeof value === 'bigint' || Number.isFinite(value)
    parts.push(`${open}${isNumber ? value : null}${close}`)
  }
  return `[${JSON.stringify(name)},${isList ? `[${parts.join(',')}]` : parts[0]}]`
}
