import type { ArmDimension } from '../../statistics/motion-signal.ts'
import { unwrapStep } from '../angle-steps.ts'
import type { EpisodeSignals } from '../episode-signals.ts'
import type { Rule, RuleReport } from '../rule.ts'
import { isMeasuredByAction, type SetFacts } from '../set-facts.ts'

const points = 24
const maxDimensions = 8
const lengthShare = 0.95
/** Of the median distance of two episodes: where all are alike, none is a copy. */
const pairShare = 0.2
const sampledPairs = 2000
const exact = 1e-7

export const nearDuplicate: Rule = {
  id: 'near-duplicate',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the range',
  cutOff: 0.02,
  found: 'below',
  loosest: 0.05,
  sentence:
    'Two episodes of nearly the same length have arms that are nowhere farther apart, on average over time, than this share of the range, and a fifth of what is usual between two episodes.',
  remedy: 'Leave one of them out: the same recording, converted, trimmed or smoothed.',
  begin: (set, report) => {
    const { signal, state } = set.scale ?? {}
    const moving = state === 'moves' && signal ? signal.arm : []
    // Where an angle wraps, two that are the same are a turn apart.
    const steady = moving.filter(({ scale }) => unwrapStep(1 / scale) === 1 / scale)
    const arm = (steady.length > 0 ? steady : moving).slice(0, maxDimensions)
    const isAction = isMeasuredByAction(set)
    const paths = new Map<number, Float32Array>()
    return {
      look(episode) {
        if (signal && arm.length > 0 && episode.frames >= points)
          paths.set(
            episode.position,
            drawPath(isAction ? episode.action : episode.state, episode.frames, signal.width, arm),
          )
      },
      conclude() {
        if (paths.size >= 3) findPairs(paths, set, report)
      },
    }
  },
}

/** The arm at some times of the episode, each dimension divided by its range, or more where it is mostly noise. */
function drawPath(
  values: EpisodeSignals['state'],
  frames: number,
  width: number,
  arm: readonly ArmDimension[],
): Float32Array {
  const rows = values as Float64Array
  const path = new Float32Array(points * arm.length)
  for (let point = 0; point < points; point++) {
    const place = (point * (frames - 1)) / (points - 1)
    const frame = Math.min(frames - 2, Math.floor(place))
    for (const [index, { dimension, scale }] of arm.entries()) {
      const at = frame * width + dimension
      const [a, b] = [rows[at] as number, rows[at + width] as number]
      path[point * arm.length + index] = (a + (b - a) * (place - frame)) * scale
    }
  }
  return path
}

function findPairs(paths: ReadonlyMap<number, Float32Array>, set: SetFacts, report: RuleReport): void {
  const limit = Math.min(report.cutOff, pairShare * findUsualDistance([...paths.values()]))
  const coordinate = findWidest([...paths.values()])
  const sorted = [...paths].sort((a, b) => (a[1][coordinate] as number) - (b[1][coordinate] as number))
  const copies = new Map<number, { of: number; distance: number }>()
  for (const [index, [one, path]] of sorted.entries()) {
    // The mean of all squares is below the limit's only if each of them is below their number times that.
    const farthest = (path[coordinate] as number) + limit * Math.sqrt(path.length)
    for (let at = index + 1; at < sorted.length; at++) {
      const [other, others] = sorted[at] as [number, Float32Array]
      if ((others[coordinate] as number) > farthest) break
      const [a, b] = [set.lengths[one] as number, set.lengths[other] as number]
      if (Math.min(a, b) < lengthShare * Math.max(a, b)) continue
      const distance = measureDistance(path, others, limit)
      const [of, position] = one < other ? [one, other] : [other, one]
      if (distance >= limit || distance < exact || distance >= (copies.get(position)?.distance ?? limit)) continue
      copies.set(position, { of, distance })
    }
  }
  for (const [position, { of, distance }] of [...copies].sort((a, b) => a[0] - b[0])) {
    const sentence = `It moves as episode ${set.sourceIndexOf(of)} does: ${(distance * 100).toPrecision(2)} % of the range apart on average.`
    report.flag({ position, frames: [0, set.lengths[position] as number] }, distance, sentence)
  }
}

/** Root of the mean square; Infinity once it is known to be beyond the limit. */
function measureDistance(a: Float32Array, b: Float32Array, limit: number): number {
  const most = limit * limit * a.length
  let sum = 0
  for (let at = 0; at < a.length; at++) {
    const apart = (a[at] as number) - (b[at] as number)
    sum += apart * apart
    if (sum > most) return Number.POSITIVE_INFINITY
  }
  return Math.sqrt(sum / a.length)
}

/** The median of some pairs, spread evenly over all. */
function findUsualDistance(paths: readonly Float32Array[]): number {
  const distances = new Float64Array(Math.min(sampledPairs, (paths.length * (paths.length - 1)) / 2))
  for (let pair = 0; pair < distances.length; pair++) {
    const one = pair % paths.length
    const apart = 1 + (Math.floor(pair / paths.length) % (paths.length - 1))
    const other = (one + apart) % paths.length
    const [a, b] = [paths[one] as Float32Array, paths[other] as Float32Array]
    distances[pair] = measureDistance(a, b, Number.POSITIVE_INFINITY)
  }
  return distances.sort()[distances.length >> 1] ?? 0
}

/** Where the episodes differ most: few of them are then near each other. */
function findWidest(paths: readonly Float32Array[]): number {
  const [first] = paths
  let [widest, most] = [0, -1]
  for (let at = 0; first && at < first.length; at++) {
    let [sum, squares] = [0, 0]
    for (const path of paths) {
      sum += path[at] as number
      squares += (path[at] as number) ** 2
    }
    const spread = squares - (sum * sum) / paths.length
    if (spread > most) [widest, most] = [at, spread]
  }
  return widest
}
