import type { Dataset } from '../dataset.ts'
import { type FoundEpisode, maxFound } from '../errors.ts'

/** The first episodes of a dataset as a report names them. */
export function listFound(dataset: Dataset): FoundEpisode[] {
  return Array.from({ length: Math.min(dataset.episodeCount, maxFound) }, (_, position) => {
    const { sourceIndex, sourceId, length } = dataset.getEpisode(position)
    return { sourceIndex, sourceId, length }
  })
}
