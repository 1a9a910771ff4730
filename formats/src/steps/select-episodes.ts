import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { selectAnnotated } from './annotate.ts'

export interface EpisodeSelection {
  /** Positions to take; all when empty. Order and repeats do not matter. */
  readonly selected?: readonly number[]
  readonly excluded?: readonly number[]
  /** Only episodes that are in one of these; any when empty. */
  readonly splits?: readonly string[]
  /** The first n of what is left. */
  readonly first?: number | null
}

/** Selected minus excluded, of the splits asked for, always in ascending source order, then the first n. */
export function apply(
  dataset: Dataset,
  { selected = [], excluded = [], splits = [], first }: EpisodeSelection,
): Dataset {
  for (const position of [...selected, ...excluded]) {
    if (!Number.isInteger(position) || position < 0 || position >= dataset.episodeCount) {
      throw new FormatError('unsupported', `There is no episode ${position}; the dataset has ${dataset.episodeCount}.`)
    }
  }
  const wanted = new Set(selected)
  const unwanted = new Set(excluded)
  const kept: number[] = []
  let frameCount = 0
  for (
    let position = 0;
    position < dataset.episodeCount && kept.length < (first ?? Number.POSITIVE_INFINITY);
    position++
  ) {
    if ((wanted.size > 0 && !wanted.has(position)) || unwanted.has(position)) continue
    const episode = dataset.getEpisode(position)
    if (splits.length > 0 && !episode.splits.some((name) => splits.includes(name))) continue
    kept.push(position)
    frameCount += episode.length
  }
  if (kept.length === dataset.episodeCount) return dataset
  const { intact: _, sidecars, ...changed } = dataset
  return {
    ...changed,
    ...(sidecars && { sidecars: selectAnnotated(sidecars, kept) }),
    episodeCount: kept.length,
    frameCount,
    getEpisode: (position) => {
      const source = kept[position]
      if (source === undefined) throw new RangeError(`there is no episode at position ${position}`)
      return { ...dataset.getEpisode(source), sourceIndex: source, sourceId: String(source) }
    },
  }
}
