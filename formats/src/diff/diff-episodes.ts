import type { EpisodeChange, EpisodeMatch } from './episode-diff.ts'
import { episodeChanges } from './episode-diff.ts'
import { type EpisodeFrames, findTrims } from './find-trims.ts'
import type { FingerprintSet } from './fingerprints.ts'
import { createLabelTest, createTeller, matchEpisodes } from './match-episodes.ts'
import { type PairedFeatures, pairFeatures } from './pair-features.ts'

/** One side of a diff. */
export interface DiffSide {
  set: FingerprintSet
  /** The frames of these episodes, in their order; fewer of them where they are too many to hold. */
  readFrames(episodes: readonly number[]): Promise<EpisodeFrames[]>
  /** Where both sides come from one stored dataset: the number that each episode has there. */
  origins?: ArrayLike<number>
}

export interface EpisodesDiff {
  features: PairedFeatures
  counts: Record<EpisodeChange, number>
  /** By kind, in the order of the newer side's numbers, what is gone in that of the older side's. */
  matches: Record<EpisodeChange, EpisodeMatch[]>
  /** Episodes that were too many to look for cuts among: they stand under `added` and `removed`. */
  unsearched: number
}

export async function diffEpisodes(from: DiffSide, to: DiffSide): Promise<EpisodesDiff> {
  const features = pairFeatures(from.set, to.set)
  const { matches, ...left } = matchEpisodes(from.set, to.set, features)
  let { leftFrom, leftTo } = left
  let unsearched = 0
  if (leftFrom.length > 0 && leftTo.length > 0) {
    const [some, others] = await Promise.all([from.readFrames(leftFrom), to.readFrames(leftTo)])
    unsearched = leftFrom.length - some.length + leftTo.length - others.length
    const cut = findTrims(some, others)
    const isRelabelled = createLabelTest(from.set, to.set)
    for (const match of cut.matches)
      matches.push(isRelabelled(match.from ?? 0, match.to ?? 0) ? { ...match, isRelabelled: true } : match)
    const [cutFrom, cutTo] = [new Set(cut.matches.map((one) => one.from)), new Set(cut.matches.map((one) => one.to))]
    leftFrom = leftFrom.filter((episode) => !cutFrom.has(episode))
    leftTo = leftTo.filter((episode) => !cutTo.has(episode))
  }
  const known = matchOrigins(from, to, leftFrom, leftTo, createTeller(from.set, to.set, features))
  matches.push(...known.matches)
  for (const episode of known.leftFrom) matches.push({ kind: 'removed', from: episode, to: null })
  for (const episode of known.leftTo) matches.push({ kind: 'added', from: null, to: episode })
  const byKind = Object.groupBy(matches, ({ kind }) => kind)
  const order = ({ from: one, to: other }: EpisodeMatch): number => other ?? one ?? 0
  const listed = episodeChanges.map((kind) => [kind, (byKind[kind] ?? []).sort((a, b) => order(a) - order(b))] as const)
  return {
    features,
    matches: Object.fromEntries(listed) as EpisodesDiff['matches'],
    counts: Object.fromEntries(listed.map(([kind, list]) => [kind, list.length])) as EpisodesDiff['counts'],
    unsearched,
  }
}

/** What a recipe is known to have made of an episode, although nothing in it is as it was. One may have become several. */
function matchOrigins(
  from: DiffSide,
  to: DiffSide,
  leftFrom: readonly number[],
  leftTo: readonly number[],
  tell: (one: number, other: number) => EpisodeMatch,
) {
  const [fromOrigins, toOrigins] = [from.origins, to.origins]
  if (!fromOrigins || !toOrigins) return { matches: [], leftFrom, leftTo }
  const sources = new Map(leftFrom.map((episode) => [fromOrigins[episode], episode]))
  const matches: EpisodeMatch[] = []
  const used = new Set<number>()
  const rest: number[] = []
  for (const episode of leftTo) {
    const source = sources.get(toOrigins[episode])
    if (source === undefined) rest.push(episode)
    else {
      matches.push(tell(source, episode))
      used.add(source)
    }
  }
  return { matches, leftFrom: leftFrom.filter((episode) => !used.has(episode)), leftTo: rest }
}
