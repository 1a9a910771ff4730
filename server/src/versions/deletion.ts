import { recordAudit } from '../audit/service.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { cancelExportsOf } from '../exports/service.ts'
import type { Principal } from '../identity/principal.ts'
import type { OrgGrant } from '../organizations/access.ts'
import { dropBlobs } from '../storage/blobs.ts'
import { artifactOwner, picturesOwner } from './owners.ts'
import * as repository from './repository.ts'
import { getSeenVersion, type Version } from './service.ts'

/** What is made of it stops, what was made of it is collected after the grace time of contents. Its number is not used again. */
export const deleteVersion = (
  db: Database,
  principal: Principal,
  org: OrgGrant,
  id: string,
  requestId: string,
): Promise<Version> =>
  inTransaction(db, async (trx) => {
    const version = await getSeenVersion(trx, principal, org, id, 'editor')
    await cancelExportsOf(trx, id)
    await dropBlobs(trx, artifactOwner(id, org.id))
    await dropBlobs(trx, picturesOwner(id, org.id))
    await repository.deleteVersion(trx, id)
    await recordAudit(trx, principal, {
      action: 'version.delete',
      resource: { kind: 'version', id },
      orgId: org.id,
      detail: { slug: version.slug, version: version.version },
      requestId,
    })
    return version
  })

/** Housekeeping: what was made of versions that went with their project or organization. */
export async function dropOrphanedArtifacts(db: Database): Promise<number> {
  const owners = await repository.listOrphanedOwners(db, 1_000)
  for (const owner of owners) await inTransaction(db, (trx) => dropBlobs(trx, owner))
  return owners.length
}
