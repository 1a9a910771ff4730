import type { Rule } from '../rule.ts'

export const length: Rule = {
  id: 'length',
  family: 'sets',
  kind: 'ranking',
  severity: 'info',
  unit: 'seconds',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'How long the episode is.',
  remedy: 'Of sets by people, the shorter part often trains the better policy: compare.',
  begin: ({ lengths, fps }, report) => ({
    conclude() {
      for (const [position, frames] of lengths.entries()) report.rank(position, frames / fps)
    },
  }),
}
