import type { Caller } from '../../../server/src/access/principal.ts'
import type { Context } from '../../../server/src/context.ts'
import { inTransaction } from '../../../server/src/db/database.ts'
import { signOperatorSession } from '../../../server/src/identity/sessions.ts'
import { createUser } from '../../../server/src/identity/users/service.ts'
import { addOrgMember } from '../../../server/src/organizations/service.ts'
import { createVersion } from '../../../server/src/versions/creation.ts'

export interface MemberAndVersion {
  bearer: string
  versionId: string
}

/** A member, and a version of a generated dataset that keeps one camera: its rows do not exist, so the recipe keeps all episodes. */
export async function addVersion(context: Context, orgId: string, datasetId: string): Promise<MemberAndVersion> {
  const { db, publicUrl } = context
  const user = await inTransaction(db, (trx) =>
    createUser(trx, 'operator', { email: 'b@example.org', displayName: '' }),
  )
  await addOrgMember(db, orgId, user.id, 'admin')
  const session = { db, secrets: context.secrets, publicUrl, userId: user.id, email: user.email, minutes: 600 }
  const caller: Caller = {
    kind: 'session',
    userId: user.id,
    email: user.email,
    hasSecondProof: false,
    sessionId: '',
    expiresAt: new Date(Date.now() + 600_000),
    requestId: 'bench',
  }
  const { row } = await createVersion(
    context,
    caller,
    { id: orgId, slug: 'bench', role: 'admin' },
    {
      slug: 'derived',
      name: 'Derived',
      project_slug: 'bench',
      source: { dataset_kind: 'project', dataset_id: datasetId },
      recipe: { camera_keys: ['observation.images.front'] },
    },
    null,
  )
  return { bearer: await signOperatorSession(session), versionId: row.id }
}
