import type { Rule } from '../rule.ts'

export const stillStart: Rule = {
  id: 'still-start',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'seconds',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'How long the arm stands still before it first moves, where that is half a second or more.',
  remedy: 'Trim the start (`trim.idle` with `from: "start"`).',
  begin: ({ fps, scale }, report) => ({
    look({ position, idle: [first] }) {
      if (scale && scale.state !== 'switches') report.rank(position, first?.[0] === 0 ? first[1] / fps : 0)
    },
  }),
}
