import { createHash } from 'node:crypto'

/** An episode by its source's place among the others and its number there. */
export interface RankedEpisode {
  readonly place: number
  readonly episode: number
}

/** The same ones for the same seed, wherever they are drawn. */
export function drawEpisodes<T extends RankedEpisode>(episodes: readonly T[], count: number, seed: number): T[] {
  const rank = ({ place, episode }: RankedEpisode) =>
    createHash('sha256').update(`${seed} ${place} ${episode}`).digest('hex')
  return episodes
    .map((one) => ({ one, rank: rank(one) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one)
}
