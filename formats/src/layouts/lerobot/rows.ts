import type { ParquetFooter } from '../../containers/parquet/footer.ts'
import type { ColumnRequest, ParquetReader } from '../../containers/parquet/parquet.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { isObject, readJson } from '../../json.ts'
import { toDoubles } from '../../statistics/doubles.ts'
import { findDisorder, type StatedStatistics, statedFeatures, takeStated } from '../../statistics/stated.ts'
import { bookkeeping, type LeRobotInfo } from './info.ts'

/** Row times further off the grid are a clock of their own, and kept. */
export const clockToleranceSeconds = 1e-4

/** Consecutive rows of one file that belong to one episode. */
export interface RowRun {
  readonly episodeIndex: number
  readonly startRow: number
  rowCount: number
  /** frame_index runs 0, 1, 2, … */
  isOrdered: boolean
  /** Largest distance of a timestamp from float32(frame_index / fps), in seconds. */
  timestampError: number
  /** index counts rows from `firstIndex`. */
  isIndexed: boolean
  readonly firstIndex: number
  /** The distinct task numbers in order of first use. */
  readonly taskIndices: number[]
}

/** An episode with more tasks than this keeps its first ones. */
const maxTasksPerEpisode = 1024

const bookkeepingColumns: readonly ColumnRequest[] = bookkeeping.map((name) => ({
  name,
  dtype: name === 'timestamp' ? 'float64' : 'int64',
  shape: [1],
}))

/** Bookkeeping columns as a file has them; some hand-made sets store them as lists of one. */
function requestBookkeeping(footer: ParquetFooter): ColumnRequest[] {
  return bookkeepingColumns.flatMap((column) => {
    const stored = footer.columns.find(({ name }) => name === column.name)
    return stored ? [{ ...column, isList: stored.listDepth > 0 }] : []
  })
}

/** One pass over the five bookkeeping columns of a data file. */
export async function* surveyRows(
  reader: ParquetReader,
  path: string,
  footer: ParquetFooter,
  fps: number,
  signal?: AbortSignal,
): AsyncGenerator<RowRun> {
  const columns = requestBookkeeping(footer)
  const find = (name: (typeof bookkeeping)[number]) => columns.findIndex((column) => column.name === name)
  const [timestampAt, frameAt, episodeAt, indexAt, taskAt] = bookkeeping.map(find) as [
    number,
    number,
    number,
    number,
    number,
  ]
  let run: RowRun | undefined
  for await (const chunk of reader.scan(path, columns, { signal })) {
    const timestamps = chunk.columns[timestampAt] as Float64Array | undefined
    const [frames, episodes, indices, tasks] = [frameAt, episodeAt, indexAt, taskAt].map((at) => {
      const column = chunk.columns[at] as BigInt64Array | undefined
      return column && toDoubles(column)
    })
    for (let row = 0; row < chunk.rowCount; row++) {
      const episodeIndex = episodes?.[row] ?? 0
      if (run?.episodeIndex !== episodeIndex) {
        if (run) yield run
        run = {
          episodeIndex,
          startRow: chunk.startRow + row,
          rowCount: 0,
          isOrdered: true,
          timestampError: 0,
          isIndexed: indices !== undefined,
          firstIndex: indices?.[row] ?? -1,
          taskIndices: [],
        }
      }
      const frame = run.rowCount
      if (frames && frames[row] !== frame) run.isOrdered = false
      const error = timestamps
        ? Math.abs((timestamps[row] as number) - Math.fround(frame / fps))
        : Number.POSITIVE_INFINITY
      if (!(error <= run.timestampError)) run.timestampError = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error
      if (indices && indices[row] !== run.firstIndex + frame) run.isIndexed = false
      const task = tasks?.[row] ?? -1
      if (
        run.taskIndices.at(-1) !== task &&
        run.taskIndices.length < maxTasksPerEpisode &&
        !run.taskIndices.includes(task)
      ) {
        run.taskIndices.push(task)
      }
      run.rowCount++
    }
  }
  if (run) yield run
}

const namedEpisodes = 10

/** How far the row times of each episode are off the grid. */
export class ClockErrors {
  largest = 0
  readonly #episodes: number[] = []
  #count = 0

  add(episode: number, seconds: number): void {
    this.largest = Math.max(this.largest, seconds)
    if (seconds <= clockToleranceSeconds) return
    this.#count++
    if (this.#episodes.length < namedEpisodes) this.#episodes.push(episode)
  }

  report(findings: Findings): void {
    if (this.#count === 0) return
    const more = this.#count - this.#episodes.length
    const where = `in ${this.#count === 1 ? 'episode' : `${this.#count} episodes:`} ${this.#episodes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    const distance = Number.isFinite(this.largest) ? `up to ${this.largest.toPrecision(3)} s off` : 'not there or not'
    findings.add(
      'timestamps-irregular',
      `Row times are ${distance} the i/fps grid (${where}); rebuilt, the originals are kept as observation.source_timestamp.`,
    )
  }
}

export function reportTotals(info: LeRobotInfo, episodeCount: number, frameCount: number, findings: Findings): void {
  if (info.totalEpisodes !== episodeCount)
    findings.add(
      'totals-differ',
      `info.json says ${info.totalEpisodes} episodes, but the metadata names ${episodeCount}.`,
    )
  if (info.totalFrames !== frameCount)
    findings.add('totals-differ', `info.json says ${info.totalFrames} frames, but the data files have ${frameCount}.`)
}

const maxStatsBytes = 16 * 1024 * 1024

/** What meta/stats.json says of the whole set; undefined where it is missing or cannot be read. */
export async function readStated(tree: FileTree): Promise<StatedStatistics | undefined> {
  const file = await tree.find('meta/stats.json')
  if (!file || file.sizeBytes > maxStatsBytes) return undefined
  const { value } = (await readJson(tree, file.path).catch(() => undefined)) ?? {}
  if (!isObject(value)) return undefined
  return new Map(statedFeatures.map((name) => [name, takeStated(isObject(value[name]) ? value[name] : {})]))
}

/** Statistics of the source are never used; only their oddities are told. */
export async function reportStats(tree: FileTree, version: string, findings: Findings): Promise<void> {
  const whole = await tree.find('meta/stats.json')
  const perEpisode = await tree.find('meta/episodes_stats.jsonl')
  if (version === 'v2.1' && whole && !perEpisode)
    findings.add('stats-hybrid', 'A v2.1 set with stats.json instead of episodes_stats.jsonl.')
  if (version === 'v2.0' && perEpisode && !whole)
    findings.add('stats-hybrid', 'A v2.0 set with episodes_stats.jsonl instead of stats.json.')
  if (!whole && !perEpisode)
    findings.add('stats-missing', 'The source has no statistics; they are computed from the data.')
  if (!whole || whole.sizeBytes > maxStatsBytes) return
  const parsed = await readJson(tree, whole.path).catch(() => undefined)
  for (const [feature, block] of Object.entries(isObject(parsed?.value) ? parsed.value : {})) {
    const disorder = isObject(block) ? findDisorder(takeStated(block)) : undefined
    if (disorder !== undefined)
      findings.add('stats-disordered', `Statistics of ${feature} in ${whole.path} contradict each other: ${disorder}.`)
  }
  if (parsed && parsed.nonFiniteCount > 0)
    findings.add(
      'json-not-finite',
      `${whole.path} holds ${parsed.nonFiniteCount} NaN or Infinity; statistics are computed from the data.`,
    )
}
