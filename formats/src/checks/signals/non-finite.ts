import { countKept } from '../../frame-ranges.ts'
import { nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'

export const nonFinite: Rule = {
  id: 'non-finite',
  family: 'signals',
  kind: 'flag',
  severity: 'error',
  unit: 'frames',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence: 'A column of numbers has NaN or infinite values in more than this many frames of an episode.',
  remedy: 'Leave the episode out or cut the frames: one such value makes the loss of a whole batch NaN.',
  begin: (_, report) => ({
    look({ position, notFinite, frames }) {
      for (const [feature, runs] of notFinite) {
        const count = countKept(runs)
        const [first] = runs
        if (count <= report.cutOff || !first) continue
        const where = runs.length === 1 ? nameFrames(first) : `first ${nameFrames(first)}`
        const sentence = `${feature} has values that are no numbers in ${count} of ${frames} frames (${where}).`
        for (const run of runs.slice(0, 10)) report.flag({ position, frames: run, feature }, count, sentence)
      }
    },
  }),
}
