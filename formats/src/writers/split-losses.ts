import type { SplitTally } from '../splits.ts'
import type { Loss } from './writer.ts'

/** For targets whose info.json is LeRobot's. */
export const listScatteredSplits = (splits: SplitTally): Loss[] =>
  splits
    .list()
    .filter(({ range }) => range === undefined)
    .map(({ name }) => ({
      feature: `split ${name}`,
      reason: 'info.json can only express splits whose episodes follow each other.',
    }))

/** For targets that keep an episode in one split. */
export const listSecondSplits = (splits: SplitTally): Loss[] =>
  [...splits.alsoIn].map((split) => ({
    feature: `split ${split}`,
    reason: 'An episode is in one split of TFDS; those that are in several are in the first of them.',
  }))

/** For targets that are of all episodes at once; one split of all episodes is none. */
export function listPooledSplits(splits: SplitTally): Loss[] {
  const names = splits.list().map(({ name }) => name)
  if (names.length + Math.min(1, splits.outsideCount) <= 1) return []
  const reason = `The statistics are of all episodes together, whatever split they are in (${names.join(', ')}).`
  return [{ feature: 'splits', reason }]
}
