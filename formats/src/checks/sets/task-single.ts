import type { Rule } from '../rule.ts'
import { countTasks } from './task-counts.ts'

export const taskSingle: Rule = {
  id: 'task-single',
  family: 'sets',
  kind: 'flag',
  severity: 'info',
  unit: 'episodes',
  cutOff: 1,
  found: 'up-to',
  loosest: 3,
  sentence: 'A task has this many episodes or fewer, in a set of several tasks.',
  remedy: 'Record more of it, or leave it out: nothing can be learned or held out from one demonstration.',
  begin: (set, report) => ({
    conclude() {
      if (set.tasks.length < 2) return
      for (const { text, count, first } of countTasks(set)) {
        if (count > report.cutOff || text.trim() === '') continue
        const said = count === 1 ? 'one episode' : `${count} episodes`
        report.flag({ position: first }, count, `The task ${JSON.stringify(text)} has ${said}.`)
      }
    },
  }),
}
