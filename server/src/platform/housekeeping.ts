import type { Context } from '../context.ts'
import { describeError } from '../errors.ts'
import { deleteExpiredSignIns } from '../identity/local-accounts.ts'
import { deleteUsersPastGrace } from '../identity/users/service.ts'
import { listActiveJobs } from '../jobs/statements/list-active-jobs.ts'
import { deleteOrgsPastGrace } from '../organizations/service.ts'
import { collectBlobs, collectRuns } from '../storage/collection.ts'

const everyMs = 3_600_000
const unfinishedHours = 24

/** What must happen by itself and may happen in any process, also in several at once: each task is one idempotent statement. */
export function startHousekeeping({ db, storage, log }: Context): { stop(): Promise<void> } {
  const tasks: Record<string, () => Promise<unknown>> = {
    'accounts past their grace period': () => deleteUsersPastGrace(db),
    'organizations past their grace period': () => deleteOrgsPastGrace(db),
    'sign-ins that have run out': () => deleteExpiredSignIns(db),
    'objects nobody needs': () => collectBlobs(db, storage),
    'results of jobs that ended otherwise': () =>
      collectRuns(db, storage, { listActiveJobs: (ids) => listActiveJobs(db, ids) }),
    'unfinished writes of killed processes': () =>
      storage.sweepUnfinished(new Date(Date.now() - unfinishedHours * 3_600_000)),
  }
  const runAll = async (): Promise<void> => {
    for (const [name, run] of Object.entries(tasks)) {
      try {
        await run()
      } catch (error) {
        log.error({ task: name, error: describeError(error) }, 'housekeeping failed')
      }
    }
  }
  let current = Promise.resolve()
  const timer = setInterval(() => {
    current = current.then(runAll)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await current
    },
  }
}
