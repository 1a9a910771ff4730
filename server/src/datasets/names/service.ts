/** Datasets and versions of a project share one set of names: whoever makes one of either asks here, in the transaction that makes it. */
import type { Database, Transaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { findDataset } from '../repository.ts'
import * as repository from './repository.ts'

/** Refuses where a version holds the name. A dataset that has it already gets a new revision. */
export async function claimDatasetName(trx: Transaction, projectId: string, slug: string): Promise<void> {
  await repository.lockSlug(trx, projectId, slug)
  if (await repository.hasVersionOf(trx, projectId, slug))
    throw new ServiceError(
      'slug_taken',
      `The project already has a derived version called ${slug}. Choose another slug.`,
    )
}

/** The same, said before hours of work rather than after; the publication asks again. */
export async function checkDatasetName(trx: Transaction, projectId: string, slug: string): Promise<void> {
  const dataset = await findDataset(trx, projectId, slug)
  if (dataset?.deletionRequestedAt)
    throw new ServiceError(
      'conflict',
      `The dataset ${slug} is being deleted. Restore it, or choose another slug until it is gone.`,
    )
  await claimDatasetName(trx, projectId, slug)
}

/** Refuses where a dataset holds the name; versions of one name are numbered. */
export async function claimVersionName(trx: Transaction, projectId: string, slug: string): Promise<void> {
  await repository.lockSlug(trx, projectId, slug)
  if (await findDataset(trx, projectId, slug))
    throw new ServiceError('slug_taken', `The project already has a dataset called ${slug}. Choose another slug.`)
}

/** Until the transaction ends nobody else takes any of the names. */
export async function lockNames(trx: Transaction, projectId: string, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs.toSorted()) await repository.lockSlug(trx, projectId, slug)
}

/** By what something goes now that had this name before it was renamed; undefined where nothing had. */
export const findPresentName = (db: Database, projectId: string, slug: string): Promise<string | undefined> =>
  repository.findPresent(db, projectId, slug)

/** For whoever holds both names and renames what is kept under the first. */
export const passName = (trx: Transaction, projectId: string, from: string, to: string): Promise<void> =>
  repository.passName(trx, projectId, from, to)

/** For whoever removes what has the name. */
export const forgetNames = (trx: Transaction, projectId: string, slug: string): Promise<void> =>
  repository.forgetNames(trx, projectId, slug)
