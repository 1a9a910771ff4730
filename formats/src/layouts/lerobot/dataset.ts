import { readImageColumn } from '../../containers/parquet/images.ts'
import type { ColumnRequest, ParquetReader } from '../../containers/parquet/parquet.ts'
import type {
  Block,
  BlockRequest,
  CameraFrames,
  Dataset,
  Episode,
  IntactFiles,
  Origin,
  StatedFacts,
  Values,
} from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type ColumnFeature, type Feature, isCamera, isColumn } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import type { EpisodeDirectory, EpisodeEntry } from './episode-directory.ts'
import type { SourceFeature } from './info.ts'
import { RowReader } from './row-reader.ts'
import { RowStatisticsReader } from './row-statistics.ts'
import { readStated } from './rows.ts'
import { SidecarReader } from './sidecar.ts'
import type { FindSplits } from './splits.ts'
import { StatedCamerasReader } from './stated-cameras.ts'
import { EpisodeStatisticsReader } from './stated-statistics.ts'

/** The clock values of a source whose rows are no i/fps grid. */
const sourceTimestamp: ColumnFeature = {
  kind: 'column',
  name: 'observation.source_timestamp',
  dtype: 'float64',
  shape: [1],
  names: null,
}

/** What a LeRobot layout found; v2 and v3 differ only in how they find it. */
export interface LeRobotParts {
  readonly tree: FileTree
  readonly reader: ParquetReader
  readonly origin: Origin
  readonly fps: number
  readonly robotType: string | null
  readonly stated: StatedFacts
  readonly features: readonly SourceFeature[]
  readonly directory: EpisodeDirectory
  readonly tasks: ReadonlyMap<number, string>
  readonly findSplits: FindSplits
  readonly findings: Findings
  /** Relative path of a data file by its number in the directory. */
  dataPath(file: number): string
  /** Relative path of a video by its number in the directory. */
  videoPath(camera: SourceFeature, file: number): string
  /** Whether the source's own timestamps become a feature. */
  readonly keepsTimestamps: boolean
  readonly intact?: IntactFiles
  /** Whether this library wrote the rows, so that the statistics which it wrote with them are theirs. */
  readonly areOwnRows?: boolean
}

export function createLeRobotDataset(parts: LeRobotParts): Dataset {
  const { directory, findings } = parts
  const rows = new RowReader(parts.reader)
  const features: Feature[] = parts.features.map(({ feature }) => feature)
  if (parts.keepsTimestamps) features.push(sourceTimestamp)
  const sidecar = new SidecarReader(parts.tree, parts.reader)
  const stated = new EpisodeStatisticsReader(parts.tree, parts.reader, findings)
  const cameras = new StatedCamerasReader(
    parts.tree,
    parts.reader,
    parts.features.flatMap(({ feature, sourceName }) => (isCamera(feature) && !feature.depth ? [sourceName] : [])),
  )
  const known = parts.areOwnRows
    ? new RowStatisticsReader(parts.tree, parts.reader, features.filter(isColumn))
    : undefined
  const close = async () => {
    await known?.close()
    await rows.close()
    await sidecar.close()
    await stated.close()
    await parts.reader.close()
  }
  return {
    origin: parts.origin,
    fps: parts.fps,
    robotType: parts.robotType,
    stated: parts.stated,
    features,
    episodeCount: directory.count,
    frameCount: directory.frameCount,
    findings: findings.list,
    ...(parts.intact && { intact: parts.intact }),
    getEpisode: (position) => createEpisode(parts, { rows, sidecar, stated, cameras, known }, directory.get(position)),
    findStatedStatistics: () => readStated(parts.tree),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface EpisodeReaders {
  readonly rows: RowReader
  readonly sidecar: SidecarReader
  readonly stated: EpisodeStatisticsReader
  readonly cameras: StatedCamerasReader
  readonly known: RowStatisticsReader | undefined
}

function createEpisode(
  parts: LeRobotParts,
  { rows, sidecar, stated, cameras, known }: EpisodeReaders,
  entry: EpisodeEntry,
): Episode {
  const tasks = [...new Set(entry.tasks.map((task) => parts.tasks.get(task) ?? ''))]
  return {
    sourceIndex: entry.sourceIndex,
    sourceId: String(entry.sourceIndex),
    length: entry.length,
    tasks: tasks.length === 0 ? [''] : tasks,
    splits: parts.findSplits(entry.sourceIndex),
    readBlocks: (request = {}) => readBlocks(parts, rows, entry, tasks, request),
    openCamera: (camera) => openCamera(parts, entry, camera),
    findCameraStatistics: (camera) => sidecar.find(camera, entry.sourceIndex),
    ...(known && { findRowStatistics: () => known.find(entry.sourceIndex) }),
    findStatedStatistics: () => stated.find(entry.sourceIndex),
    findStatedPixels: async (camera) => {
      const source = parts.features.find(({ feature }) => feature.name === camera)
      return source && cameras.find(source.sourceName, entry.sourceIndex)
    },
  }
}

async function* readBlocks(
  parts: LeRobotParts,
  rows: RowReader,
  entry: EpisodeEntry,
  tasks: readonly string[],
  { columns: wanted, startFrame = 0, endFrame = entry.length, signal }: BlockRequest,
): AsyncGenerator<Block> {
  const path = await parts.tree.locate(parts.dataPath(entry.file))
  const names: string[] = []
  const requests: ColumnRequest[] = []
  const stored = await parts.reader.findColumns(path)
  const add = (name: string, request: ColumnRequest) => {
    names.push(name)
    requests.push({ ...request, isList: (stored.find((column) => column.name === request.name)?.listDepth ?? 0) > 0 })
  }
  for (const { feature, sourceName } of parts.features) {
    if (isColumn(feature) && (wanted?.includes(feature.name) ?? true))
      add(feature.name, { ...pickRequest(feature), name: sourceName })
  }
  if (parts.keepsTimestamps && (wanted?.includes(sourceTimestamp.name) ?? true)) {
    add(sourceTimestamp.name, { ...pickRequest(sourceTimestamp), name: 'timestamp' })
  }
  const hasTasks = tasks.length > 1
  if (hasTasks || requests.length === 0) add('task_index', { name: 'task_index', dtype: 'int64', shape: [1] })
  const range = [entry.startRow + startFrame, entry.startRow + Math.min(endFrame, entry.length)] as const
  let frame = startFrame
  for await (const chunk of rows.read(path, requests, ...range, signal)) {
    const values = new Map(chunk.columns.map((column, index) => [names[index] ?? '', column] as const))
    const taskNumbers = values.get('task_index') as BigInt64Array | undefined
    values.delete('task_index')
    yield {
      startFrame: frame,
      frameCount: chunk.rowCount,
      columns: values as ReadonlyMap<string, Values>,
      ...(hasTasks && taskNumbers && { taskIndex: placeTasks(parts, tasks, taskNumbers) }),
    }
    frame += chunk.rowCount
  }
}

function pickRequest({ name, dtype, shape }: ColumnFeature): ColumnRequest {
  return { name, dtype, shape }
}

function placeTasks(parts: LeRobotParts, tasks: readonly string[], numbers: BigInt64Array): Uint32Array {
  const places = new Uint32Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) {
    places[row] = Math.max(0, tasks.indexOf(parts.tasks.get(Number(numbers[row])) ?? ''))
  }
  return places
}

async function openCamera(parts: LeRobotParts, entry: EpisodeEntry, camera: string): Promise<CameraFrames> {
  const source = parts.features.find(({ feature }) => feature.name === camera)
  if (!source || !isCamera(source.feature)) throw new FormatError('unsupported', `There is no camera ${camera}.`)
  if (source.feature.storage === 'image') {
    const name = parts.dataPath(entry.file)
    const path = await parts.tree.locate(name)
    const { startRow, length } = entry
    return {
      kind: 'images',
      frameCount: length,
      read: (request) => readImageColumn(path, name, source.sourceName, { startRow, rowCount: length, ...request }),
    }
  }
  const cameras = parts.features.filter(({ feature }) => isCamera(feature) && feature.storage === 'video')
  const video = entry.videos[cameras.indexOf(source)]
  if (!video) throw new FormatError('episode_unreadable', `Episode ${entry.sourceIndex} has no video of ${camera}.`)
  const name = parts.videoPath(source, video.file)
  const file = await parts.tree.locate(name)
  const isKeepable = parts.origin.layout === 'lerobot-v3'
  return { kind: 'packets', file, name, isKeepable, startFrame: video.startFrame, frameCount: entry.length }
}
