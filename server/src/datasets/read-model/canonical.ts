import { openParquetReader, type ParquetReader } from '@nmp/formats/containers/parquet'
import { FormatError } from '@nmp/formats/errors'
import { isColumn, labelDimensions } from '@nmp/formats/feature'
import type { FileTree } from '@nmp/formats/file-tree'
import { Findings } from '@nmp/formats/finding'
import { isObject, type JsonObject, readJson } from '@nmp/formats/json'
import { fillTemplate, type LeRobotInfo, readInfo } from '@nmp/formats/layouts/lerobot-info'
import { SIDECAR_PATH } from '@nmp/formats/layouts/lerobot-sidecar'
import { readSplits } from '@nmp/formats/layouts/lerobot-splits'
import { readTaskTable } from '@nmp/formats/layouts/lerobot-v3-table'
import { describeCamera, describeSignal, listAnnotationKeys } from './features.ts'
import type { EpisodeColumns } from './format.ts'
import { orderByLength } from './lengths.ts'
import type { ReadModelManifest } from './manifest.ts'

type Described = Omit<ReadModelManifest, 'statistics' | 'insights'>

/** What a canonical LeRobot v3 folder says about itself, as columns and as the manifest that goes with them. */
export async function readCanonical(
  tree: FileTree,
  signal?: AbortSignal,
): Promise<{ columns: EpisodeColumns; described: Described }> {
  await using reader = await openParquetReader(tree.root)
  const info = await readInfo(tree, new Findings())
  const { value: statistics } = await readJson(tree, 'meta/stats.json')
  const features = info.features.map(({ feature }) => feature)
  const cameras = features.flatMap((feature) => describeCamera(feature, info.fps))
  const videoKeys = cameras.filter(({ storage }) => storage === 'video').map(({ key }) => key)
  const texts = await readTaskTable(tree, reader, new Findings())
  const table = await readTable(tree, reader, info, videoKeys, [...texts.values()], signal)
  const episodeCount = table.columns.lengthFrames.length
  const { origin, sourceIndex } = await readSidecar(tree, reader, episodeCount)
  const splits = encodeSplits(episodeCount, await readSplits(tree, reader, info, new Findings()))
  // The empty text of a dataset without tasks is stored for loaders only.
  const tasks = table.tasks.filter((text) => text !== '')
  let sizeBytes = 0
  for (const file of await tree.list()) sizeBytes += file.sizeBytes
  let frameCount = 0
  for (const length of table.columns.lengthFrames) frameCount += length
  return {
    columns: { ...table.columns, sourceIndex, ...splits.columns },
    described: {
      schema: 1,
      codebase_version: info.version,
      robot_type: info.robotType,
      fps: info.fps,
      total_episodes: episodeCount,
      total_frames: frameCount,
      total_tasks: tasks.length,
      split_names: splits.names,
      origin,
      features: features.map((feature) => ({
        name: feature.name,
        dtype: isColumn(feature) ? feature.dtype : feature.storage,
        shape: isColumn(feature) ? [...feature.shape] : [feature.height, feature.width, feature.channels],
        names: isColumn(feature) && feature.names !== null ? labelDimensions(feature) : null,
      })),
      cameras,
      state: describeSignal(features, 'observation.state'),
      action: describeSignal(features, 'action'),
      annotation_keys: listAnnotationKeys(features),
      tasks: tasks.slice(0, 100),
      data_files: table.dataFiles,
      video_files: videoKeys.map((key, video) => ({ key, files: table.videoFiles[video] ?? [] })),
      feature_statistics: isObject(statistics) ? statistics : {},
      size_bytes: sizeBytes,
    },
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
  info: LeRobotInfo,
  videoKeys: readonly string[],
  tasks: string[],
  signal: AbortSignal | undefined,
) {
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
  const lengthFrames = Uint32Array.from(lengths)
  return {
    tasks,
    dataFiles: dataFiles.paths,
    videoFiles: videos.map(({ files }) => files.paths),
    columns: {
      lengthFrames,
      fromIndex: Float64Array.from(fromIndex),
      dataFile: Uint32Array.from(dataFile),
      videoFile: videos.map(({ file }) => Uint32Array.from(file)),
      videoStart: videos.map(({ start }) => Uint32Array.from(start)),
      taskStarts: Uint32Array.from(taskStarts),
      taskIds: Uint32Array.from(taskIds),
      ...encodeTexts(tasks),
      byLength: orderByLength(lengthFrames),
    },
  }
}

export function encodeTexts(texts: readonly string[]): { taskText: Uint8Array; taskTextStarts: Uint32Array } {
  const encoded = texts.map((text) => Buffer.from(text))
  const starts = new Uint32Array(texts.length + 1)
  for (const [index, bytes] of encoded.entries()) starts[index + 1] = (starts[index] ?? 0) + bytes.byteLength
  return { taskText: new Uint8Array(Buffer.concat(encoded)), taskTextStarts: starts }
}

/** Names in the order of their first episode, and each episode's as numbers. */
export function encodeSplits(
  episodeCount: number,
  splitsOf: (episode: number) => readonly string[],
): { names: string[]; columns: { splitStarts: Uint32Array; splitIds: Uint32Array } } {
  const numbers = new Map<string, number>()
  const splitStarts = new Uint32Array(episodeCount + 1)
  const splitIds: number[] = []
  for (let episode = 0; episode < episodeCount; episode++) {
    for (const name of splitsOf(episode)) {
      const number = numbers.get(name) ?? numbers.size
      numbers.set(name, number)
      splitIds.push(number)
    }
    splitStarts[episode + 1] = splitIds.length
  }
  return { names: [...numbers.keys()], columns: { splitStarts, splitIds: Uint32Array.from(splitIds) } }
}

/** Where the episodes came from. A folder that another program wrote has no sidecar: then it is its own origin. */
async function readSidecar(
  tree: FileTree,
  reader: ParquetReader,
  episodeCount: number,
): Promise<{ origin: ReadModelManifest['origin']; sourceIndex: Float64Array }> {
  const sourceIndex = new Float64Array(episodeCount).map((_, index) => index)
  if (!(await tree.find(SIDECAR_PATH)))
    return { origin: { layout: 'lerobot-v3', version: 'v3.0', details: {} }, sourceIndex }
  const path = await tree.locate(SIDECAR_PATH)
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
