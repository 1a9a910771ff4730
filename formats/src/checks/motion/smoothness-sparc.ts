import type { Rule } from '../rule.ts'
import { measureSparc } from './sparc.ts'

export const smoothnessSparc: Rule = {
  id: 'smoothness-sparc',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'none',
  cutOff: null,
  found: null,
  loosest: null,
  sentence:
    'The spectral arc length of the arm’s speed (SPARC: padding 4, 10 Hz, amplitude 0.05): the more negative, the less smooth.',
  remedy: 'Train on the smoother part of the set and compare.',
  begin: ({ fps }, report) => ({
    look({ position, traces }) {
      const value = traces ? measureSparc(traces.steps, fps) : null
      if (value !== null) report.rank(position, value)
    },
  }),
}
