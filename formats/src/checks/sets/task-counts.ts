import type { SetFacts } from '../set-facts.ts'

export interface CountedTask {
  readonly text: string
  readonly count: number
  /** Position of its first episode. */
  readonly first: number
}

/** Every task with its episodes, by the first task of each. */
export function countTasks({ tasks, taskOf }: SetFacts): CountedTask[] {
  const counts = tasks.map((text) => ({ text, count: 0, first: -1 }))
  for (const [position, task] of taskOf.entries()) {
    const counted = counts[task]
    if (!counted) continue
    if (counted.count === 0) counted.first = position
    counted.count++
  }
  return counts
}
