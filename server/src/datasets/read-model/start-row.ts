import type { ReadModel } from './model.ts'

/** Where an episode's rows begin in its data file: files hold whole episodes, one after the other. */
export function findStartRow({ columns, derivation }: ReadModel, episode: number): number {
  if (derivation) return derivation.startRow[episode] ?? 0
  const file = columns.dataFile[episode]
  // Gallop back to a file that is another one, then halve: a file may hold a hundred thousand episodes.
  let step = 1
  while (episode - step >= 0 && columns.dataFile[episode - step] === file) step *= 2
  let outside = Math.max(-1, episode - step)
  let inside = episode - Math.floor(step / 2)
  while (inside - outside > 1) {
    const middle = (inside + outside) >> 1
    if (columns.dataFile[middle] === file) inside = middle
    else outside = middle
  }
  return (columns.fromIndex[episode] ?? 0) - (columns.fromIndex[inside] ?? 0)
}
