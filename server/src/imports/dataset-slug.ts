import { findDatasetBySlug } from '../datasets/service.ts'
import type { Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { isSlugOfVersion } from '../versions/service.ts'

/** Said before hours of work rather than after; the publication holds it again. */
export async function checkDatasetSlug(trx: Transaction, projectId: string, slug: string): Promise<void> {
  const dataset = await findDatasetBySlug(trx, projectId, slug)
  if (dataset?.deletion_requested_at)
    throw new ServiceError(
      'conflict',
      `The dataset ${slug} is being deleted. Restore it, or choose another slug until it is gone.`,
    )
  if (await isSlugOfVersion(trx, projectId, slug))
    throw new ServiceError('slug_taken', `A derived version of the project is called ${slug}. Choose another slug.`)
}
