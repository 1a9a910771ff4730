import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'

export const timeOrder: Rule = {
  id: 'time-order',
  family: 'signals',
  kind: 'flag',
  severity: 'error',
  unit: 'frames',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence: 'The recorder’s own clock stands still, runs back or is no number for more than this many frames.',
  remedy: 'Leave the episode out, or find out whether its rows are in the right order.',
  begin: (_, report) => ({
    look({ position, times, frames }) {
      if (!times) return
      const isLate = (frame: number): boolean => !((times[frame + 1] as number) > (times[frame] as number))
      for (const [from, to] of listRuns(frames - 1, isLate)) {
        if (to - from <= report.cutOff) continue
        const sentence = `Time does not go on from ${nameFrames([from, to])} to the next.`
        report.flag({ position, frames: [from, to + 1] }, to - from, sentence)
      }
    },
  }),
}
