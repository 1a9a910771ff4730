import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import type { FileTree } from '../../file-tree.ts'
import { isObject, readJsonLines } from '../../json.ts'
import { ascending } from '../../statistics/stated.ts'

type Block = Readonly<Record<string, unknown>>

/** What meta states of one episode; of a feature that it does not name, nothing. */
export interface StatedBlocks {
  readonly episodeIndex: number
  readonly find: (feature: string) => Block
}

const linesPath = 'meta/episodes_stats.jsonl'
const statisticNames = [...ascending, 'mean', 'std', 'count']

/** What meta states of these features, by the names of the source, in the order of its lines (v2.1) or of its tables (v3.0). */
export async function* readStatedBlocks(
  tree: FileTree,
  reader: ParquetReader,
  features: readonly string[],
): AsyncGenerator<StatedBlocks> {
  if (await tree.find(linesPath)) {
    for await (const { value } of readJsonLines(tree, linesPath)) {
      if (!isObject(value) || typeof value.episode_index !== 'number' || !isObject(value.stats)) continue
      const { stats, episode_index: episodeIndex } = value
      yield { episodeIndex, find: (feature) => (isObject(stats[feature]) ? stats[feature] : {}) }
    }
    return
  }
  for (const { path } of await tree.list('meta/episodes')) {
    if (!path.endsWith('.parquet')) continue
    const absolute = await tree.locate(path)
    const stored = new Set((await reader.readFooter(absolute)).columns.map(({ name }) => name))
    const columnsOf = new Map(
      features.map((feature) => {
        const columns = statisticNames.map((name) => [name, `stats/${feature}/${name}`] as const)
        return [feature, columns.filter(([, column]) => stored.has(column))]
      }),
    )
    const wanted = [...columnsOf.values()].flatMap((columns) => columns.map(([, column]) => column))
    if (wanted.length === 0) continue
    for await (const record of reader.readRecords(absolute, ['episode_index', ...wanted]))
      yield {
        episodeIndex: Number(record.episode_index),
        find: (feature) =>
          Object.fromEntries((columnsOf.get(feature) ?? []).map(([name, column]) => [name, record[column]])),
      }
  }
}
