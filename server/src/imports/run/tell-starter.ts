import type { Losses } from '../../datasets/losses.ts'
import type { Transaction } from '../../db/database.ts'
import type { Job } from '../../jobs/job.ts'
import { type NotificationRequest, notify } from '../../notifications/service.ts'
import type { ImportRow } from '../repository.ts'

/** Whoever started an import is told of what it could not bring, by the switch for failed imports: nothing of it, or a part. */
const tell = (
  trx: Transaction,
  row: ImportRow,
  orgId: string,
  said: Pick<NotificationRequest, 'severity' | 'title' | 'detail'>,
) =>
  row.createdBy === null
    ? undefined
    : notify(trx, {
        kind: 'import_fail',
        userIds: [row.createdBy],
        orgId,
        projectId: row.projectId,
        resourceKind: 'import',
        resourceId: row.id,
        path: `/orgs/${row.orgSlug}/projects/${row.projectSlug}/imports/${row.id}`,
        ...said,
      })

export async function tellOfFailure(trx: Transaction, row: ImportRow, job: Job): Promise<void> {
  const title = `The import of ${row.shownTitle} into ${row.orgSlug}/${row.projectSlug} failed.`
  await tell(trx, row, job.orgId, { severity: 'error', title, detail: job.errorMessage ?? '' })
}

export async function tellOfLosses(trx: Transaction, row: ImportRow, orgId: string, losses: Losses): Promise<void> {
  const title = `Imported, ${describeLosses(losses)}: ${row.shownTitle} in ${row.orgSlug}/${row.projectSlug}.`
  await tell(trx, row, orgId, { severity: 'warning', title, detail: losses.first_reason })
}

/** "48 of 50 episodes left out, 2 cameras, features or files dropped". */
function describeLosses({ episodes_found: found, episodes_left_out: left, dropped }: Losses): string {
  const things = dropped === 1 ? 'camera, feature or file' : 'cameras, features or files'
  return [
    ...(left > 0 ? [`${left} of ${found} episodes left out`] : []),
    ...(dropped > 0 ? [`${dropped} ${things} dropped`] : []),
  ].join(', ')
}
