import type { BeyondRule } from '../beyond-rule.ts'

export const nearDuplicateElsewhere: BeyondRule = {
  id: 'near-duplicate-elsewhere',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the range',
  cutOff: 0.02,
  found: 'below',
  loosest: 0.05,
  sentence:
    'An episode of another dataset of the project moves as this one does, by the measure of `near-duplicate`: nearly the same length, arms that are nowhere farther apart, on average over time, than this share of the range, and than a fifth of what is usual between two episodes of the two datasets. The service only.',
  remedy:
    'Leave it out of one of the two: the same recording, converted, trimmed or smoothed, leaks where one of them is for testing.',
  tell({ nearCopies }, report) {
    for (const { episodeIndex, distance, elsewhere } of nearCopies) {
      if (distance >= report.cutOff) continue
      const sentence = `It moves as episode ${elsewhere.episodeIndex} of ${elsewhere.slug} does: ${(distance * 100).toPrecision(2)} % of the range apart on average.`
      report.flag({ position: episodeIndex, elsewhere }, distance, sentence)
    }
  },
}
