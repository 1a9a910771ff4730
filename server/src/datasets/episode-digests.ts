import { createHash } from 'node:crypto'
import { openFolder } from '@nmp/formats/file-tree'
import { openParquetReader, type ParquetReader } from '@nmp/formats/parquet'

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
  const { columns } = await reader.readFooter(path)
  const lists = wanted.map((isWanted) =>
    columns
      .map(({ name }) => name)
      .filter(isWanted)
      .sort(),
  )
  const names = [...new Set(lists.flat())]
  for await (const record of reader.readRecords(path, ['episode_index', ...names])) {
    signal.throwIfAborted()
    const digests = lists.map((list) => {
      if (!list.some((name) => name.startsWith('stats/'))) return null
      const hash = createHash('sha256')
      for (const name of list) hash.update(JSON.stringify([name, record[name]], showBigInt))
      return hash.digest()
    })
    yield [Number(record.episode_index), digests] as const
  }
}

const showBigInt = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
