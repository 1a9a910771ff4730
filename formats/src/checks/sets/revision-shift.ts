import type { BeyondRule, FeatureQuantiles } from '../beyond-rule.ts'

export const revisionShift: BeyondRule = {
  id: 'revision-shift',
  family: 'sets',
  kind: 'flag',
  isOfSet: true,
  severity: 'warning',
  unit: 'share of the range',
  cutOff: 0.25,
  found: 'above',
  loosest: 0.05,
  sentence:
    'Two of the 10th, 50th and 90th percentile of a dimension of state or action lie elsewhere than in the revision before, or one lies beyond everything there, by more than this share of what lay between the 1st and the 99th percentile there. The service only.',
  remedy:
    'Look for another zero, unit or order of the joints, or for another task: a policy trained on the earlier revision has not seen this.',
  tell({ statistics }, report) {
    if (!statistics) return
    for (const [feature, now] of Object.entries(statistics.now)) {
      const before = statistics.before[feature]
      if (!before || before.q50.length !== now.q50.length) continue
      const { share, dimension } = findShift(before, now)
      if (!(share > report.cutOff)) continue
      const sentence = `Dimension ${dimension} of ${feature} has moved since revision ${statistics.revision}, by ${Math.round(share * 100)} % of its range there (median ${round(before.q50[dimension])}, now ${round(now.q50[dimension])}).`
      report.flag({ feature }, share, sentence)
    }
  },
}

const names = ['q10', 'q50', 'q90'] as const

const round = (value: number | undefined): number => Number((value ?? 0).toPrecision(3))

/** The dimension that moved most. Where it did not move before, its range now. */
function findShift(before: FeatureQuantiles, now: FeatureQuantiles): { share: number; dimension: number } {
  let most = { share: 0, dimension: 0 }
  for (const dimension of before.q50.keys()) {
    const rangeOf = ({ q01, q99 }: FeatureQuantiles): number => (q99[dimension] ?? 0) - (q01[dimension] ?? 0)
    const range = rangeOf(before) || rangeOf(now)
    if (!(range > 0)) continue
    const moved = names.map((name) => Math.abs((now[name][dimension] ?? 0) - (before[name][dimension] ?? 0)))
    const beyond = names.map((name) => {
      const value = now[name][dimension] ?? 0
      return Math.max((before.q01[dimension] ?? 0) - value, value - (before.q99[dimension] ?? 0))
    })
    // The median of what is done in two ways may change sides: one that moves among what was there says nothing.
    const [, second = 0] = moved.toSorted((a, b) => b - a)
    const share = Math.max(second, ...beyond) / range
    if (share > most.share) most = { share, dimension }
  }
  return most
}
