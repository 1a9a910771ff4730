import type { ReadModel } from '../datasets/read-model/model.ts'

export interface CountedTask {
  task: string
  fromEpisodes: number
  toEpisodes: number
}

export interface ComparedTasks {
  fromTotal: number
  toTotal: number
  added: number
  removed: number
  /** New and gone ones first, then those whose number of episodes changed the most; a bounded list. */
  listed: CountedTask[]
}

const mostListed = 200

/** Texts, however they are numbered. */
export function compareTasks(from: ReadModel, to: ReadModel): ComparedTasks {
  const counts = new Map<string, CountedTask>()
  const count = (model: ReadModel, side: 'fromEpisodes' | 'toEpisodes'): void => {
    const perTask = new Uint32Array(model.taskCount)
    for (const task of model.columns.taskIds) perTask[task] = (perTask[task] as number) + 1
    for (const [task, episodes] of perTask.entries()) {
      const text = model.getTask(task)
      if (text === '' || episodes === 0) continue
      const known = counts.get(text) ?? { task: text, fromEpisodes: 0, toEpisodes: 0 }
      known[side] += episodes
      counts.set(text, known)
    }
  }
  count(from, 'fromEpisodes')
  count(to, 'toEpisodes')
  const all = [...counts.values()]
  const isNew = ({ fromEpisodes }: CountedTask): boolean => fromEpisodes === 0
  const isGone = ({ toEpisodes }: CountedTask): boolean => toEpisodes === 0
  const rank = (one: CountedTask): number =>
    (isNew(one) || isGone(one) ? Number.MAX_SAFE_INTEGER / 2 : 0) + Math.abs(one.toEpisodes - one.fromEpisodes)
  return {
    fromTotal: all.filter((one) => !isNew(one)).length,
    toTotal: all.filter((one) => !isGone(one)).length,
    added: all.filter(isNew).length,
    removed: all.filter(isGone).length,
    listed: all.sort((one, other) => rank(other) - rank(one) || (one.task < other.task ? -1 : 1)).slice(0, mostListed),
  }
}
