import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { findDisorder, type StatedStatistics, statedFeatures, takeStated } from '../../statistics/stated.ts'
import { readStatedBlocks } from './stated-blocks.ts'

/** An episode table that runs back and forth is not searched from its start for ever. */
const maxRestarts = 8
const maxTold = 1000

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
    for await (const { episodeIndex, find } of readStatedBlocks(this.#tree, this.#reader, statedFeatures))
      yield { episodeIndex, statistics: new Map(statedFeatures.map((feature) => [feature, takeStated(find(feature))])) }
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
