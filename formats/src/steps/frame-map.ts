import type {
  Block,
  BlockRequest,
  CameraFrames,
  Episode,
  FrameRequest,
  ImageFrames,
  PacketFrames,
  PixelFrames,
  Values,
} from '../dataset.ts'
import { type ColumnFeature, countValues, type Feature, isColumn, type NumericArray } from '../feature.ts'
import { composeKept, countBefore, countKept, type FrameRange, type KeptRanges, listKept } from '../frame-ranges.ts'
import type { JsonValue } from '../json.ts'
import { moveLanguageRows, type Rates } from './language-rows.ts'

/** An episode of which some frames are kept: rows, tasks and pictures are those frames', numbered from 0. */
export interface FrameMap {
  readonly ranges: KeptRanges
  /** The tasks that the kept frames have, in order of first use; those of the episode when omitted. */
  readonly tasks?: readonly string[]
}

export interface MappedColumns {
  readonly features: readonly Feature[]
  readonly fps: number
  /** Of the result, where that is another. */
  readonly newFps?: number
}

/** What an episode with these frames is; the one that is given where all are kept. */
export function mapFrames(episode: Episode, { ranges, tasks = episode.tasks }: FrameMap, of: MappedColumns): Episode {
  const length = countKept(ranges)
  const sourceRanges = episode.sourceRanges ? composeKept(episode.sourceRanges, ranges) : ranges
  const isSameRate = of.newFps === undefined || of.newFps === of.fps
  if (length === episode.length && tasks === episode.tasks && isSameRate) return { ...episode, sourceRanges }
  const taskPlaces = episode.tasks.map((task) => tasks.indexOf(task))
  const columns = of.features.filter(isColumn)
  const rates = { fps: of.fps, newFps: of.newFps ?? of.fps }
  const readBlocks = async function* ({ startFrame = 0, endFrame = length, ...request }: BlockRequest = {}) {
    const wanted = composeKept(ranges, [[startFrame, Math.min(endFrame, length)]])
    const [first, last] = [wanted[0]?.[0] ?? 0, wanted.at(-1)?.[1] ?? 0]
    let place = startFrame
    for await (const block of episode.readBlocks({ ...request, startFrame: first, endFrame: last })) {
      const rows = listRows(wanted, block)
      if (rows.length === 0) continue
      yield takeRows(block, rows, { place, columns, ranges, rates, taskPlaces, taskCount: tasks.length })
      place += rows.length
    }
  }
  return {
    ...episode,
    length,
    tasks,
    sourceRanges,
    readBlocks,
    openCamera: async (camera) => mapCamera(await episode.openCamera(camera), ranges),
    // LeRobot's sample of a shorter episode is of other frames.
    findCameraStatistics: async (camera) => {
      const known = await episode.findCameraStatistics?.(camera)
      return known && { ...known, isOfWhole: true }
    },
  }
}

/** Places in the block of the frames that are wanted. */
function listRows(wanted: KeptRanges, { startFrame, frameCount }: Block): Uint32Array {
  const end = startFrame + frameCount
  const inside = wanted.flatMap(([from, to]): FrameRange[] =>
    to > startFrame && from < end ? [[Math.max(from, startFrame) - startFrame, Math.min(to, end) - startFrame]] : [],
  )
  return listKept(inside)
}

interface TakenRows {
  place: number
  columns: readonly ColumnFeature[]
  ranges: KeptRanges
  rates: Rates
  taskPlaces: readonly number[]
  taskCount: number
}

function takeRows(block: Block, rows: Uint32Array, taken: TakenRows): Block {
  const { place, columns, ranges, rates, taskPlaces, taskCount } = taken
  const kept = new Map<string, Values>()
  for (const [name, values] of block.columns) {
    const feature = columns.find((column) => column.name === name)
    const width = feature && !Array.isArray(values) ? countValues(feature.shape) : 1
    const own = pickRows(values, rows, width)
    const isLanguage = feature?.dtype === 'language'
    kept.set(name, isLanguage ? (own as JsonValue[]).map((entry) => moveLanguageRows(entry, ranges, rates)) : own)
  }
  const { taskIndex } = block
  const result = { startFrame: place, frameCount: rows.length, columns: kept }
  if (taskCount === 1 || !taskIndex) return result
  return { ...result, taskIndex: Uint32Array.from(rows, (row) => Math.max(0, taskPlaces[taskIndex[row] ?? 0] ?? 0)) }
}

/** Rows of a column; a view on it where they lie together. */
export function pickRows(values: Values, rows: Uint32Array, width: number): Values {
  const [first = 0, last = -1] = [rows[0], rows.at(-1)]
  if (last - first + 1 === rows.length) {
    if (Array.isArray(values)) return values.slice(first, last + 1)
    return (values as NumericArray).subarray(first * width, (last + 1) * width)
  }
  if (Array.isArray(values)) return Array.from(rows, (row) => values[row] as string)
  const numbers = values as Float64Array
  const picked = new (numbers.constructor as Float64ArrayConstructor)(rows.length * width)
  for (const [place, row] of rows.entries()) picked.set(numbers.subarray(row * width, (row + 1) * width), place * width)
  return picked
}

function mapCamera(frames: CameraFrames, ranges: KeptRanges): CameraFrames {
  if (frames.kind === 'packets') return mapPackets(frames, ranges)
  return frames.kind === 'images' ? mapImages(frames, ranges) : mapPixels(frames, ranges)
}

/** The kept frames of a video. */
export function mapPackets({ isKeepable: _, picked, ...frames }: PacketFrames, ranges: KeptRanges): PacketFrames {
  const before: KeptRanges = picked ?? [[frames.startFrame, frames.startFrame + frames.frameCount]]
  const after = composeKept(before, ranges)
  const [first, ...others] = after
  const place = { startFrame: first?.[0] ?? 0, frameCount: countKept(after) }
  return others.length === 0 ? { ...frames, ...place } : { ...frames, ...place, picked: after }
}

function mapImages(frames: ImageFrames, ranges: KeptRanges): ImageFrames {
  const { changed } = frames
  return {
    kind: 'images',
    frameCount: countKept(ranges),
    ...(changed && { changed: { ...changed, from: mapImages(changed.from, ranges) } }),
    read: (request) => readMapped((source) => frames.read(source), ranges, request),
  }
}

function mapPixels(frames: PixelFrames, ranges: KeptRanges): PixelFrames {
  return {
    ...frames,
    frameCount: countKept(ranges),
    read: (request) => readMapped((source) => frames.read(source), ranges, request),
  }
}

async function* readMapped<P extends { readonly frameIndex: number }>(
  read: (request: FrameRequest) => AsyncIterable<P>,
  ranges: KeptRanges,
  { frames, ...request }: FrameRequest = {},
): AsyncGenerator<P> {
  const kept = listKept(ranges)
  const wanted = frames ? frames.map((frame) => kept[frame] as number) : Array.from(kept)
  for await (const picture of read({ ...request, frames: wanted }))
    yield { ...picture, frameIndex: countBefore(ranges, picture.frameIndex) }
}
