import { findUsual } from '../../statistics/usual.ts'
import type { Rule } from '../rule.ts'

const minEpisodes = 5
/** However much the others differ among themselves, the cut-off to this power is far. */
const farPower = 1.4

export const pathLength: Rule = {
  id: 'path-length',
  family: 'motion',
  kind: 'flag',
  severity: 'warning',
  unit: 'times the median of the task',
  cutOff: 2.5,
  found: 'from',
  loosest: 1.8,
  sentence:
    'How far the arm moves in all, against the median of its task; found from this factor on, up or down, where it is also far from the others.',
  remedy: 'Look whether the task was done, or done more than once.',
  begin: ({ lengths, tasks, taskOf }, report) => {
    const paths = new Float64Array(lengths.length)
    return {
      look({ position, traces }) {
        // What noise adds to a step cancels out over a window.
        if (traces) paths[position] = addUp(traces.drifts)
      },
      conclude() {
        for (const task of tasks.keys()) {
          const members = Array.from(lengths.keys()).filter((position) => taskOf[position] === task)
          const moved = members.filter((position) => (paths[position] as number) > 0)
          if (moved.length < minEpisodes) continue
          const logs = Float64Array.from(moved, (position) => Math.log(paths[position] as number))
          const { median, far } = findUsual(logs)
          for (const [index, position] of moved.entries()) {
            const away = (logs[index] as number) - median
            const factor = Math.exp(away)
            report.rank(position, factor)
            const until = Math.exp(Math.abs(away) < far ? Math.abs(away) / farPower : Math.abs(away))
            if (until < report.cutOff) continue
            const sentence = `The arm moves ${factor.toPrecision(2)} times as far as is usual for its task.`
            const frames = [0, lengths[position] as number] as const
            report.flag({ position, frames }, factor, sentence, until)
          }
        }
      },
    }
  },
}

function addUp(values: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] as number
  return sum
}
