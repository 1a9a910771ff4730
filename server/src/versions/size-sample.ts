import { type KeptRanges, listKept } from '@nmp/formats/frame-ranges'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { PlannedCamera, RecipePlan } from './plan/plan.ts'

/** An episode of the result of which some frames are tried. */
export interface SampledEpisode {
  /** Its number in the stored dataset. */
  episode: number
  /** All frames of it that the result has. */
  ranges: KeptRanges
  frameCount: number
  /** Those that are tried, ascending. */
  frames: readonly number[]
}

const mostEpisodes = 24
/** Encoders put a keyframe at every second frame: a run of four is two whole groups. */
const runFrames = 4
const mostFrames = 192
const leastFrames = 48
/** Of all tried frames of a camera, about a second of encoding. */
const mostPixels = mostFrames * 640 * 480

/** Frames of kept episodes, spread over each; which episodes changes little when others are selected, so what was tried is known again. */
export function sampleEpisodes(model: ReadModel, plan: RecipePlan, { camera }: PlannedCamera): SampledEpisode[] {
  const positions = choosePositions(plan)
  const wished = Math.min(mostFrames, Math.max(leastFrames, mostPixels / (camera.width * camera.height)))
  const runs = Math.max(1, Math.round(wished / runFrames / positions.length))
  return positions.map((position) => {
    const episode = plan.episodes[position] as number
    const ranges = plan.frames.get(position) ?? [[0, model.columns.lengthFrames[episode] as number]]
    const kept = listKept(ranges)
    return { episode, ranges, frameCount: kept.length, frames: pickRuns(kept, runs) }
  })
}

function pickRuns(kept: Uint32Array, wished: number): number[] {
  const runs = Math.min(wished, Math.floor(kept.length / runFrames))
  if (runs * runFrames >= kept.length - 1) return [...kept.subarray(0, Math.max(1, kept.length - (kept.length % 2)))]
  const share = kept.length / runs
  return Array.from({ length: runs }, (_, run) => {
    const middle = Math.floor(share * run + (share - runFrames) / 2)
    const start = middle - (middle % 2)
    return [...kept.subarray(start, start + runFrames)]
  }).flat()
}

/** The episodes with the smallest of numbers that are as good as drawn; all where there are few. */
function choosePositions({ episodes }: RecipePlan): number[] {
  const chosen: { position: number; draw: number }[] = []
  for (const [position, episode] of episodes.entries()) {
    const draw = mix(episode)
    if (chosen.length === mostEpisodes && draw >= (chosen.at(-1)?.draw ?? 0)) continue
    const place = chosen.findIndex((other) => other.draw > draw)
    chosen.splice(place < 0 ? chosen.length : place, 0, { position, draw })
    chosen.length = Math.min(chosen.length, mostEpisodes)
  }
  return chosen.map(({ position }) => position).sort((one, other) => one - other)
}

/** The finalizer of MurmurHash3. */
function mix(number: number): number {
  let hash = number + 1
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
