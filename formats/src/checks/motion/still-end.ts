import type { Rule } from '../rule.ts'

export const stillEnd: Rule = {
  id: 'still-end',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'seconds',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'How long the arm stands still after it last moved, where that is half a second or more.',
  remedy: 'Trim the end if it is long; some rest teaches a policy to stop.',
  begin: ({ fps, scale }, report) => ({
    look({ position, idle, frames }) {
      const last = idle.at(-1)
      if (scale && scale.state !== 'switches')
        report.rank(position, last?.[1] === frames ? (last[1] - last[0]) / fps : 0)
    },
  }),
}
