import type { BeyondRule } from '../beyond-rule.ts'

export const duplicateElsewhere: BeyondRule = {
  id: 'duplicate-elsewhere',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'episodes elsewhere',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence:
    'More than this many episodes of other datasets of the project have the same length and, to the last bit, the same statistics of state and action. The service only.',
  remedy:
    'Leave it out of one of the two: it counts twice where they are trained on together, and leaks where one of them is for testing.',
  tell({ copies }, report) {
    for (const { episodeIndex, count, elsewhere } of copies) {
      if (count <= report.cutOff) continue
      const others = count > 1 ? ` (${count} episodes in all)` : ''
      const sentence = `Its state and action are those of episode ${elsewhere.episodeIndex} of ${elsewhere.slug}${others}.`
      report.flag({ position: episodeIndex, elsewhere }, count, sentence)
    }
  },
}
