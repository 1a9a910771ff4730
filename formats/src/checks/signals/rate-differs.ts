import { findMedian } from '../../statistics/usual.ts'
import type { Rule } from '../rule.ts'

export const rateDiffers: Rule = {
  id: 'rate-differs',
  family: 'signals',
  kind: 'flag',
  isOfSet: true,
  severity: 'warning',
  unit: 'share',
  cutOff: 0.05,
  found: 'above',
  loosest: 0.01,
  sentence: 'The rate by the recorder’s own clock differs from the declared fps by more than this share.',
  remedy: 'Import it again with the rate that the clock shows (`--fps`).',
  begin: ({ fps }, report) => {
    const steps: number[] = []
    return {
      look({ times, frames }) {
        if (!times || frames < 3) return
        const own = Float64Array.from({ length: frames - 1 }, (_, at) => (times[at + 1] ?? 0) - (times[at] ?? 0))
        const median = findMedian(own.filter(Number.isFinite))
        if (median > 0) steps.push(median)
      },
      conclude() {
        if (steps.length === 0) return
        const rate = 1 / findMedian(Float64Array.from(steps))
        const share = Math.abs(rate / fps - 1)
        if (share > report.cutOff)
          report.flag({}, share, `The clock of the recorder shows ${rate.toPrecision(3)} frames a second, not ${fps}.`)
      },
    }
  },
}
