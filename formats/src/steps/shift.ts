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
import type { FrameRange } from '../frame-ranges.ts'
import { nameAction } from '../signal-roles.ts'
import { cutAnnotated } from './annotate.ts'
import { mapFrames } from './frame-map.ts'

export interface ShiftSettings {
  /** The action of frame t + frames stands at t. */
  readonly frames: number
}

/** Moves the action against everything else. Frames that would have none are cut, and with them episodes that have no more frames than that. */
export function apply(dataset: Dataset, { frames }: ShiftSettings): Dataset {
  if (frames === 0) return dataset
  const feature = dataset.features.filter(isColumn).find(({ name }) => name === nameAction(dataset))
  if (!feature || !isNumericDtype(feature.dtype))
    throw new FormatError('unsupported', `The dataset has no numeric feature called ${nameAction(dataset)}.`)
  const positions: number[] = []
  let frameCount = 0
  for (let position = 0; position < dataset.episodeCount; position++) {
    const left = dataset.getEpisode(position).length - Math.abs(frames)
    if (left <= 0) continue
    positions.push(position)
    frameCount += left
  }
  const { intact: _, sidecars, ...changed } = dataset
  const listed = positions.map((position) => ({
    position,
    ranges: [keepShifted(dataset.getEpisode(position).length, frames)],
  }))
  return {
    ...changed,
    ...(sidecars && { sidecars: cutAnnotated(sidecars, listed) }),
    isCut: true,
    episodeCount: positions.length,
    frameCount,
    getEpisode: (place) => {
      const position = positions[place]
      if (position === undefined) throw new RangeError(`there is no episode at position ${place}`)
      return shiftEpisode(dataset.getEpisode(position), feature, frames, dataset)
    },
  }
}

/** The frames that have an action after the shift. */
export const keepShifted = (length: number, frames: number): FrameRange => [
  Math.max(0, -frames),
  length - Math.max(0, frames),
]

/** One episode as `apply` gives it; it has more frames than the action is shifted by. */
export function shiftEpisode(
  episode: Episode,
  feature: ColumnFeature,
  frames: number,
  of: { readonly features: readonly Feature[]; readonly fps: number },
): Episode {
  const kept = mapFrames(episode, { ranges: [keepShifted(episode.length, frames)] }, of)
  const first = Math.max(0, frames)
  const readBlocks = async function* (request: BlockRequest = {}): AsyncGenerator<Block> {
    for await (const block of kept.readBlocks(request)) {
      if (!block.columns.has(feature.name)) yield block
      else {
        const startFrame = first + block.startFrame
        const range = { startFrame, endFrame: startFrame + block.frameCount }
        const shifted = await readValues(episode, feature, {
          ...range,
          ...(request.signal && { signal: request.signal }),
        })
        yield { ...block, columns: new Map<string, Values>([...block.columns, [feature.name, shifted]]) }
      }
    }
  }
  return { ...kept, readBlocks }
}

/** Rows of one column in its own type. */
async function readValues(
  episode: Episode,
  { name, shape }: ColumnFeature,
  range: { startFrame: number; endFrame: number; signal?: AbortSignal },
): Promise<NumericArray> {
  const width = countValues(shape)
  const parts: NumericArray[] = []
  for await (const block of episode.readBlocks({ ...range, columns: [name] }))
    parts.push(block.columns.get(name) as NumericArray)
  const [only, ...others] = parts
  if (only && others.length === 0) return only
  const rows = new ((only ?? new Float64Array()).constructor as Float64ArrayConstructor)(
    (range.endFrame - range.startFrame) * width,
  )
  let filled = 0
  for (const part of parts as Float64Array[]) {
    rows.set(part, filled)
    filled += part.length
  }
  return rows
}
