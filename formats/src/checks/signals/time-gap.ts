import { findMedian } from '../../statistics/usual.ts'
import { nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'

/** Against the rate of the set, or the episode's own where that is slower. */
export const timeGap: Rule = {
  id: 'time-gap',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'frames',
  cutOff: 1.5,
  found: 'above',
  loosest: 1.2,
  sentence: 'Time between two frames, by the recorder’s own clock, is longer than this many frames: some were dropped.',
  remedy: 'Cut the episode at the gap (`split`) or leave it out; look for a recorder that cannot keep up.',
  begin: ({ fps }, report) => ({
    look({ position, times, frames }) {
      if (!times || frames < 2) return
      const steps = Float64Array.from({ length: frames - 1 }, (_, at) => (times[at + 1] ?? 0) - (times[at] ?? 0))
      const usual = Math.max(1 / fps, findMedian(steps.filter(Number.isFinite)))
      for (const [frame, step] of steps.entries()) {
        const gap = step / usual
        if (!(gap > report.cutOff)) continue
        const sentence = `${gap.toFixed(1)} frames of time lie between ${nameFrames([frame, frame + 1])} and the next.`
        report.flag({ position, frames: [frame, frame + 2] }, gap, sentence)
      }
    },
  }),
}
