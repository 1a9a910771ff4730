import type { OrgGrant } from '../access/access.ts'
import type { Caller } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { artifactOwner, picturesOwner } from '../versions/owners.ts'
import {
  deleteVersionRow,
  getSeenVersion,
  listDescendants,
  listOrphanedOwners,
  lockVersion,
  type Version,
} from '../versions/service.ts'
import { cancelExportsOf } from './service.ts'

/** What is made of it stops, what was made of it is collected after the grace time of contents. Its number is not used again. */
export const deleteVersion = (db: Database, caller: Caller, org: OrgGrant, id: string): Promise<Version> =>
  inTransaction(db, async (trx) => {
    const version = await getSeenVersion(trx, caller, org, id, 'editor')
    // Whoever derives one from it right now is waited for.
    await lockVersion(trx, id)
    await refuseDescendants(trx, version)
    await cancelExportsOf(trx, id)
    await dropBlobs(trx, artifactOwner(id, org.id))
    await dropBlobs(trx, picturesOwner(id, org.id))
    await deleteVersionRow(trx, id)
    await recordAudit(trx, caller, {
      action: 'version.delete',
      resource: { kind: 'version', id },
      orgId: org.id,
      detail: { slug: version.slug, version: version.version },
    })
    return version
  })

/**
 * Versions of the organization show what they were derived from, and lead to it. Those of others carry all of its recipes and go on
 * without it, so that nobody else decides how long it stays.
 */
async function refuseDescendants(trx: Transaction, version: Version): Promise<void> {
  const derived = await listDescendants(trx, version.id, version.orgId, mostCounted)
  const [first] = derived
  if (!first) return
  const named = derived.find(({ projectId: id }) => id === version.projectId)
  const example = named ? `, among them ${named.slug} version ${named.version}` : ', in another project'
  const count = derived.length === mostCounted ? `${mostCounted} or more versions are` : countVersions(derived.length)
  throw new ServiceError('conflict', `${count} derived from this one${example}. Delete those first.`)
}

const mostCounted = 100
const countVersions = (count: number): string => (count === 1 ? 'A version is' : `${count} versions are`)

/** Housekeeping: what was made of versions that went with their project or organization. */
export async function dropOrphanedArtifacts(db: Database): Promise<number> {
  const owners = await listOrphanedOwners(db, 1_000)
  for (const owner of owners) await inTransaction(db, (trx) => dropBlobs(trx, owner))
  return owners.length
}
