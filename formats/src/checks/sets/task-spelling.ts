import type { Rule } from '../rule.ts'
import { differBySpelling } from './spelling.ts'
import { countTasks } from './task-counts.ts'

const maxTasks = 2000

export const taskSpelling: Rule = {
  id: 'task-spelling',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'episodes',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence:
    'Texts of tasks differ only by capitals, spaces and punctuation, or by a letter of a long word; the rarer has more than this many episodes.',
  remedy: 'Write one text for both (`map.tasks`, or an annotation set): they are two tasks to a policy.',
  begin: (set, report) => ({
    conclude() {
      const counted = countTasks(set)
        .filter(({ text }) => text.trim() !== '')
        .sort((a, b) => b.count - a.count || a.first - b.first)
        .slice(0, maxTasks)
      for (const [index, rare] of counted.entries()) {
        const usual = counted.slice(0, index).find(({ text }) => differBySpelling(text, rare.text))
        if (!usual || rare.count <= report.cutOff) continue
        const sentence = `${JSON.stringify(rare.text)} (${rare.count} episodes) and ${JSON.stringify(usual.text)} (${usual.count}) differ by spelling only.`
        report.flag({ position: rare.first }, rare.count, sentence)
      }
    },
  }),
}
