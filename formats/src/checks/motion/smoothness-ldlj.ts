import type { Rule } from '../rule.ts'
import { measureLdlj } from './ldlj.ts'

export const smoothnessLdlj: Rule = {
  id: 'smoothness-ldlj',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'none',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'The log dimensionless jerk of the arm’s speed: the more negative, the less smooth.',
  remedy: 'Train on the smoother part of the set and compare.',
  begin: ({ fps }, report) => ({
    look({ position, traces }) {
      const value = traces ? measureLdlj(traces.steps, fps) : null
      if (value !== null) report.rank(position, value)
    },
  }),
}
