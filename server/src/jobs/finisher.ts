import type { Database } from '../db/database.ts'
import { type Success, succeedJobs } from './statements/succeed-jobs.ts'

/** Makes one job succeed; false when its claim does not hold or a cancel was answered. */
export type Finisher = (success: Success) => Promise<boolean>

interface Waiting {
  success: Success
  resolve(done: boolean): void
  reject(error: unknown): void
}

const batchSize = 500

/**
 * Jobs of one worker that end while a statement is under way share the next one: many short jobs cost few commits,
 * and one alone waits for nobody. Only for jobs without a publication; those have a transaction each.
 */
export const createFinisher = (db: Database): Finisher => {
  let waiting: Waiting[] = []
  let isBusy = false

  const settle = async (batch: Waiting[]): Promise<void> => {
    try {
      const done = await succeedJobs(
        db,
        batch.map(({ success }) => success),
      )
      for (const { success, resolve } of batch) resolve(done.has(success.claim.id))
    } catch (error) {
      // One of them may be to blame: each is told by a statement of its own.
      if (batch.length > 1) for (const one of batch) await settle([one])
      else for (const { reject } of batch) reject(error)
    }
  }
  const work = async (): Promise<void> => {
    isBusy = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      await settle(batch)
    }
    isBusy = false
  }

  return (success) =>
    new Promise((resolve, reject) => {
      waiting.push({ success, resolve, reject })
      if (!isBusy) void work()
    })
}
