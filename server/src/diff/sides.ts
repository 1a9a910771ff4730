import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { findReadable, getRevision } from '../datasets/service.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import * as repository from './repository.ts'

const revisionPrefix = 'rev_'
const known = /^(ds|ver|rev)_/

/** What an id names, as the caller may read it: a dataset as it is shown now, one of its revisions, or a version. */
export async function openSide(
  context: Context,
  principal: Principal,
  parameter: 'from' | 'to',
  id: string,
): Promise<SeenDataset> {
  if (!known.test(id))
    throw invalidValue(
      ['query', parameter],
      'an id of a dataset (ds_…), a revision (rev_…) or a version (ver_…) is expected',
      id,
    )
  if (!id.startsWith(revisionPrefix)) return findReadable(context, principal, id)
  const revision = await getRevision(context.db, id)
  const seen = await findReadable(context, principal, revision.datasetId)
  // What was published later says nothing of what came before.
  const isOpen = seen.role !== null || (await repository.isPublicRevision(context.db, id))
  if (!isOpen) throw notFound()
  if (seen.dataset.deletionRequestedAt)
    throw new ServiceError('conflict', `The dataset ${seen.dataset.slug} is being deleted. Restore it to compare it.`)
  return { ...seen, revision }
}
