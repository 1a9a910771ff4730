import type { FrameRange } from '../../frame-ranges.ts'
import { findMedian } from '../../statistics/usual.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listSpeeds } from './arm-motion.ts'

const aroundFrames = 6
/** Grey levels: what changes less between frames anyway cannot be told from a repeated one. */
const leastChange = 0.6
const fastSpeed = 0.8
/** An arm that is slower, but moves, takes more to be sure. */
const movingSpeed = 0.3
const frozenSeconds = 0.5
/** The picture after it makes up for what was not shown. */
const caughtUp = 1.3
/** Grey levels: less is the same picture to the bit, or as good as that; no sensor gives one twice. */
const sameChange = 0.05

export const repeatedFrames: Rule = {
  id: 'repeated-frames',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the change around it',
  cutOff: 0.08,
  found: 'below',
  loosest: null,
  sentence:
    'While the arm moves, a picture changes by less than this share of what the pictures around it do, and the next one makes up for it or nothing changes at all; both, and no other picture around it, where the arm is slow: it was shown twice.',
  remedy: 'A few are harmless; many mean that the camera is slower than the recorder. Record at the camera’s own rate.',
  begin: (set, report) => ({
    watch({ camera, position, frames, change }, episode) {
      const speeds = listSpeeds(episode, set)
      const around = (frame: number): number =>
        findMedian(Float64Array.from(change.subarray(Math.max(1, frame - aroundFrames), frame + aroundFrames + 1)))
      const isStill = (frame: number): boolean => (change[frame] as number) < report.cutOff * around(frame)
      const isRepeated = (frame: number): boolean =>
        frame > 0 && (speeds[frame] ?? 0) > movingSpeed && around(frame) >= leastChange && isStill(frame)
      // What turns round stands still for a moment, too, and goes on slowly; what is slowing down makes up for less.
      const isMadeUp = (frame: number, usual: number): boolean => (change[frame] ?? 0) > caughtUp * usual
      const isSame = (frame: number): boolean => (change[frame] as number) < sameChange
      // A coder leaves out slow motion in every second picture, or in more of them.
      const isAlone = ([from, to]: FrameRange): boolean => {
        for (let frame = Math.max(1, from - aroundFrames); frame < Math.min(frames, to + aroundFrames); frame++)
          if ((frame < from || frame >= to) && isStill(frame)) return false
        return true
      }
      const isSure = (run: FrameRange): boolean => {
        const [from, next] = run
        const makesUp = isMadeUp(next, around(next))
        if ((speeds[from] as number) > fastSpeed) return makesUp || isSame(from)
        return isSame(from) && (makesUp || isMadeUp(next, change[next + 1] ?? Number.POSITIVE_INFINITY)) && isAlone(run)
      }
      for (const run of listRuns(frames, isRepeated)) {
        if (run[1] - run[0] >= frozenSeconds * set.fps || !isSure(run)) continue
        const share = (change[run[0]] as number) / around(run[0])
        report.flag({ position, frames: run, camera }, share, `${camera} repeats a picture at ${nameFrames(run)}.`)
      }
    },
  }),
}
