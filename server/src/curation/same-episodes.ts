import { createHash } from 'node:crypto'
import { openFolder } from '@nmp/formats/file-tree'
import { openParquetReader, type ParquetReader } from '@nmp/formats/parquet'
import type { Context } from '../context.ts'
import { layOutRevision } from '../datasets/local-revision.ts'
import type { CuratedRevision } from './repository.ts'

/** These count places in the dataset, so they change when an episode before this one goes. */
const positional = /^stats\/(index|episode_index|task_index)\//

/**
 * Where episodes of one revision stand in another: those with the same length, tasks and statistics of every feature and camera,
 * whatever their numbers are now. The statistics cover every row, and LeRobot's sample of the frames.
 */
export async function matchEpisodes(
  context: Context,
  orgId: string,
  { from, to }: { from: CuratedRevision; to: CuratedRevision },
  episodes: Iterable<number>,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const wanted = new Set(episodes)
  if (from.digest === to.digest) return new Map([...wanted].map((episode) => [episode, episode]))
  const sought = new Map<string, number[]>()
  const remember = (digest: string, episode: number): void => {
    const list = sought.get(digest)
    if (list) list.push(episode)
    else sought.set(digest, [episode])
  }
  for await (const [episode, digest] of readDigests(context, orgId, from, signal))
    if (wanted.has(episode)) remember(digest, episode)
  const matches = new Map<number, number>()
  // Of several that are equal the first goes to the first.
  for await (const [episode, digest] of readDigests(context, orgId, to, signal)) {
    const source = sought.get(digest)?.shift()
    if (source !== undefined) matches.set(source, episode)
  }
  return matches
}

async function* readDigests(
  context: Context,
  orgId: string,
  revision: CuratedRevision,
  signal: AbortSignal,
): AsyncGenerator<readonly [episode: number, digest: string]> {
  const isTable = (path: string) => path.startsWith('meta/episodes/') && path.endsWith('.parquet')
  const folder = await layOutRevision(context, { id: revision.id, orgId }, undefined, { paths: isTable, signal })
  const tree = await openFolder(folder, { links: 'anywhere' })
  await using reader = await openParquetReader(tree.root)
  for (const { path } of await tree.list('meta/episodes'))
    if (isTable(path)) yield* readTable(reader, await tree.locate(path), signal)
}

async function* readTable(reader: ParquetReader, path: string, signal: AbortSignal) {
  const { columns } = await reader.readFooter(path)
  const names = columns
    .map(({ name }) => name)
    .filter((name) => name === 'tasks' || name === 'length' || (name.startsWith('stats/') && !positional.test(name)))
    .sort()
  for await (const record of reader.readRecords(path, ['episode_index', ...names])) {
    signal.throwIfAborted()
    const hash = createHash('sha256')
    for (const name of names) hash.update(JSON.stringify([name, record[name]], showBigInt))
    yield [Number(record.episode_index), hash.digest('base64')] as const
  }
}

const showBigInt = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
