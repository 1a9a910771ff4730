import { findUsual } from '../../statistics/usual.ts'
import type { Rule } from '../rule.ts'

const minEpisodes = 5
/** However much the others differ among themselves, the cut-off to this power is far. */
const farPower = 1.4

export const lengthFar: Rule = {
  id: 'length-far',
  family: 'sets',
  kind: 'flag',
  severity: 'warning',
  unit: 'times the median of the task',
  cutOff: 2.5,
  found: 'from',
  loosest: 1.8,
  sentence:
    'An episode is this many times as long, or as short, as the median of its task, and far from the others by their own spread.',
  remedy: 'Look whether the recording was cut off or left running.',
  begin: ({ lengths, tasks, taskOf, fps }, report) => ({
    conclude() {
      for (const task of tasks.keys()) {
        const members = Array.from(lengths.keys()).filter((position) => taskOf[position] === task)
        if (members.length < minEpisodes) continue
        const logs = Float64Array.from(members, (position) => Math.log(Math.max(1, lengths[position] as number)))
        const { median, far } = findUsual(logs)
        for (const [index, position] of members.entries()) {
          const away = (logs[index] as number) - median
          const until = Math.exp(Math.abs(away) < far ? Math.abs(away) / farPower : Math.abs(away))
          if (until < report.cutOff) continue
          const seconds = (lengths[position] as number) / fps
          const sentence = `It lasts ${seconds.toFixed(1)} s; ${(Math.exp(median) / fps).toFixed(1)} s is the median of its task.`
          const frames = [0, lengths[position] as number] as const
          report.flag({ position, frames }, Math.exp(away), sentence, until)
        }
      }
    },
  }),
}
