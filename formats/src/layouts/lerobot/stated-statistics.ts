import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { isObject, readJsonLines } from '../../json.ts'
import { findDisorder, type StatedStatistics, statedFeatures, takeStated } from '../../statistics/stated.ts'

/** An episode table that runs back and forth is not searched from its start for ever. */
const maxRestarts = 8
const maxTold = 1000
const linesPath = 'meta/episodes_stats.jsonl'

interface StatedEpisode {
  readonly episodeIndex: number
  readonly statistics: StatedStatistics
}

/** What meta says of each episode's numbers, read along with the episodes; a jump backwards starts anew. */
export class EpisodeStatisticsReader {
  readonly #tree: FileTree
  readonly #reader: ParquetReader
  readonly #findings: Findings
  #stream: AsyncGenerator<StatedEpisode> | undefined
  #reached = -1
  #restarts = 0
  /** Numbers of the episodes that a finding names already, as many as are listed. */
  readonly #told = new Set<number>()

  constructor(tree: FileTree, reader: ParquetReader, findings: Findings) {
    this.#tree = tree
    this.#reader = reader
    this.#findings = findings
  }

  async find(episodeIndex: number): Promise<StatedStatistics | undefined> {
    if (this.#stream && this.#reached >= episodeIndex) {
      if (++this.#restarts > maxRestarts) return undefined
      await this.close()
    }
    this.#stream ??= this.#open()
    for (let { value, done } = await this.#stream.next(); !done; { value, done } = await this.#stream.next()) {
      const stated = value as StatedEpisode
      this.#reached = Math.max(this.#reached, stated.episodeIndex)
      if (stated.episodeIndex !== episodeIndex) continue
      this.#reportDisorder(stated)
      return stated.statistics
    }
    return undefined
  }

  async close(): Promise<void> {
    await this.#stream?.return(undefined)
    this.#stream = undefined
    this.#reached = -1
  }

  async *#open(): AsyncGenerator<StatedEpisode> {
    if (await this.#tree.find(linesPath)) {
      for await (const { value } of readJsonLines(this.#tree, linesPath)) {
        if (!isObject(value) || typeof value.episode_index !== 'number' || !isObject(value.stats)) continue
        const { stats, episode_index: episodeIndex } = value
        yield { episodeIndex, statistics: takeAll((feature) => (isObject(stats[feature]) ? stats[feature] : {})) }
      }
      return
    }
    for (const { path } of await this.#tree.list('meta/episodes')) {
      if (!path.endsWith('.parquet')) continue
      const absolute = await this.#tree.locate(path)
      const names = (await this.#reader.readFooter(absolute)).columns.map(({ name }) => name)
      const prefixes = statedFeatures.map((feature) => `stats/${feature}/`)
      const wanted = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
      if (wanted.length === 0) continue
      for await (const record of this.#reader.readRecords(absolute, ['episode_index', ...wanted])) {
        const statistics = takeAll((feature) => {
          const prefix = `stats/${feature}/`
          const own = wanted.filter((name) => name.startsWith(prefix))
          return Object.fromEntries(own.map((name) => [name.slice(prefix.length), record[name]]))
        })
        yield { episodeIndex: Number(record.episode_index), statistics }
      }
    }
  }

  #reportDisorder({ episodeIndex, statistics }: StatedEpisode): void {
    if (this.#told.has(episodeIndex) || this.#told.size >= maxTold) return
    for (const [feature, stated] of statistics) {
      const disorder = findDisorder(stated)
      if (disorder === undefined) continue
      const sentence = `Statistics of ${feature} of episode ${episodeIndex} contradict each other: ${disorder}.`
      this.#findings.add('stats-disordered', sentence, episodeIndex)
      this.#told.add(episodeIndex)
    }
  }
}

const takeAll = (find: (feature: string) => Readonly<Record<string, unknown>>): StatedStatistics =>
  new Map(statedFeatures.map((feature) => [feature, takeStated(find(feature))]))
