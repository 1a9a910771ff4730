import type { Block, BlockRequest, Dataset, Episode, Values } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import {
  type ColumnFeature,
  countValues,
  type Feature,
  isColumn,
  isNumericDtype,
  type NumericArray,
} from '../feature.ts'
import { countAtRate, type KeptRanges, listKept, pickAtRate } from '../frame-ranges.ts'
import { toDoubles } from '../statistics/doubles.ts'
import { storeAs } from './action.ts'
import { cutAnnotated } from './annotate.ts'
import { mapFrames } from './frame-map.ts'

export interface RateSettings {
  /** Frames per second of the result, at most the dataset's. */
  readonly fps: number
}

/** What becomes of the values of frames that are left out: added to, or or-ed into, the frame before them. */
export type Gathering = 'sum' | 'any'

/** What happens between two frames belongs to the first of them: a reward that comes then, an end that is reached. */
const gatherings: Readonly<Partial<Record<string, Gathering>>> = {
  'next.reward': 'sum',
  'next.done': 'any',
  'next.success': 'any',
}

/** How a column of this name is gathered; undefined where rows are taken as they are. */
export const findGathering = ({ name, dtype }: { readonly name: string; readonly dtype: string }) =>
  Object.hasOwn(gatherings, name) && isNumericDtype(dtype)
    ? dtype === 'bool'
      ? ('any' as const)
      : gatherings[name]
    : undefined

/** Takes every n-th frame, or for any other rate the frame that is nearest in time; rows are taken and not mixed. */
export function apply(dataset: Dataset, { fps }: RateSettings): Dataset {
  if (fps === dataset.fps) return dataset
  if (!(fps > 0) || fps > dataset.fps)
    throw new FormatError(
      'unsupported',
      `The dataset has ${dataset.fps} frames per second, which cannot become ${fps}.`,
    )
  const columns = new Map<string, Gathering>()
  for (const feature of dataset.features) {
    const how = isColumn(feature) ? findGathering(feature) : undefined
    if (how) columns.set(feature.name, how)
  }
  let frameCount = 0
  for (let position = 0; position < dataset.episodeCount; position++)
    frameCount += countAtRate(dataset.getEpisode(position).length, dataset.fps, fps)
  const { intact: _, sidecars, ...changed } = dataset
  const pick = (position: number) => pickAtRate(dataset.getEpisode(position).length, dataset.fps, fps)
  const listed = Array.from({ length: sidecars ? dataset.episodeCount : 0 }, (_entry, position) => ({
    position,
    ranges: pick(position),
  }))
  return {
    ...changed,
    ...(sidecars && { sidecars: cutAnnotated(sidecars, listed) }),
    isCut: true,
    fps,
    frameCount,
    getEpisode: (position) => {
      const of = { features: dataset.features, fps: dataset.fps, newFps: fps, columns }
      return rateEpisode(dataset.getEpisode(position), pick(position), of)
    },
  }
}

export interface RatedColumns {
  readonly features: readonly Feature[]
  readonly fps: number
  readonly newFps: number
  /** How columns are gathered, by name. */
  readonly columns: ReadonlyMap<string, Gathering>
}

/** One episode as `apply` gives it. */
export function rateEpisode(episode: Episode, picked: KeptRanges, of: RatedColumns): Episode {
  const taken = mapFrames(episode, { ranges: picked }, of)
  const gathered = of.features.filter((feature) => isColumn(feature) && of.columns.has(feature.name)) as ColumnFeature[]
  if (gathered.length === 0) return taken
  const starts = listKept(picked)
  const readBlocks = async function* (request: BlockRequest = {}): AsyncGenerator<Block> {
    for await (const block of taken.readBlocks(request)) {
      const wanted = gathered.filter(({ name }) => block.columns.has(name))
      const own = starts.subarray(block.startFrame, block.startFrame + block.frameCount + 1)
      const bounds = own.length > block.frameCount ? own : Uint32Array.of(...own, episode.length)
      const sums = await gatherRows(episode, wanted, bounds, of.columns, request.signal)
      yield { ...block, columns: new Map<string, Values>([...block.columns, ...sums]) }
    }
  }
  return { ...taken, readBlocks }
}

/** Row i of the result is of the frames from `bounds[i]` up to the next bound. */
async function gatherRows(
  episode: Episode,
  features: readonly ColumnFeature[],
  bounds: Uint32Array,
  how: ReadonlyMap<string, Gathering>,
  signal: AbortSignal | undefined,
): Promise<Map<string, NumericArray>> {
  if (features.length === 0) return new Map()
  const gatherers = features.map((feature) => ({
    feature,
    gatherer: createGatherer(bounds, countValues(feature.shape), how.get(feature.name) ?? 'any'),
  }))
  const [startFrame = 0, endFrame = 0] = [bounds[0], bounds.at(-1)]
  const columns = features.map(({ name }) => name)
  for await (const block of episode.readBlocks({ columns, startFrame, endFrame, ...(signal && { signal }) }))
    for (const { feature, gatherer } of gatherers)
      gatherer.add(block.startFrame, toDoubles(block.columns.get(feature.name) as NumericArray))
  return new Map(gatherers.map(({ feature, gatherer }) => [feature.name, storeGathered(feature, gatherer.values)]))
}

const storeGathered = (feature: ColumnFeature, values: Float64Array): NumericArray =>
  feature.dtype === 'bool' ? Uint8Array.from(values) : storeAs(feature, values)

/** Collects values frame by frame. Computed in double precision, in the order of the frames. */
function createGatherer(bounds: Uint32Array, width: number, how: Gathering) {
  const values = new Float64Array((bounds.length - 1) * width)
  let row = 0
  const add = (startFrame: number, rows: Float64Array): void => {
    for (let at = 0; at < rows.length; at += width) {
      const frame = startFrame + at / width
      while (frame >= (bounds[row + 1] as number)) row++
      const isFirst = frame === bounds[row]
      for (let place = 0; place < width; place++) {
        const [into, value] = [row * width + place, rows[at + place] as number]
        if (isFirst) values[into] = value
        else values[into] = how === 'sum' ? (values[into] as number) + value : Math.max(values[into] as number, value)
      }
    }
  }
  return { values, add }
}

/** The same of one number a frame, of a whole episode. */
export function gatherColumn(values: Float64Array, picked: KeptRanges, how: Gathering): Float64Array {
  const gatherer = createGatherer(Uint32Array.of(...listKept(picked), values.length), 1, how)
  gatherer.add(0, values)
  return gatherer.values
}
