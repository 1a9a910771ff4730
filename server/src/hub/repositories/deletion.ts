import { projectAdmin } from '../../access/access.ts'
import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { forgetNames } from '../../datasets/names/service.ts'
import { findDatasetBySlug, requestDatasetDeletion } from '../../datasets/service.ts'
import { inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { cancelImport } from '../../imports/service.ts'
import { authorize } from '../../organizations/service.ts'
import { expirePushes, listUnfinishedImports, lockPushes } from '../repository.ts'
import type { HubRepository } from './repositories.ts'

/**
 * For admins of the project with a session or a token for deleting datasets, as at the API. A dataset leaves the lists now and is gone after the grace period, in
 * which the console takes it back; what was pushed and is no dataset is gone at once, and its import is canceled.
 */
export async function deleteRepository(
  { db }: Context,
  caller: Caller,
  { org, project, slug, main }: HubRepository,
): Promise<void> {
  const grants = await authorize(db, caller, projectAdmin, { org_slug: org, project_slug: project.slug })
  if (main.content.kind === 'version')
    throw new ServiceError(
      'conflict',
      `${slug} is a derived version. Delete it in the console, which shows what depends on it.`,
    )
  await inTransaction(db, async (trx) => {
    const shown = await findDatasetBySlug(trx, project.id, slug)
    if (shown) return requestDatasetDeletion(trx, caller, shown, slug)
    // Else the dataset that an import makes of it would be there again.
    await lockPushes(trx, project.id, slug)
    for (const id of await listUnfinishedImports(trx, project.id, slug))
      if (grants.org && grants.project) await cancelUnlessEnded(trx, caller, grants.org, grants.project, id)
    const published = await findDatasetBySlug(trx, project.id, slug)
    if (published) return requestDatasetDeletion(trx, caller, published, slug)
    const count = await expirePushes(trx, project.id, slug)
    await forgetNames(trx, project.id, slug)
    return recordAudit(trx, caller, {
      action: 'repository.delete',
      resource: { kind: 'project', id: project.id },
      ...(grants.org ? { orgId: grants.org.id } : {}),
      detail: { slug, pushes: count },
    })
  })
}

/** One that ends at this moment is waited for and then has ended: what it published is there to be deleted. */
const cancelUnlessEnded = (...given: Parameters<typeof cancelImport>): Promise<unknown> =>
  cancelImport(...given).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'import_already_finished') throw error
  })
