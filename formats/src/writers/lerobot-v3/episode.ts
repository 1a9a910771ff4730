import { decodeDepthImage, decodeImage } from '../../containers/image.ts'
import type { FieldValues } from '../../containers/parquet/writer.ts'
import type { Block, Episode, ImageFrames } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import {
  type CameraFeature,
  type ColumnFeature,
  type Feature,
  isCamera,
  isColumn,
  isNumericDtype,
  type NumericArray,
} from '../../feature.ts'
import type { JsonValue } from '../../json.ts'
import {
  addPicture,
  type CameraStatistics,
  createCameraStatistics,
  listSampledFrames,
} from '../../statistics/camera.ts'
import { toBigInts } from '../../statistics/doubles.ts'
import {
  countDimensions,
  describeCounted,
  EpisodeStatistics,
  type FeatureStatistics,
} from '../../statistics/episode.ts'
import { toLanguageRows } from './schema.ts'

/** Where an episode goes: its new number, and the first row of it. */
export interface EpisodeNumbers {
  readonly episodeIndex: number
  readonly fromIndex: number
  readonly fps: number
}

export interface CollectedEpisode {
  readonly statistics: ReadonlyMap<string, FeatureStatistics>
  /** Cameras kept as pictures in the rows. */
  readonly cameras: ReadonlyMap<string, CameraStatistics>
  readonly notFiniteFeatures: readonly string[]
}

/** Rows with pictures are taken in small windows: a block of 2048 pictures could be a gigabyte. */
const pictureWindow = 32

interface RowSink {
  /** Of each episode; true where absent. */
  readonly hasQuantiles?: boolean
  numberTask(task: string): number
  writeRows(rowCount: number, values: FieldValues[]): Promise<void>
}

/** Reads an episode once: its rows go to `writeRows` in the order of `stored`, its statistics are collected. */
export async function collectEpisode(
  episode: Episode,
  stored: readonly Feature[],
  numbers: EpisodeNumbers,
  { numberTask, writeRows, hasQuantiles = true }: RowSink,
  signal: AbortSignal | undefined,
): Promise<CollectedEpisode> {
  const statistics = new Map<string, EpisodeStatistics>()
  for (const feature of stored.filter(isColumn)) {
    if (!isNumericDtype(feature.dtype)) continue
    statistics.set(feature.name, new EpisodeStatistics(countDimensions(feature), { hasQuantiles }))
  }
  const pictures = new Map<string, PictureColumn>()
  try {
    for (const camera of stored.filter(isCamera)) pictures.set(camera.name, await openPictures(episode, camera))
    const tasks = episode.tasks.map(numberTask)
    let rowCount = 0
    const step = pictures.size > 0 ? pictureWindow : episode.length
    for (let startFrame = 0; startFrame < episode.length; startFrame += step) {
      const endFrame = Math.min(startFrame + step, episode.length)
      for await (const block of episode.readBlocks({ startFrame, endFrame, ...(signal && { signal }) })) {
        const values: FieldValues[] = []
        for (const feature of stored) values.push(await takeValues(feature, block, numbers, tasks, pictures))
        for (const [index, feature] of stored.entries()) {
          const entry = values[index]
          if (entry && 'numbers' in entry) statistics.get(feature.name)?.add(entry.numbers, block.frameCount)
        }
        await writeRows(block.frameCount, values)
        rowCount += block.frameCount
      }
    }
    if (rowCount !== episode.length)
      throw new FormatError('episode_unreadable', `it has ${rowCount} rows instead of ${episode.length}.`)
  } finally {
    for (const { close } of pictures.values()) await close()
  }
  const finished = new Map([...statistics].map(([name, entry]) => [name, entry.finish()] as const))
  return {
    statistics: finished,
    cameras: new Map([...pictures].map(([name, { statistics: entry }]) => [name, entry] as const)),
    notFiniteFeatures: [...finished].filter(([, { moments }]) => moments.notFiniteCount > 0).map(([name]) => name),
  }
}

/** The columns that a merged dataset counts anew. */
export const renumbered = ['episode_index', 'index', 'task_index'] as const
const isRenumbered = (name: string): name is (typeof renumbered)[number] =>
  (renumbered as readonly string[]).includes(name)

/**
 * The same for rows that stay what they are but for those numbers, by statistics that are known: of the rows nothing is read but which
 * task each is of, where there are several. Undefined where a statistic is not known.
 */
export async function renumberEpisode(
  episode: Episode,
  stored: readonly Feature[],
  numbers: EpisodeNumbers,
  { numberTask, writeRows }: RowSink,
  signal: AbortSignal | undefined,
): Promise<CollectedEpisode | undefined> {
  if (stored.some(isCamera)) return undefined
  const known = await episode.findRowStatistics?.()
  const columns = stored.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  if (!known || !columns.every(({ name }) => known.get(name)?.moments.frameCount === episode.length)) return undefined
  const tasks = episode.tasks.map(numberTask)
  const severalTasks = tasks.length > 1 ? new EpisodeStatistics(1) : undefined
  const whole: Block = { startFrame: 0, frameCount: episode.length, columns: new Map() }
  const blocks = tasks.length > 1 ? episode.readBlocks({ columns: [], ...(signal && { signal }) }) : [whole]
  for await (const block of blocks) {
    const values = stored.map((feature): FieldValues => {
      const own = isColumn(feature) && isRenumbered(feature.name) && makeBookkeeping(feature, block, numbers, tasks)
      if (own && feature.name === 'task_index') severalTasks?.add(own, block.frameCount)
      return own ? { shape: [1], numbers: own } : { rows: [] }
    })
    await writeRows(block.frameCount, values)
  }
  const made = {
    episode_index: describeCounted(numbers.episodeIndex, 0, episode.length),
    index: describeCounted(numbers.fromIndex, 1, episode.length),
    task_index: severalTasks?.finish() ?? describeCounted(tasks[0] ?? 0, 0, episode.length),
  }
  const statistics = new Map(
    columns.map(
      ({ name }) => [name, isRenumbered(name) ? made[name] : (known.get(name) as FeatureStatistics)] as const,
    ),
  )
  return { statistics, cameras: new Map(), notFiniteFeatures: [] }
}

async function takeValues(
  feature: Feature,
  block: Block,
  numbers: EpisodeNumbers,
  tasks: readonly number[],
  pictures: ReadonlyMap<string, PictureColumn>,
): Promise<FieldValues> {
  if (isCamera(feature)) return { rows: (await pictures.get(feature.name)?.take(block.frameCount)) ?? [] }
  const made = makeBookkeeping(feature, block, numbers, tasks)
  if (made) return { shape: [1], numbers: made }
  const values = block.columns.get(feature.name)
  if (values === undefined) throw new TypeError(`a block lacks ${feature.name}`)
  if (feature.dtype === 'language') return { rows: (values as readonly JsonValue[]).map(toLanguageRows) }
  if (feature.dtype === 'string') return { rows: values as readonly string[] }
  return { shape: feature.shape, numbers: values as NumericArray }
}

/** The five columns that are always made anew; the timestamp is one division, rounded once. */
function makeBookkeeping(
  feature: ColumnFeature,
  block: Block,
  { episodeIndex, fromIndex, fps }: EpisodeNumbers,
  tasks: readonly number[],
): NumericArray | undefined {
  const { startFrame, frameCount, taskIndex } = block
  switch (feature.name) {
    case 'timestamp':
      return Float32Array.from({ length: frameCount }, (_, row) => (startFrame + row) / fps)
    case 'frame_index':
      return toBigInts(frameCount, (row) => startFrame + row)
    case 'episode_index':
      return new BigInt64Array(frameCount).fill(BigInt(episodeIndex))
    case 'index':
      return toBigInts(frameCount, (row) => fromIndex + startFrame + row)
    case 'task_index':
      return toBigInts(frameCount, (row) => tasks[taskIndex?.[row] ?? 0] ?? 0)
    default:
      return undefined
  }
}

interface PictureColumn {
  readonly statistics: CameraStatistics
  take(count: number): Promise<{ bytes: Uint8Array; path: string }[]>
  close(): Promise<unknown>
}

async function openPictures(episode: Episode, camera: CameraFeature): Promise<PictureColumn> {
  const frames = (await episode.openCamera(camera.name)) as ImageFrames
  const isDepth = camera.depth !== undefined
  const statistics = createCameraStatistics(isDepth ? 1 : 3, isDepth)
  const sampled = new Set(listSampledFrames(episode.length))
  const iterator = frames.read()[Symbol.asyncIterator]()
  const take = async (count: number) => {
    const rows: { bytes: Uint8Array; path: string }[] = []
    while (rows.length < count) {
      const { value: image, done } = await iterator.next()
      if (done) throw new FormatError('episode_unreadable', `${camera.name} has fewer pictures than rows.`)
      rows.push({ bytes: image.bytes, path: namePicture(image.frameIndex, image.bytes) })
      if (!sampled.has(image.frameIndex)) continue
      const pixels = await (isDepth ? decodeDepthImage(image.bytes) : decodeImage(image.bytes))
      addPicture(statistics, { channels: isDepth ? 1 : 3, ...pixels })
    }
    return rows
  }
  return { statistics, take, close: async () => iterator.return?.() }
}

function namePicture(frameIndex: number, bytes: Uint8Array): string {
  const extension = bytes[0] === 0xff && bytes[1] === 0xd8 ? 'jpg' : 'png'
  return `frame-${String(frameIndex).padStart(6, '0')}.${extension}`
}
