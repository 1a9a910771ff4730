import type { Rule } from '../rule.ts'
import { rangeOf } from '../set-facts.ts'

const named = 8

export const constantDimension: Rule = {
  id: 'constant-dimension',
  family: 'signals',
  kind: 'flag',
  isOfSet: true,
  severity: 'info',
  unit: 'dimensions',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence: 'More than this many dimensions of state or action have one value in the whole set.',
  remedy: 'Leave them out (`features`), or find out why nothing was recorded: normalisation divides by their spread.',
  begin: ({ state, action, episodeCount }, report) => ({
    conclude() {
      for (const facts of [state, action]) {
        if (!facts || episodeCount === 0) continue
        const dead = facts.labels.filter((_, dimension) => rangeOf(facts, dimension) === 0)
        if (dead.length <= report.cutOff) continue
        const more = dead.length > named ? ` and ${dead.length - named} more` : ''
        const sentence = `${dead.length} of ${facts.width} dimensions of ${facts.name} never change: ${dead.slice(0, named).join(', ')}${more}.`
        report.flag({ feature: facts.name }, dead.length, sentence)
      }
    },
  }),
}
