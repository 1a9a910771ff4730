import { digestEpisodes, isContent } from '../datasets/episode-digests.ts'
import type { EpisodeIdentity } from './repository.ts'

/** What an arm did and was told, whatever was filmed: the same recording may come with other cameras and texts. */
const isNumbers = (name: string): boolean => name === 'length' || /^stats\/(observation\.state|action)\//.test(name)

/** What each episode of a stored dataset is, whatever its number and its task. */
export async function readIdentities(folder: string, signal: AbortSignal): Promise<EpisodeIdentity[]> {
  const identities: EpisodeIdentity[] = []
  for await (const [episodeIndex, [content, numbers = null]] of digestEpisodes(folder, [isContent, isNumbers], signal))
    if (content) identities.push({ episodeIndex, content, numbers })
  return identities
}
