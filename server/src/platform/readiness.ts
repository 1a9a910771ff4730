import type { Context } from '../context.ts'
import { pingDatabase } from '../db/database.ts'
import { describeError } from '../errors.ts'
import { checkStoreId } from '../storage/store-id.ts'

const deadlineMs = 3000

/** Each part the service cannot do without, with `ok` or what is wrong with it. */
export async function checkReadiness({ db, storage, log }: Context): Promise<Record<string, string>> {
  const checks: Record<string, () => Promise<unknown>> = {
    database: () => pingDatabase(db),
    storage: () => checkStoreId(db, storage),
  }
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, look]) => {
      try {
        await withDeadline(look())
        return [name, 'ok'] as const
      } catch (error) {
        log.warn({ check: name, error: describeError(error) }, 'not ready')
        return [name, 'does not answer'] as const
      }
    }),
  )
  return Object.fromEntries(results)
}

/** Whether something can be stored: where the disk is full, reading goes on. */
export async function canWrite({ diskReserve }: Context): Promise<boolean> {
  try {
    await diskReserve.requireRoom(0)
    return true
  } catch {
    return false
  }
}

const withDeadline = <T>(work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer in ${deadlineMs} ms`)), deadlineMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
