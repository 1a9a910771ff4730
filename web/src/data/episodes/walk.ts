import { createStoreByKey, useStore } from '../../session/store.ts'
import type { EpisodesSearch } from '../searches.ts'

/** The list that an episode was opened from: `[` and `]` follow it, and not the numbers. */
export interface Walk {
  indices: readonly number[]
  /** What follows "3 of 17": "that stand out", "flagged". */
  words: string
}

/** Where an episode stands in it. */
export interface WalkPlace {
  place: number
  total: number
  words: string
  previous: number | undefined
  next: number | undefined
}

const storageKey = (datasetId: string): string => `nmp.walk.${datasetId}`

/** A reload stays in the list. */
const walkOf = createStoreByKey<Walk | undefined>((datasetId) => {
  const kept = sessionStorage.getItem(storageKey(datasetId))
  return kept === null ? undefined : (JSON.parse(kept) as Walk)
})

export function beginWalk(datasetId: string, walk: Walk): void {
  walkOf(datasetId).set(walk)
  try {
    sessionStorage.setItem(storageKey(datasetId), JSON.stringify(walk))
  } catch {
    // A list too long for the browser's memory of the tab is kept until the tab is loaded anew.
  }
}

export function endWalk(datasetId: string): void {
  walkOf(datasetId).set(undefined)
  sessionStorage.removeItem(storageKey(datasetId))
}

export const useWalk = (datasetId: string): Walk | undefined => useStore(walkOf(datasetId))

/** Undefined where one is in no list, or where this episode is not in it. */
export function findPlace(walk: Walk | undefined, episode: number): WalkPlace | undefined {
  if (!walk) return undefined
  const at = walk.indices.indexOf(episode)
  if (at < 0) return undefined
  return {
    place: at + 1,
    total: walk.indices.length,
    words: walk.words,
    previous: walk.indices[at - 1],
    next: walk.indices[at + 1],
  }
}

const shownWords = {
  flagged: 'flagged',
  'low-motion': 'that stand out by low motion',
  'high-variance': 'that stand out by high variance',
  success: 'that succeeded',
  failure: 'that failed',
}
const sortWords = {
  duration: 'by length',
  task: 'by task',
  motion: 'by motion',
  variance: 'by variance',
  flags: 'by flags',
}

/** How a list of episodes is called in the player; undefined for all of them in their own order, which is no list. */
export function nameList({ q, split, show, sort, order }: EpisodesSearch): string | undefined {
  const parts = [
    ...(show ? [shownWords[show]] : []),
    ...(split ? [`in ${split}`] : []),
    ...(q ? [`that match “${q}”`] : []),
    ...(sort ? [sortWords[sort]] : order === 'desc' ? ['from the last'] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : undefined
}
