import { unwrapStep } from '../angle-steps.ts'
import type { Rule, RuleReport } from '../rule.ts'
import { isMeasuredByAction, type SetFacts } from '../set-facts.ts'
import {
  areAlike,
  drawPath,
  findUsualDistance,
  type MotionPaths,
  maxPathDimensions,
  measureDistance,
  minPaths,
  pairShare,
  pointsPerPath,
} from './motion-paths.ts'

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
    const arm = (steady.length > 0 ? steady : moving).slice(0, maxPathDimensions)
    const isAction = isMeasuredByAction(set)
    const paths = new Map<number, Float32Array>()
    return {
      look(episode) {
        const rows = isAction ? episode.action : episode.state
        if (signal && rows && arm.length > 0 && episode.frames >= pointsPerPath)
          paths.set(episode.position, drawPath(rows, episode.frames, signal.width, arm))
      },
      conclude() {
        if (paths.size >= minPaths) findPairs(paths, set, report)
      },
      listPaths() {
        if (!signal || paths.size === 0) return undefined
        const role = isAction ? 'action' : 'state'
        const { width } = signal
        const dimensions = arm.map(({ dimension }) => dimension)
        const scales = arm.map(({ scale }) => scale)
        return { role, width, dimensions, scales, ...joinPaths(paths, set) }
      },
    }
  },
}

function joinPaths(
  paths: ReadonlyMap<number, Float32Array>,
  set: SetFacts,
): Pick<MotionPaths, 'episodes' | 'lengths' | 'points'> {
  const positions = [...paths.keys()]
  const [first] = paths.values()
  const points = new Float32Array(paths.size * (first?.length ?? 0))
  for (const [index, path] of [...paths.values()].entries()) points.set(path, index * path.length)
  return {
    episodes: positions.map((position) => set.sourceIndexOf(position)),
    lengths: positions.map((position) => set.lengths[position] as number),
    points,
  }
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
      if (!areAlike(set.lengths[one] as number, set.lengths[other] as number)) continue
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
