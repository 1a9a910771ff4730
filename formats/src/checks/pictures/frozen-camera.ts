import type { FrameRange } from '../../frame-ranges.ts'
import { findMedian } from '../../statistics/usual.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listSpeeds } from './arm-motion.ts'
import { isBlack } from './camera-traces.ts'

/** Grey levels: more is no standstill, however lively the scene. */
const mostChange = 0.5
/** Of what the camera's picture usually changes while the arm moves. */
const frozenShare = 0.12
const movingSpeed = 0.3
const movingShare = 0.6

interface Candidate {
  readonly position: number
  readonly run: FrameRange
  readonly change: number
}

export const frozenCamera: Rule = {
  id: 'frozen-camera',
  family: 'pictures',
  kind: 'flag',
  severity: 'error',
  unit: 'seconds',
  cutOff: 0.5,
  found: 'from',
  loosest: 0.2,
  sentence:
    'The picture does not change for at least this long while the arm moves, although it usually does when the arm moves.',
  remedy: 'Cut the frames or leave the episode out: state and action go on without what the policy is to see.',
  begin: (set, report) => {
    const candidates = new Map<string, Candidate[]>()
    const usual = new Map<string, number[]>()
    return {
      watch(traces, episode) {
        const { camera, position, frames, change } = traces
        const speeds = listSpeeds(episode, set)
        const moving = change.filter((_, frame) => (speeds[frame] ?? 0) > movingSpeed)
        if (moving.length === 0) return
        usual.set(camera, [...(usual.get(camera) ?? []), findMedian(Float64Array.from(moving))])
        const list = candidates.get(camera) ?? []
        candidates.set(camera, list)
        const least = Math.max(2, Math.ceil(report.cutOff * set.fps))
        const isCalm = (frame: number): boolean =>
          frame > 0 && (change[frame] as number) < mostChange && !isBlack(traces, frame)
        for (const run of listRuns(frames, isCalm, least).flatMap((calm) => splitCalm(calm, change))) {
          const [from, to] = run
          const active = speeds.subarray(from, to).filter((speed) => speed > movingSpeed)
          if (to - from < least || active.length < movingShare * (to - from)) continue
          list.push({ position, run, change: findMedian(Float64Array.from(change.subarray(from, to))) })
        }
      },
      conclude() {
        for (const [camera, list] of candidates) {
          const limit = frozenShare * findMedian(Float64Array.from(usual.get(camera) ?? []))
          for (const { position, run, change } of list) {
            if (change >= limit) continue
            const seconds = (run[1] - run[0]) / set.fps
            const sentence = `${camera} shows one picture for ${seconds.toFixed(2)} s (${nameFrames(run)}) while the arm moves.`
            report.flag({ position, frames: run, camera }, seconds, sentence)
          }
        }
      },
    }
  },
}

/** A run that is calm may hold one that is frozen: where the change is near none. */
function splitCalm([from, to]: FrameRange, change: Float32Array): FrameRange[] {
  const lowest = change.subarray(from, to).reduce((least, value) => Math.min(least, value), mostChange)
  const near = Math.max(0.02, lowest * 3)
  return listRuns(to - from, (at) => (change[from + at] as number) <= near, 1, 1).map(
    ([start, end]) => [from + start, from + end] as const,
  )
}
