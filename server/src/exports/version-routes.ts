import { Type } from 'typebox'
import { orgMember } from '../access/access.ts'
import { requireSessionToPublish } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item, oneOf } from '../http/schemas.ts'
import { presentVersion, versionRecord } from '../versions/record.ts'
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
    summary: 'Change what is written beside a version, or publish or withdraw it',
    description:
      'Source and recipe never change. `visibility` needs a session, the role admin of the project, and that you may read the source: `public` puts the version in the catalog under its id, for everybody, also where its source is private: its episodes, its recipe, the name of its source and of the versions in between can then be seen. Its export is queued where it has no files yet. `private` takes it out at once; addresses of its media end with it.',
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
    async handle(context, { principal, org, params, body, requestId }) {
      requireSessionToPublish(principal, body)
      const row = await changeVersion(context, principal, org, params.version_id, body, requestId)
      return { item: presentVersion(row) }
    },
  }),
  defineRoute({
    id: 'deleteVersion',
    method: 'DELETE',
    path: `${versionsPath}/{version_id}`,
    tag: 'Exports',
    summary: 'Delete a version and what was made of it',
    description:
      'Exports under way are canceled. The source dataset is not touched; the version number is not used again. One that versions of the organization are derived from is a 409 until those are gone.',
    credentials: ['versions:write'],
    access: orgMember,
    params: versionParams,
    response: item(versionRecord),
    errors: ['insufficient_role'],
    async handle({ db }, { principal, org, params, requestId }) {
      return { item: presentVersion(await deleteVersion(db, principal, org, params.version_id, requestId)) }
    },
  }),
]
