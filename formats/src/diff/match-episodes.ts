import type { EpisodeMatch } from './episode-diff.ts'
import { type FingerprintSet, wordsOf } from './fingerprints.ts'
import { areEqual, KeyTable, keyWords } from './key-table.ts'
import type { FeaturePair, PairedFeatures } from './pair-features.ts'

export interface MatchedEpisodes {
  matches: EpisodeMatch[]
  /** Those without a counterpart so far: cut, or not there. */
  leftFrom: number[]
  leftTo: number[]
}

/**
 * Finds the counterpart of each episode by what it holds, never by its number; of several that are equal, those with equal tasks, then
 * the first, go together. Only what is equal in every feature of both sides, at one rate, is called the same.
 */
export function matchEpisodes(from: FingerprintSet, to: FingerprintSet, features: PairedFeatures): MatchedEpisodes {
  const { pairs } = features
  const tell = createTeller(from, to, features)
  const matches: EpisodeMatch[] = []
  let [leftFrom, leftTo] = [[...from.lengthFrames.keys()], [...to.lengthFrames.keys()]]
  const keysBy = (chosen: readonly FeaturePair[], withLabel: boolean): SideKeys => {
    const [some, others] = [chosen.map((pair) => pair.from), chosen.map((pair) => pair.to)]
    return { from: mixKeys(from, some, withLabel, leftFrom), to: mixKeys(to, others, withLabel, leftTo) }
  }
  const match = (keys: SideKeys): void => {
    const found = pairByKey(leftFrom, leftTo, keys)
    if (found.pairs.length === 0) return
    for (const [one, other] of found.pairs) matches.push(tell(one, other))
    leftFrom = found.leftFrom
    leftTo = found.leftTo
  }
  const columns = pairs.filter((pair) => kindOf(from, pair) === 'column')
  const cameras = pairs.filter((pair) => kindOf(from, pair) === 'camera')
  const telling = pairs.filter((pair) => isTelling(from, pair))
  // All of it together says which episode it is, whatever it is made of; a part of it only where that part is telling.
  if (telling.length > 0 || pairs.length === Math.max(from.features.length, to.features.length)) {
    match(keysBy(pairs, true))
    match(keysBy(pairs, false))
  }
  // What was recorded is known by its rows, by all its pictures, and by each signal or camera alone, in this order.
  if (columns.some((pair) => isTelling(from, pair))) match(keysBy(columns, false))
  if (cameras.length > 0) match(keysBy(cameras, false))
  for (const pair of telling) match(keysBy([pair], false))
  return { matches, leftFrom, leftTo }
}

/** What became of an episode that is known to be the other one. */
export function createTeller(from: FingerprintSet, to: FingerprintSet, features: PairedFeatures) {
  const { pairs, removed, added, reshaped } = features
  const isWhole = removed.length + added.length + reshaped.length === 0 && from.fps === to.fps
  const contents = pairs.map((pair) => ({
    from: wordsOf(from.contents[pair.from] as Uint8Array),
    to: wordsOf(to.contents[pair.to] as Uint8Array),
    isColumn: kindOf(from, pair) === 'column',
  }))
  const isRelabelledAs = createLabelTest(from, to)
  return (one: number, other: number): EpisodeMatch => {
    const isCut = from.lengthFrames[one] !== to.lengthFrames[other]
    const differing: number[] = []
    let isOther = !isWhole || isCut
    for (const [place, { from: some, to: others, isColumn }] of contents.entries()) {
      if (!isCut && areEqual(some, one, others, other)) continue
      differing.push(place)
      isOther ||= isColumn
    }
    const isRelabelled = isRelabelledAs(one, other)
    return {
      kind: isOther ? 'changed' : differing.length > 0 ? 're_encoded' : isRelabelled ? 'relabelled' : 'same',
      from: one,
      to: other,
      ...(isRelabelled && { isRelabelled }),
      ...(differing.length > 0 && { differing }),
    }
  }
}

/** Whether the tasks of two episodes differ. */
export function createLabelTest(from: FingerprintSet, to: FingerprintSet): (one: number, other: number) => boolean {
  const [some, others] = [wordsOf(from.labels), wordsOf(to.labels)]
  return (one, other) => !areEqual(some, one, others, other)
}

/** A key for each of the episodes that are left. */
interface SideKeys {
  from: Uint32Array
  to: Uint32Array
}

function pairByKey(leftFrom: readonly number[], leftTo: readonly number[], keys: SideKeys) {
  const table = new KeyTable(keys.from)
  const pairs: [number, number][] = []
  const rest: number[] = []
  const isTaken = new Uint8Array(leftFrom.length)
  for (const [place, episode] of leftTo.entries()) {
    const source = table.take(keys.to, place)
    if (source < 0) rest.push(episode)
    else {
      pairs.push([leftFrom[source] as number, episode])
      isTaken[source] = 1
    }
  }
  return { pairs, leftFrom: leftFrom.filter((_, place) => isTaken[place] === 0), leftTo: rest }
}

const kindOf = (from: FingerprintSet, pair: FeaturePair | undefined): 'column' | 'camera' | undefined =>
  pair && from.features[pair.from]?.kind

/** Whether its content alone says which recording it is: pictures, or several numbers a frame. A flag that is seldom set does not. */
function isTelling({ features }: FingerprintSet, { from }: FeaturePair): boolean {
  const feature = features[from]
  if (!feature || feature.kind === 'camera') return feature !== undefined
  const isSignal = feature.name === 'observation.state' || feature.name === 'action'
  return (
    isSignal || (feature.dtype.startsWith('float') && feature.shape.reduce((product, size) => product * size, 1) > 1)
  )
}

/** Length and digests as one key. Who is paired by it is told by the digests themselves afterwards. */
function mixKeys(
  set: FingerprintSet,
  features: readonly number[],
  withLabel: boolean,
  episodes: readonly number[],
): Uint32Array {
  const digests = features.map((feature) => wordsOf(set.contents[feature] as Uint8Array))
  if (withLabel) digests.push(wordsOf(set.labels))
  const keys = new Uint32Array(episodes.length * keyWords)
  for (const [place, episode] of episodes.entries())
    for (let word = 0; word < keyWords; word++) {
      let key = set.lengthFrames[episode] as number
      for (const words of digests) {
        key = Math.imul(key ^ (words[episode * keyWords + word] as number), 0x9e3779b1)
        key ^= key >>> 15
      }
      keys[place * keyWords + word] = key
    }
  return keys
}
