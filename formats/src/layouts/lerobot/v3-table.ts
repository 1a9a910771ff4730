import type { MetadataValue, ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'

/** meta/episodes and meta/tasks.parquet of v3.0. */

export interface EpisodeTable {
  readonly count: number
  readonly episodeIndex: readonly number[]
  readonly length: readonly number[]
  /** Per camera key: which file, and where in it the episode starts. */
  readonly videos: ReadonlyMap<string, VideoColumns>
}

export interface VideoColumns {
  readonly chunk: number[]
  readonly file: number[]
  readonly fromSeconds: number[]
}

const maxTasks = 1_000_000
const maxTaskText = 64 * 1024 * 1024
const known = /^(episode_index|tasks|length|dataset_(from|to)_index|data\/.*|videos\/.*|stats\/.*|meta\/episodes\/.*)$/

export async function readEpisodeTable(
  tree: FileTree,
  reader: ParquetReader,
  cameras: readonly string[],
  findings: Findings,
): Promise<EpisodeTable> {
  const files = (await tree.list('meta/episodes')).filter(({ path }) => path.endsWith('.parquet'))
  if (files.length === 0)
    throw new FormatError('metadata_invalid', 'meta/episodes has no Parquet file, so the episodes cannot be found.')
  const episodeIndex: number[] = []
  const length: number[] = []
  const videos = new Map(cameras.map((key) => [key, { chunk: [], file: [], fromSeconds: [] } as VideoColumns]))
  const videoColumns = cameras.flatMap((key) => [
    `videos/${key}/chunk_index`,
    `videos/${key}/file_index`,
    `videos/${key}/from_timestamp`,
  ])
  for (const { path } of files) {
    const absolute = await tree.locate(path)
    const { columns } = await reader.readFooter(absolute)
    const names = new Set(columns.map(({ name }) => name))
    if (!names.has('episode_index')) throw new FormatError('metadata_invalid', `${path} has no column episode_index.`)
    if (!names.has('tasks') || ![...names].some((name) => name.startsWith('stats/'))) {
      findings.addOnce(
        'metadata-optional-absent',
        'meta/episodes lacks tasks or statistics; both are made from the rows.',
      )
    }
    const extra = [...names].filter((name) => !known.test(name)).slice(0, 20)
    if (extra.length > 0)
      findings.addOnce(
        'metadata-extra-columns',
        `meta/episodes has extra columns, not carried over: ${extra.join(', ')}.`,
      )
    for await (const record of reader.readRecords(absolute, ['episode_index', 'length', ...videoColumns])) {
      episodeIndex.push(toNumber(record.episode_index))
      length.push(toNumber(record.length))
      for (const [key, columnsOf] of videos) {
        columnsOf.chunk.push(toNumber(record[`videos/${key}/chunk_index`]))
        columnsOf.file.push(toNumber(record[`videos/${key}/file_index`]))
        columnsOf.fromSeconds.push(toNumber(record[`videos/${key}/from_timestamp`]))
      }
    }
  }
  return { count: episodeIndex.length, episodeIndex, length, videos }
}

/** Task texts by task_index; the string column's name tells which pandas wrote it. */
export async function readTaskTable(
  tree: FileTree,
  reader: ParquetReader,
  findings: Findings,
): Promise<Map<number, string>> {
  const path = 'meta/tasks.parquet'
  const tasks = new Map<number, string>()
  if (!(await tree.find(path))) {
    findings.add('tasks-missing', 'meta/tasks.parquet is missing; every episode gets an empty task.')
    return tasks
  }
  let isOrdered = true
  let textLength = 0
  for await (const record of reader.readRecords(await tree.locate(path), ['task_index', 'task', '__index_level_0__'])) {
    if (record.task === undefined && record.__index_level_0__ !== undefined) {
      findings.addOnce(
        'tasks-old-index',
        'meta/tasks.parquet names its texts __index_level_0__, as lerobot <= 0.4.4 does.',
      )
    }
    const text = record.task ?? record.__index_level_0__
    const number = toNumber(record.task_index)
    if (number !== tasks.size) isOrdered = false
    tasks.set(number, typeof text === 'string' ? text : '')
    textLength += typeof text === 'string' ? text.length : 0
    if (textLength > maxTaskText)
      throw new FormatError('limit_exceeded', `${path} has more than ${maxTaskText / 1024 / 1024} MiB of text.`)
    if (tasks.size > maxTasks) throw new FormatError('limit_exceeded', `${path} has more than ${maxTasks} tasks.`)
  }
  if (!isOrdered)
    findings.add(
      'tasks-disordered',
      'meta/tasks.parquet is not sorted 0, 1, 2, …; texts are taken by their task_index.',
    )
  return tasks
}

/** Texts of meta/subtasks.parquet, which lerobot 0.4.4 to 0.5.1 wrote. */
export async function readSubtasks(tree: FileTree, reader: ParquetReader, findings: Findings): Promise<string[]> {
  const path = 'meta/subtasks.parquet'
  if (!(await tree.find(path))) return []
  findings.add('subtasks-present', `${path} is present; the column subtask_index is kept, the texts go to the sidecar.`)
  const texts: string[] = []
  for await (const record of reader.readRecords(await tree.locate(path), [
    'subtask_index',
    'subtask',
    '__index_level_0__',
  ])) {
    const place = toNumber(record.subtask_index)
    if (place >= 0 && place < 10_000) texts[place] = String(record.subtask ?? record.__index_level_0__ ?? '')
  }
  return Array.from(texts, (text) => text ?? '')
}

function toNumber(value: MetadataValue | undefined): number {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : -1
}
