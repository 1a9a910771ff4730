import { Type } from 'typebox'
import { orgMember } from '../access/access.ts'
import { requireSessionToPublish } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item, oneOf } from '../http/schemas.ts'
import { presentVersion } from '../versions/present.ts'
import { versionRecord } from '../versions/record.ts'
import { versionName, versionParams, versionsPath } from '../versions/routes.ts'
import { changeVersion } from './version-change.ts'
import { deleteVersion } from './version-deletion.ts'

/** What happens to a version and to the files that were made of it. */
export const changedVersionRoutes = [
  defineRoute({
    id: 'changeVersion',
    method: 'PATCH',
    path: `${versionsPath}/{version_id}`,
    tag: 'Exports',
    summary: 'Edit the details of a version, or publish or withdraw it',
    description:
      'Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media.',
    credentials: ['versions:write'],
    access: orgMember,
    params: versionParams,
    body: Type.Object(
      {
        name: Type.Optional(versionName),
        description: Type.Optional(Type.String({ maxLength: 10_000 })),
        tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 })),
        visibility: Type.Optional(oneOf(['private', 'public'])),
      },
      { $id: 'ChangeVersion' },
    ),
    response: item(versionRecord),
    errors: ['insufficient_role', 'session_required', 'conflict', 'quota_exceeded'],
    async handle(context, { caller, org, params, body }) {
      requireSessionToPublish(caller, body)
      const row = await changeVersion(context, caller, org, params.version_id, body)
      return { item: presentVersion(row) }
    },
  }),
  defineRoute({
    id: 'deleteVersion',
    method: 'DELETE',
    path: `${versionsPath}/{version_id}`,
    tag: 'Exports',
    summary: 'Delete a version and its exports',
    description:
      'Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted.',
    credentials: ['versions:write'],
    access: orgMember,
    params: versionParams,
    response: item(versionRecord),
    errors: ['insufficient_role'],
    async handle({ db }, { caller, org, params }) {
      return { item: presentVersion(await deleteVersion(db, caller, org, params.version_id)) }
    },
  }),
]
