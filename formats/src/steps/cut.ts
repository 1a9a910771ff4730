import type { Dataset, Episode } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { countKept } from '../frame-ranges.ts'
import { cutAnnotated } from './annotate.ts'
import { type FrameMap, mapFrames } from './frame-map.ts'

/** One episode of the result, made of some frames of an episode. */
export interface CutPart extends FrameMap {
  /** Replaces the tasks of its frames. */
  readonly task?: string | null
}

/** By the source's episode number: the parts that become episodes, in order; none where the whole episode goes. Others stay whole. */
export interface CutSettings {
  readonly episodes: ReadonlyMap<number, readonly CutPart[]>
}

/** Takes frames out of episodes and makes several of one. What is cut was found before: by a person, or by `plan-cuts.ts`. */
export function apply(dataset: Dataset, { episodes }: CutSettings): Dataset {
  if (episodes.size === 0) return dataset
  const positions: number[] = []
  const parts = new Map<number, CutPart>()
  let frameCount = 0
  for (let position = 0; position < dataset.episodeCount; position++) {
    const { sourceIndex, length } = dataset.getEpisode(position)
    const cut = episodes.get(sourceIndex)
    for (const part of cut ?? []) {
      checkRanges(part, sourceIndex, length)
      parts.set(positions.length, part)
      positions.push(position)
      frameCount += countKept(part.ranges)
    }
    if (cut) continue
    positions.push(position)
    frameCount += length
  }
  const { intact: _, sidecars, ...changed } = dataset
  const listed = positions.map((position, place) => ({ position, ranges: parts.get(place)?.ranges }))
  return {
    ...changed,
    ...(sidecars && { sidecars: cutAnnotated(sidecars, listed) }),
    isCut: true,
    episodeCount: positions.length,
    frameCount,
    getEpisode: (place) => {
      const position = positions[place]
      if (position === undefined) throw new RangeError(`there is no episode at position ${place}`)
      const part = parts.get(place)
      const episode = dataset.getEpisode(position)
      return part ? cutEpisode(episode, part, dataset) : episode
    },
  }
}

function checkRanges({ ranges }: CutPart, episode: number, length: number): void {
  let next = 0
  for (const [from, to] of ranges) {
    if (from < next || to <= from || to > length)
      throw new FormatError('unsupported', `Episode ${episode} has no frames ${from} to ${to} after frame ${next}.`)
    next = to
  }
  if (ranges.length === 0) throw new FormatError('unsupported', `A part of episode ${episode} has no frames.`)
}

function cutEpisode(episode: Episode, { task, ...map }: CutPart, dataset: Dataset): Episode {
  const kept = mapFrames(episode, map, dataset)
  if (typeof task !== 'string') return kept
  const readBlocks: Episode['readBlocks'] = async function* (request) {
    for await (const { taskIndex: _, ...block } of kept.readBlocks(request)) yield block
  }
  return { ...kept, tasks: [task], hasOwnTask: true, readBlocks }
}
