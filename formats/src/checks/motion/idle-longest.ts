import type { Rule } from '../rule.ts'

export const idleLongest: Rule = {
  id: 'idle-longest',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'seconds',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'The longest rest of at least half a second.',
  remedy: 'Trim the rest (`trim.idle` with `inside`).',
  begin: ({ fps, scale }, report) => ({
    look({ position, idle }) {
      if (scale && scale.state !== 'switches')
        report.rank(position, Math.max(0, ...idle.map(([from, to]) => to - from)) / fps)
    },
  }),
}
