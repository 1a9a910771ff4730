import { composeKept, type KeptRanges } from '@nmp/formats/frame-ranges'

/** By episode: which frames of another one it has; all of them where there is none. */
export interface KeptFrames {
  /** Episodes with an entry. */
  readonly size: number
  get(episode: number): KeptRanges | undefined
}

export const allFrames: KeptFrames = new Map<number, KeptRanges>()

/** Found when they are asked for, because a lower rate leaves out frames of every episode; the last answer is kept. */
export function findFrames(size: number, find: (episode: number) => KeptRanges | undefined): KeptFrames {
  let last: { episode: number; ranges: KeptRanges | undefined } | undefined
  const get = (episode: number): KeptRanges | undefined => {
    if (last?.episode !== episode) last = { episode, ranges: find(episode) }
    return last.ranges
  }
  return { size, get }
}

/** Frames of `next`, which counts those of `before`, as what `before` counts; `episodes` says which one of `before` each is. */
export function composeFrames(before: KeptFrames, next: KeptFrames, episodes: Uint32Array): KeptFrames {
  if (before.size === 0) return next
  return findFrames(episodes.length, (index) => {
    const [one, other] = [before.get(episodes[index] as number), next.get(index)]
    return one && other ? composeKept(one, other) : (other ?? one)
  })
}
