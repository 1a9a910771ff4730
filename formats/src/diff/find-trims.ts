import type { FrameRange } from '../frame-ranges.ts'
import type { EpisodeMatch } from './episode-diff.ts'

/** Numbers of one episode's frames, two a frame: its row, and its signal. */
export interface EpisodeFrames {
  episode: number
  frames: Uint32Array
}

/** Frames that are looked up by their number; beyond, only every so many-th is, chosen by the number itself. */
const mostIndexed = 4_000_000
/** From so many frames on, one in four is looked up first, chosen by its number; an episode with few of those is searched by all its frames. */
const manyFrames = 200_000
const sparseStep = 4
const fewestSampled = 16
/** An episode this short is a part of anything. */
const fewestFrames = 2

/**
 * Which of the episodes left over are others of them with frames cut away, at the ends or in between. One may be cut into several.
 * Both directions are looked at; `kept` counts frames of the longer one.
 */
export function findTrims(
  from: readonly EpisodeFrames[],
  to: readonly EpisodeFrames[],
): { matches: EpisodeMatch[]; leftFrom: number[]; leftTo: number[] } {
  const shorter = findParts(to, from)
  const found = new Set(shorter.map(({ part }) => part.episode))
  const sources = new Set(shorter.map(({ whole }) => whole.episode))
  const longer = findParts(
    from.filter(({ episode }) => !sources.has(episode)),
    to.filter(({ episode }) => !found.has(episode)),
  )
  const matches = [
    ...shorter.map(({ part, whole, kept, isSignalOnly }) => tell(whole.episode, part.episode, kept, isSignalOnly)),
    ...longer.map(({ part, whole, kept, isSignalOnly }) => tell(part.episode, whole.episode, kept, isSignalOnly)),
  ]
  const [usedFrom, usedTo] = [new Set(matches.map((one) => one.from)), new Set(matches.map((one) => one.to))]
  return {
    matches,
    leftFrom: from.flatMap(({ episode }) => (usedFrom.has(episode) ? [] : episode)),
    leftTo: to.flatMap(({ episode }) => (usedTo.has(episode) ? [] : episode)),
  }
}

/** Where only the signal's frames lie in the other, its other columns have changed as well: more than a cut. */
const tell = (from: number, to: number, kept: readonly FrameRange[], isSignalOnly: boolean): EpisodeMatch => ({
  kind: isSignalOnly ? 'changed' : 'trimmed',
  from,
  to,
  kept,
})

interface FoundPart {
  part: EpisodeFrames
  whole: EpisodeFrames
  kept: FrameRange[]
  isSignalOnly: boolean
}

function findParts(parts: readonly EpisodeFrames[], wholes: readonly EpisodeFrames[]): FoundPart[] {
  if (parts.length === 0 || wholes.length === 0) return []
  const found: FoundPart[] = []
  let open = parts
  for (const lane of [0, 1] as const) {
    const total = wholes.reduce((sum, { frames }) => sum + frames.length / 2, 0)
    const fewest = Math.max(1, Math.ceil(total / mostIndexed))
    const sparse = total < manyFrames ? undefined : indexFrames(wholes, lane, Math.max(sparseStep, fewest))
    let dense: FrameIndex | undefined
    const rest: EpisodeFrames[] = []
    for (const part of open) {
      const isEnough = sparse && hasSampled(part, lane, sparse.step)
      if (!isEnough) dense ??= indexFrames(wholes, lane, fewest)
      const match = findWhole(part, wholes, (isEnough ? sparse : dense) as FrameIndex, lane)
      if (match) found.push({ part, ...match, isSignalOnly: lane === 1 })
      else rest.push(part)
    }
    open = rest
  }
  return found
}

/** By a frame's number: where it is met first in each of a few episodes. A hash table in arrays, for millions of frames. */
interface FrameIndex {
  step: number
  /** Calls back with each episode that has such a frame. */
  visit(hash: number, visit: (whole: number) => void): void
}

const placesKept = 4

/** By its upper bits: the lower ones say where it stands in the table. */
const isSampled = (hash: number, step: number): boolean => step === 1 || (hash >>> 12) % step === 0

/** Whether enough different frames are looked up: a robot at rest gives one number again and again. */
function hasSampled({ frames }: EpisodeFrames, lane: 0 | 1, step: number): boolean {
  const sampled = new Set<number>()
  for (let at = lane; at < frames.length && sampled.size < fewestSampled; at += 2)
    if (isSampled(frames[at] as number, step)) sampled.add(frames[at] as number)
  return sampled.size >= fewestSampled
}

function indexFrames(wholes: readonly EpisodeFrames[], lane: 0 | 1, step: number): FrameIndex {
  const total = wholes.reduce((sum, { frames }) => sum + frames.length / 2, 0)
  const size = 2 ** Math.ceil(Math.log2(2 * Math.min((2 * total) / step, 2 * mostIndexed) + 2))
  const mask = size - 1
  // A slot is an episode's place, one more than it is; nought where it is free.
  const slots = new Uint32Array(size)
  const hashes = new Uint32Array(size)
  let filled = 0
  const add = (hash: number, whole: number): void => {
    let met = 0
    let slot = Math.imul(hash, 0x9e3779b1) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (hashes[slot] !== hash) continue
      if (slots[slot] === whole + 1 || ++met === placesKept) return
    }
    if (filled++ >= size / 2) return
    slots[slot] = whole + 1
    hashes[slot] = hash
  }
  for (const [whole, { frames }] of wholes.entries())
    for (let at = lane; at < frames.length; at += 2) {
      const hash = frames[at] as number
      if (hash !== 0 && isSampled(hash, step)) add(hash, whole)
    }
  return {
    step,
    visit(hash, visit) {
      for (let slot = Math.imul(hash, 0x9e3779b1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask)
        if (hashes[slot] === hash) visit((slots[slot] as number) - 1)
    },
  }
}

/** Episodes that share the most frames are tried first; none is believed before every frame was found, in order. */
function findWhole(part: EpisodeFrames, wholes: readonly EpisodeFrames[], { visit, step }: FrameIndex, lane: 0 | 1) {
  const count = part.frames.length / 2
  if (count < fewestFrames) return undefined
  const votes = new Map<number, number>()
  const vote = (whole: number): void => void votes.set(whole, (votes.get(whole) ?? 0) + 1)
  for (let at = lane; at < part.frames.length; at += 2) {
    const hash = part.frames[at] as number
    if (isSampled(hash, step)) visit(hash, vote)
  }
  const candidates = [...votes].sort(([, one], [, other]) => other - one).slice(0, placesKept)
  for (const [place] of candidates) {
    const whole = wholes[place] as EpisodeFrames
    if (whole.frames.length <= part.frames.length) continue
    const kept = placeFrames(part.frames, whole.frames, lane)
    if (kept) return { whole, kept }
  }
  return undefined
}

/** One range where the frames lie together, else the first ones that are met in order; undefined where one is missing. */
function placeFrames(part: Uint32Array, whole: Uint32Array, lane: 0 | 1): FrameRange[] | undefined {
  const [count, total] = [part.length / 2, whole.length / 2]
  const first = part[lane] as number
  for (let start = 0; start + count <= total; start++) {
    if (whole[2 * start + lane] !== first) continue
    let frame = 1
    while (frame < count && part[2 * frame + lane] === whole[2 * (start + frame) + lane]) frame++
    if (frame === count) return [[start, start + count]]
  }
  const kept: [number, number][] = []
  let at = 0
  for (let frame = 0; frame < count; frame++, at++) {
    while (at < total && part[2 * frame + lane] !== whole[2 * at + lane]) at++
    if (at === total) return undefined
    const last = kept.at(-1)
    if (last?.[1] === at) last[1]++
    else kept.push([at, at + 1])
  }
  return kept
}
