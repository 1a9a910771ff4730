import type { NestedValue } from '../../containers/parquet/levels.ts'
import { list, type ParquetField, type ParquetNode, value } from '../../containers/parquet/schema.ts'
import { createParquetWriter, type FieldValues, type ParquetWriter } from '../../containers/parquet/writer.ts'
import { type NumberedFile, nameFile, numberFile, prepareFile } from './numbered-file.ts'

/** One row of meta/episodes, without the columns that say where the row itself lies. */
export interface EpisodeRow {
  readonly episodeIndex: number
  readonly tasks: readonly string[]
  readonly length: number
  readonly data: NumberedFile
  readonly fromIndex: number
  /** Per video camera, in order. */
  readonly videos: readonly {
    readonly chunk: number
    readonly file: number
    readonly fromSeconds: number
    readonly toSeconds: number
  }[]
  /** Per feature, in order: LeRobot's numbers; cameras are shaped channels, 1, 1. */
  readonly statistics: readonly {
    readonly name: string
    readonly isCamera: boolean
    readonly values: Readonly<Record<string, unknown>>
  }[]
}

const statisticKeys = ['min', 'max', 'mean', 'std', 'count', 'q01', 'q10', 'q50', 'q90', 'q99'] as const
const rowsPerGroup = 100
const limitBytes = 100 * 1024 * 1024

/** meta/episodes: the same columns in every file, in the recorder's order. */
export class EpisodeFiles {
  readonly files: { path: string; sizeBytes: number }[] = []
  readonly #root: string
  readonly #fields: readonly ParquetField[]
  #writer: ParquetWriter | undefined
  #rows: NestedValue[][] = []
  #place = -1

  constructor(
    root: string,
    videoKeys: readonly string[],
    features: readonly { readonly name: string; readonly isCamera: boolean }[],
  ) {
    this.#root = root
    const number = value('int64')
    const fields: [string, ParquetField['node']][] = [
      ['episode_index', number],
      ['tasks', list(value('string'))],
      ['length', number],
      ['data/chunk_index', number],
      ['data/file_index', number],
      ['dataset_from_index', number],
      ['dataset_to_index', number],
    ]
    for (const key of videoKeys) {
      fields.push([`videos/${key}/chunk_index`, number], [`videos/${key}/file_index`, number])
      fields.push([`videos/${key}/from_timestamp`, value('float64')], [`videos/${key}/to_timestamp`, value('float64')])
    }
    for (const { name, isCamera } of features) {
      for (const key of statisticKeys) {
        const shaped = isCamera ? list(list(list(value('float64')))) : list(value('float64'))
        fields.push([`stats/${name}/${key}`, key === 'count' ? list(number) : shaped])
      }
    }
    fields.push(['meta/episodes/chunk_index', number], ['meta/episodes/file_index', number])
    this.#fields = fields.map(([name, node]) => ({ name, node }))
  }

  async add(row: EpisodeRow): Promise<void> {
    if (this.#writer && this.#writer.sizeBytes >= limitBytes) await this.#closeFile()
    if (!this.#writer) {
      const path = await prepareFile(this.#root, nameFile('meta/episodes', numberFile(++this.#place), 'parquet'))
      this.#writer = await createParquetWriter(path, this.#fields)
    }
    const own = numberFile(this.#place)
    this.#rows.push([
      row.episodeIndex,
      row.tasks,
      row.length,
      row.data.chunk,
      row.data.file,
      row.fromIndex,
      row.fromIndex + row.length,
      ...row.videos.flatMap(({ chunk, file, fromSeconds, toSeconds }) => [chunk, file, fromSeconds, toSeconds]),
      ...row.statistics.flatMap(({ values }) => statisticKeys.map((key) => values[key] as NestedValue)),
      own.chunk,
      own.file,
    ])
    if (this.#rows.length >= rowsPerGroup) await this.#flush()
  }

  async finish(): Promise<void> {
    await this.#closeFile()
  }

  async abandon(): Promise<void> {
    await this.#writer?.abandon()
  }

  async #flush(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    await this.#writer?.writeRows(
      rows.length,
      this.#fields.map(({ node }, column) =>
        takeColumn(
          node,
          rows.map((row) => row[column] ?? null),
        ),
      ),
    )
    await this.#writer?.endRowGroup()
  }

  async #closeFile(): Promise<void> {
    await this.#flush()
    const sizeBytes = await this.#writer?.finish()
    this.#writer = undefined
    if (sizeBytes !== undefined)
      this.files.push({ path: nameFile('meta/episodes', numberFile(this.#place), 'parquet'), sizeBytes })
  }
}

/** Lists of numbers that are equally long in every row, as statistics are, need no levels value by value. */
function takeColumn(node: ParquetNode, rows: readonly NestedValue[]): FieldValues {
  const shape: number[] = []
  let item = node
  for (let [first] = rows; item.kind === 'list' && Array.isArray(first); [first] = first as readonly NestedValue[]) {
    shape.push(first.length)
    item = item.item
  }
  if (shape.length === 0 || item.kind !== 'value' || item.dtype !== 'float64') return { rows }
  const width = shape.reduce((product, size) => product * size, 1)
  const numbers = new Float64Array(rows.length * width)
  if (numbers.length === 0) return { rows }
  for (let row = 0; row < rows.length; row++)
    if (!fillNumbers(numbers, row * width, rows[row] as NestedValue, shape, 0)) return { rows }
  return { shape, numbers }
}

/** False where a list is not as long as the shape says, or holds something else. */
function fillNumbers(
  numbers: Float64Array,
  start: number,
  entry: NestedValue,
  shape: readonly number[],
  depth: number,
): boolean {
  const size = shape[depth] as number
  if (!Array.isArray(entry) || entry.length !== size) return false
  if (depth === shape.length - 1) {
    for (let at = 0; at < size; at++) {
      if (typeof entry[at] !== 'number') return false
      numbers[start + at] = entry[at] as number
    }
    return true
  }
  let width = 1
  for (let inner = depth + 1; inner < shape.length; inner++) width *= shape[inner] as number
  for (let at = 0; at < size; at++)
    if (!fillNumbers(numbers, start + at * width, entry[at] as NestedValue, shape, depth + 1)) return false
  return true
}

/** pandas takes the strings as its index only when told so; without this `item["task"]` is silently a number. */
const pandasMetadata =
  '{"index_columns":["task"],"column_indexes":[{"name":null,"field_name":null,"pandas_type":"unicode","numpy_type":"object","metadata":{"encoding":"UTF-8"}}],"columns":[{"name":"task_index","field_name":"task_index","pandas_type":"int64","numpy_type":"int64","metadata":null},{"name":"task","field_name":"task","pandas_type":"unicode","numpy_type":"object","metadata":null}],"attributes":{},"creator":{"library":"pyarrow","version":"25.0.0"},"pandas_version":"2.3.3"}'

/** Rows sorted by task_index 0, 1, 2, …: the loader looks tasks up by place. */
export async function writeTasks(root: string, tasks: readonly string[]): Promise<{ path: string; sizeBytes: number }> {
  const relative = 'meta/tasks.parquet'
  const fields = [
    { name: 'task_index', node: value('int64') },
    { name: 'task', node: value('string') },
  ]
  const writer = await createParquetWriter(await prepareFile(root, relative), fields, [['pandas', pandasMetadata]])
  await writer.writeRows(tasks.length, [{ rows: tasks.map((_, index) => index) }, { rows: tasks }])
  return { path: relative, sizeBytes: await writer.finish() }
}
