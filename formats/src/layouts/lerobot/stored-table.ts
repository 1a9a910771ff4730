/** A v3.0 folder that is whole and in order, as the writer leaves it: its metadata alone, as columns of numbers. */
import { openParquetReader, type ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import { type Feature, isCamera } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import { Findings } from '../../finding.ts'
import { isObject, type JsonObject, readJson } from '../../json.ts'
import { fillTemplate, type LeRobotInfo, readInfo } from './info.ts'
import { sidecarPath } from './sidecar.ts'
import { readSplits } from './splits.ts'
import { readTaskTable } from './v3-table.ts'

export interface StoredOrigin {
  layout: string
  version: string
  details: JsonObject
}

/** Where the episodes lie; files are numbers in the lists of paths, tasks numbers in the list of texts. */
export interface StoredTable {
  lengthFrames: Uint32Array
  fromIndex: Float64Array
  dataFile: Uint32Array
  /** Per video camera. */
  videoFile: Uint32Array[]
  videoStart: Uint32Array[]
  taskStarts: Uint32Array
  taskIds: Uint32Array
}

export interface StoredDataset {
  info: LeRobotInfo
  features: Feature[]
  videoKeys: string[]
  /** As stored: the empty text stands for "no task". */
  tasks: string[]
  table: StoredTable
  dataFiles: string[]
  /** Per video camera. */
  videoFiles: string[][]
  origin: StoredOrigin
  sourceIndex: Float64Array
  splitsOf(episode: number): readonly string[]
  statistics: JsonObject
}

export async function readStoredDataset(tree: FileTree, signal?: AbortSignal): Promise<StoredDataset> {
  await using reader = await openParquetReader(tree.root)
  const info = await readInfo(tree, new Findings())
  const { value: statistics } = await readJson(tree, 'meta/stats.json')
  const features = info.features.map(({ feature }) => feature)
  const videoKeys = features.flatMap((feature) =>
    isCamera(feature) && feature.storage === 'video' ? [feature.name] : [],
  )
  const tasks = [...(await readTaskTable(tree, reader, new Findings())).values()]
  const { table, dataFiles, videoFiles } = await readTable(tree, reader, { info, videoKeys, tasks }, signal)
  return {
    info,
    features,
    videoKeys,
    tasks,
    table,
    dataFiles,
    videoFiles,
    ...(await readSidecar(tree, reader, table.lengthFrames.length)),
    splitsOf: await readSplits(tree, reader, info, new Findings()),
    statistics: isObject(statistics) ? statistics : {},
  }
}

/** Paths in order of first use, as numbers. */
class FileNumbers {
  readonly paths: string[] = []
  readonly #known = new Map<string, number>()

  number(path: string): number {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    this.#known.set(path, this.paths.length)
    return this.paths.push(path) - 1
  }
}

async function readTable(
  tree: FileTree,
  reader: ParquetReader,
  { info, videoKeys, tasks }: { info: LeRobotInfo; videoKeys: readonly string[]; tasks: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<Pick<StoredDataset, 'table' | 'dataFiles' | 'videoFiles'>> {
  const lengths: number[] = []
  const fromIndex: number[] = []
  const dataFile: number[] = []
  const videos = videoKeys.map(() => ({ file: [] as number[], start: [] as number[], files: new FileNumbers() }))
  const dataFiles = new FileNumbers()
  const taskStarts: number[] = [0]
  const taskIds: number[] = []
  const taskNumbers = new Map(tasks.map((text, number) => [text, number]))
  const columns = ['episode_index', 'tasks', 'length', 'data/chunk_index', 'data/file_index', 'dataset_from_index']
  for (const key of videoKeys)
    columns.push(`videos/${key}/chunk_index`, `videos/${key}/file_index`, `videos/${key}/from_timestamp`)
  for (const { path } of await tree.list('meta/episodes')) {
    if (!path.endsWith('.parquet')) continue
    for await (const record of reader.readRecords(await tree.locate(path), columns)) {
      signal?.throwIfAborted()
      const number = (name: string): number => Number(record[name])
      const place = (prefix: string) => ({
        chunk_index: number(`${prefix}/chunk_index`),
        file_index: number(`${prefix}/file_index`),
      })
      if (number('episode_index') !== lengths.length)
        throw new FormatError('metadata_invalid', `${path}: episode ${lengths.length} is missing or out of order.`)
      lengths.push(number('length'))
      fromIndex.push(number('dataset_from_index'))
      dataFile.push(dataFiles.number(fillTemplate(info.dataPath, place('data'))))
      for (const [video, key] of videoKeys.entries()) {
        const column = videos[video]
        if (!column) continue
        const file = fillTemplate(info.videoPath, { video_key: key, ...place(`videos/${key}`) })
        column.file.push(column.files.number(file))
        column.start.push(Math.round(number(`videos/${key}/from_timestamp`) * info.fps))
      }
      for (const text of Array.isArray(record.tasks) ? record.tasks : []) {
        const task = taskNumbers.get(String(text))
        if (task !== undefined) taskIds.push(task)
      }
      taskStarts.push(taskIds.length)
    }
  }
  return {
    dataFiles: dataFiles.paths,
    videoFiles: videos.map(({ files }) => files.paths),
    table: {
      lengthFrames: Uint32Array.from(lengths),
      fromIndex: Float64Array.from(fromIndex),
      dataFile: Uint32Array.from(dataFile),
      videoFile: videos.map(({ file }) => Uint32Array.from(file)),
      videoStart: videos.map(({ start }) => Uint32Array.from(start)),
      taskStarts: Uint32Array.from(taskStarts),
      taskIds: Uint32Array.from(taskIds),
    },
  }
}

/** Where the episodes came from. A folder that another program wrote has no sidecar: then it is its own origin. */
async function readSidecar(
  tree: FileTree,
  reader: ParquetReader,
  episodeCount: number,
): Promise<{ origin: StoredOrigin; sourceIndex: Float64Array }> {
  const sourceIndex = new Float64Array(episodeCount).map((_, index) => index)
  if (!(await tree.find(sidecarPath)))
    return { origin: { layout: 'lerobot-v3', version: 'v3.0', details: {} }, sourceIndex }
  const path = await tree.locate(sidecarPath)
  const { metadata } = await reader.readFooter(path)
  const origin = JSON.parse(metadata.get('nmp:origin') ?? '{}') as JsonObject
  for await (const record of reader.readRecords(path, ['episode_index', 'source_episode_index']))
    sourceIndex[Number(record.episode_index)] = Number(record.source_episode_index)
  return {
    origin: {
      layout: typeof origin.layout === 'string' ? origin.layout : 'lerobot-v3',
      version: typeof origin.version === 'string' ? origin.version : 'v3.0',
      details: isObject(origin.details) ? origin.details : {},
    },
    sourceIndex,
  }
}
