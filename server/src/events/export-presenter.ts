import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { presentExport } from '../exports/record.ts'
import { exportJobKind, findExport, shardJobKind } from '../exports/service.ts'
import type { EventPresenter } from './event-presenter.ts'
import { mayReadProject } from './may-read-project.ts'
import { findExportOfShard } from './repository.ts'

const present = async ({ db }: Context, principal: Principal, exportId: string): Promise<object | undefined> => {
  const row = await findExport(db, exportId)
  return row && (await mayReadProject(db, principal, row)) ? presentExport(row) : undefined
}

/** An export for whoever may read its project at this moment. */
export const exportPresenter: EventPresenter = { jobKind: exportJobKind, event: 'export', present }

/** While its parts are encoded, the export itself waits: what moves are they. */
export const shardPresenter: EventPresenter = {
  jobKind: shardJobKind,
  event: 'export',
  async present(context, principal, shardId) {
    const exportId = await findExportOfShard(context.db, shardId)
    return exportId === undefined ? undefined : present(context, principal, exportId)
  },
}
