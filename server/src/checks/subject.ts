import type { OrgGrant } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { holdsProjectRole } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { findReadableKind } from '../datasets/readable.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { insufficientRole, notFound } from '../errors.ts'
import type { CheckSubject } from './repository.ts'

/** A version never changes, so it is itself what is checked, exported or not. */
export const subjectOf = ({ dataset, revision, derived }: SeenDataset): CheckSubject => ({
  kind: derived ? 'version' : 'revision',
  id: derived ? dataset.id : revision.id,
  ownerId: dataset.id,
})

/** For an editor of its project. */
export async function openEditedVersion(
  context: Context,
  principal: Principal,
  org: OrgGrant,
  versionId: string,
): Promise<SeenDataset> {
  const seen = await findReadableKind(context, versionId)?.find(context, principal.userId, versionId)
  if (!seen?.role || seen.org.id !== org.id) throw notFound()
  if (!holdsProjectRole(seen.role, 'editor')) throw insufficientRole('editor of the project')
  return seen
}
