import { requireSpace } from '../containers/disk-space.ts'
import type { Dataset, Episode } from '../dataset.ts'
import { FormatError, NoEpisodesError } from '../errors.ts'
import type { Findings } from '../finding.ts'
import { listFound } from './found-episodes.ts'
import type { WriteOptions } from './writer.ts'

const neverTheEpisodesFault = new Set(['child_failed', 'codec_missing', 'output_exists', 'unsupported'])

/** Where an episode goes in what is written. */
export interface EpisodePlace {
  readonly episodeIndex: number
  /** Frames of the episodes before it. */
  readonly fromIndex: number
}

export interface EpisodeSink {
  write(episode: Episode, place: EpisodePlace): Promise<void>
  /** Takes back what was begun of an episode that turned out to be unusable. */
  drop(place: EpisodePlace): Promise<void>
}

/** Every episode in order; one that cannot be read is left out and named, and those after it move up. */
export async function writeEpisodes(
  dataset: Dataset,
  folder: string,
  findings: Findings,
  { signal, onProgress }: WriteOptions,
  sink: EpisodeSink,
): Promise<{ episodeCount: number; frameCount: number }> {
  let [episodeIndex, fromIndex] = [0, 0]
  for (let position = 0; position < dataset.episodeCount; position++) {
    signal?.throwIfAborted()
    const episode = dataset.getEpisode(position)
    try {
      if (episode.length === 0) throw new FormatError('episode_unreadable', 'it has no frames.')
      await sink.write(episode, { episodeIndex, fromIndex })
      episodeIndex++
      fromIndex += episode.length
    } catch (error) {
      if (!(error instanceof FormatError) || neverTheEpisodesFault.has(error.code) || signal?.aborted) throw error
      await requireSpace(folder)
      await sink.drop({ episodeIndex, fromIndex })
      const sentence = `Episode ${episode.sourceIndex} is left out: ${error.message}`
      findings.add('episode-file-unreadable', sentence, episode.sourceIndex)
    }
    onProgress?.({ phase: 'episodes', done: position + 1, total: dataset.episodeCount })
  }
  if (episodeIndex > 0) return { episodeCount: episodeIndex, frameCount: fromIndex }
  const why = findings.list[0]?.sentence ?? 'the dataset is empty.'
  const all = [...dataset.findings, ...findings.list]
  throw new NoEpisodesError(`No usable episode is left: ${why}`, all, listFound(dataset), dataset.episodeCount)
}
