import { presentListedImport } from '../imports/record.ts'
import { findImportById, importJobKind } from '../imports/service.ts'
import type { EventPresenter } from './event-presenter.ts'
import { mayReadProject } from './may-read-project.ts'

/** An import as the list shows it, for whoever may read its project at this moment. */
export const importPresenter: EventPresenter = {
  jobKind: importJobKind,
  event: 'import',
  async present({ db }, principal, jobId) {
    const row = await findImportById(db, jobId)
    if (!row) return undefined
    const place = { orgSlug: row.orgSlug, projectSlug: row.projectSlug }
    return (await mayReadProject(db, principal, place)) ? presentListedImport(row) : undefined
  },
}
