import { type FingerprintedFeature, type FingerprintSet, wordsOf } from './fingerprints.ts'
import { KeyTable, keyWords } from './key-table.ts'

/** Places in the two lists of features. */
export interface FeaturePair {
  from: number
  to: number
}

export interface PairedFeatures {
  /** Same kind, type and shape, under one name or two: their contents are held against each other. */
  pairs: FeaturePair[]
  /** The same content under another name. */
  renamed: FeaturePair[]
  /** The same name with another type, shape or size. */
  reshaped: FeaturePair[]
  removed: number[]
  added: number[]
}

/** From this share of the smaller side's episodes on, two features with equal contents are one that was renamed. */
const renamedShare = 0.5

export function pairFeatures(from: FingerprintSet, to: FingerprintSet): PairedFeatures {
  const tables = new Map<number, KeyTable>()
  const tableOf = (feature: number): KeyTable => {
    const table = tables.get(feature) ?? new KeyTable(wordsOf(to.contents[feature] as Uint8Array))
    tables.set(feature, table)
    return table
  }
  /** How many episodes of the older side have a content of the newer one; at most `enough` are counted. */
  const countCommon = (one: number, other: number, enough: number): number => {
    const words = wordsOf(from.contents[one] as Uint8Array)
    const table = tableOf(other)
    let common = 0
    for (let episode = 0; episode < words.length / keyWords && common < enough; episode++)
      if (table.has(words, episode)) common++
    return common
  }
  const enough = Math.max(1, Math.ceil(renamedShare * Math.min(from.lengthFrames.length, to.lengthFrames.length)))
  const named = from.features.flatMap((feature, one) => {
    const other = to.features.findIndex(({ name }) => name === feature.name)
    return other < 0 ? [] : [{ from: one, to: other }]
  })
  const reshaped = named.filter((pair) => !isAlike(from.features[pair.from], to.features[pair.to]))
  const alike = named.filter((pair) => !reshaped.includes(pair))
  const isOpenFrom = new Set(from.features.keys())
  const isOpenTo = new Set(to.features.keys())
  const renamed: FeaturePair[] = []
  const pairs: FeaturePair[] = []
  const take = (pair: FeaturePair, list: FeaturePair[]): void => {
    isOpenFrom.delete(pair.from)
    isOpenTo.delete(pair.to)
    list.push(pair)
  }
  const findRenamed = (one: number): number | undefined =>
    [...isOpenTo].find(
      (other) => isAlike(from.features[one], to.features[other]) && countCommon(one, other, enough) >= enough,
    )
  // Names may have changed places: two cameras that were mixed up. Only where nothing under one name is the same.
  const swapped = alike.filter((pair) => to.features.length > 1 && countCommon(pair.from, pair.to, 1) === 0)
  for (const pair of alike) if (!swapped.includes(pair)) take(pair, pairs)
  for (const one of [...isOpenFrom]) {
    const other = findRenamed(one)
    if (other !== undefined) take({ from: one, to: other }, renamed)
  }
  for (const pair of swapped) if (isOpenFrom.has(pair.from) && isOpenTo.has(pair.to)) take(pair, pairs)
  const left = reshaped.filter((pair) => isOpenFrom.has(pair.from) && isOpenTo.has(pair.to))
  for (const pair of left) take(pair, [])
  pairs.push(...renamed)
  pairs.sort((one, other) => one.from - other.from)
  return { pairs, renamed, reshaped: left, removed: [...isOpenFrom], added: [...isOpenTo] }
}

const isAlike = (one: FingerprintedFeature | undefined, other: FingerprintedFeature | undefined): boolean =>
  one?.kind === other?.kind && one?.dtype === other?.dtype && String(one?.shape) === String(other?.shape)
