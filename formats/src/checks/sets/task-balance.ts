import type { Rule } from '../rule.ts'
import { countTasks } from './task-counts.ts'

export const taskBalance: Rule = {
  id: 'task-balance',
  family: 'sets',
  kind: 'flag',
  isOfSet: true,
  severity: 'info',
  unit: 'times the smallest task',
  cutOff: 10,
  found: 'above',
  loosest: 3,
  sentence: 'The task with the most episodes has more than this many times as many as the one with the fewest.',
  remedy: 'Weigh or sample the tasks when training, or record more of the rare ones.',
  begin: (set, report) => ({
    conclude() {
      const counts = countTasks(set).sort((a, b) => b.count - a.count)
      const [most, least] = [counts[0], counts.at(-1)]
      if (!most || !least || counts.length < 2) return
      const factor = most.count / Math.max(1, least.count)
      if (factor > report.cutOff)
        report.flag(
          {},
          factor,
          `${JSON.stringify(most.text)} has ${most.count} episodes, ${JSON.stringify(least.text)} has ${least.count}.`,
        )
    },
  }),
}
