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
import { expirePushes, listUnfinishedImports } from '../repository.ts'
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
  const dataset = await findDatasetBySlug(db, project.id, slug)
  if (dataset) {
    await requestDatasetDeletion(db, caller, dataset, slug)
    return
  }
  await inTransaction(db, async (trx) => {
    // Else the dataset that an import makes of it would be there again.
    for (const id of await listUnfinishedImports(trx, project.id, slug))
      if (grants.org && grants.project) await cancelImport(trx, caller, grants.org, grants.project, id)
    const count = await expirePushes(trx, project.id, slug)
    await forgetNames(trx, project.id, slug)
    await recordAudit(trx, caller, {
      action: 'repository.delete',
      resource: { kind: 'project', id: project.id },
      ...(grants.org ? { orgId: grants.org.id } : {}),
      detail: { slug, pushes: count },
    })
  })
}
