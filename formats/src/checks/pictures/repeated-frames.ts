import { findMedian } from '../../statistics/usual.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listSpeeds } from './arm-motion.ts'

const aroundFrames = 6
/** Grey levels: what changes less between frames anyway cannot be told from a repeated one. */
const leastChange = 0.6
const fastSpeed = 0.8
const frozenSeconds = 0.5
/** The picture after it makes up for what was not shown. */
const caughtUp = 1.3

export const repeatedFrames: Rule = {
  id: 'repeated-frames',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the change around it',
  cutOff: 0.08,
  sentence:
    'While the arm moves fast, a picture changes by less than this share of what the pictures around it do, and the next one makes up for it: it was shown twice.',
  remedy: 'A few are harmless; many mean that the camera is slower than the recorder. Record at the camera’s own rate.',
  begin: (set, report) => ({
    watch({ camera, position, frames, change }, episode) {
      const speeds = listSpeeds(episode, set)
      const around = (frame: number): number =>
        findMedian(Float64Array.from(change.subarray(Math.max(1, frame - aroundFrames), frame + aroundFrames + 1)))
      const isRepeated = (frame: number): boolean =>
        frame > 0 &&
        (speeds[frame] ?? 0) > fastSpeed &&
        around(frame) >= leastChange &&
        (change[frame] as number) < report.cutOff * around(frame)
      // What turns round stands still for a moment, too, and goes on slowly.
      const isMadeUp = (frame: number): boolean => (change[frame] ?? 0) > caughtUp * around(frame)
      for (const run of listRuns(frames, isRepeated)) {
        if (run[1] - run[0] >= frozenSeconds * set.fps || !isMadeUp(run[1])) continue
        const share = (change[run[0]] as number) / around(run[0])
        report.flag({ position, frames: run, camera }, share, `${camera} repeats a picture at ${nameFrames(run)}.`)
      }
    },
  }),
}
