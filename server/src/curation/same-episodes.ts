import type { Context } from '../context.ts'
import { digestEpisodes, isContent, isEpisodeTable } from '../datasets/episode-digests.ts'
import { layOutRevision } from '../datasets/local-revision.ts'
import type { CuratedRevision } from './repository.ts'

/**
 * Where episodes of one revision stand in another: those with the same length, tasks and statistics of every feature and camera,
 * whatever their numbers are now. The statistics cover every row, and LeRobot's sample of the frames.
 */
export async function matchEpisodes(
  context: Context,
  orgId: string,
  { from, to }: { from: CuratedRevision; to: CuratedRevision },
  episodes: Iterable<number>,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const wanted = new Set(episodes)
  if (from.digest === to.digest) return new Map([...wanted].map((episode) => [episode, episode]))
  const sought = new Map<string, number[]>()
  const remember = (digest: string, episode: number): void => {
    const list = sought.get(digest)
    if (list) list.push(episode)
    else sought.set(digest, [episode])
  }
  for await (const [episode, digest] of readDigests(context, orgId, from, signal))
    if (wanted.has(episode)) remember(digest, episode)
  const matches = new Map<number, number>()
  // Of several that are equal the first goes to the first.
  for await (const [episode, digest] of readDigests(context, orgId, to, signal)) {
    const source = sought.get(digest)?.shift()
    if (source !== undefined) matches.set(source, episode)
  }
  return matches
}

async function* readDigests(
  context: Context,
  orgId: string,
  revision: CuratedRevision,
  signal: AbortSignal,
): AsyncGenerator<readonly [episode: number, digest: string]> {
  const folder = await layOutRevision(context, { id: revision.id, orgId }, undefined, { paths: isEpisodeTable, signal })
  const isSaid = (name: string): boolean => name === 'tasks' || isContent(name)
  for await (const [episode, [digest]] of digestEpisodes(folder, [isSaid], signal))
    yield [episode, digest?.toString('base64') ?? ''] as const
}
