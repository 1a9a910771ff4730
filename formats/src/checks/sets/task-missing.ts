import type { Rule } from '../rule.ts'
import { countTasks } from './task-counts.ts'

export const taskMissing: Rule = {
  id: 'task-missing',
  family: 'sets',
  kind: 'flag',
  isOfSet: true,
  severity: 'info',
  unit: 'episodes',
  cutOff: 0,
  found: 'above',
  loosest: 0,
  sentence: 'More than this many episodes have no text of a task.',
  remedy: 'Write the task (an annotation set, or `--task` at the import): policies that read language need it.',
  begin: (set, report) => ({
    conclude() {
      const empty = countTasks(set).filter(({ text }) => text.trim() === '')
      const count = empty.reduce((sum, task) => sum + task.count, 0)
      if (count > report.cutOff)
        report.flag({}, count, `${count} of ${set.episodeCount} episodes have no text of a task.`)
    },
  }),
}
