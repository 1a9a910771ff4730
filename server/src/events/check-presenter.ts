import { findCheckRun, presentCheckRun } from '../checks/run-record.ts'
import { checkJobKind } from '../checks/runs.ts'
import type { EventPresenter } from './event-presenter.ts'
import { mayReadProject } from './may-read-project.ts'

/** A run of the checks for whoever may read its project at this moment; what it found is read by who shows it. */
export const checkPresenter: EventPresenter = {
  jobKind: checkJobKind,
  event: 'check',
  async present({ db }, principal, jobId) {
    const run = await findCheckRun(db, jobId)
    return run && (await mayReadProject(db, principal, run)) ? presentCheckRun(run) : undefined
  },
}
