/** Whose turn an episode of a review is, and which comes next. Rules without a picture. */

interface Queue {
  /** In the order in which they are looked at. */
  episodes: readonly number[]
  people: readonly { id: string }[]
}

/**
 * A queue is dealt by place: of n people the first gets the first of every n. Who is not among them, and everybody where there is
 * nobody, gets all.
 */
const isMine = ({ people }: Queue, place: number, person: string | undefined): boolean =>
  !people.some(({ id }) => id === person) || people[place % people.length]?.id === person

/** One's own after the present one, then one's own from the beginning, then what others have left, their last first. */
export function findNext(
  queue: Queue,
  isDecided: (episode: number) => boolean,
  person: string | undefined,
  present?: number,
): number | undefined {
  const { episodes } = queue
  const here = present === undefined ? -1 : episodes.indexOf(present)
  const open = [...episodes.keys()].filter((place) => place !== here && !isDecided(episodes[place] ?? -1))
  const mine = open.filter((place) => isMine(queue, place, person))
  const place = mine.find((one) => one > here) ?? mine[0] ?? open.at(-1)
  return place === undefined ? undefined : episodes[place]
}

/** How many of one's own are left; of all, where nothing was dealt. */
export const countMine = (queue: Queue, isDecided: (episode: number) => boolean, person: string | undefined): number =>
  queue.episodes.filter((episode, place) => !isDecided(episode) && isMine(queue, place, person)).length
