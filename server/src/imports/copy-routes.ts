import { Type } from 'typebox'
import { signedIn } from '../access/access.ts'
import { invalidValue } from '../errors.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { item } from '../http/schemas.ts'
import { checkKey } from '../versions/idempotency.ts'
import { copyVersion } from './copies.ts'
import { importJob, presentImport } from './record.ts'
import { copyVersionBody, createImportHeaders } from './request.ts'

export const copyRoutes = [
  defineRoute({
    id: 'copyVersion',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy',
    tag: 'Exports',
    summary: 'Copy a version into a project as a dataset',
    description:
      'For whoever may read the version, into a project they may write to: `project_slug` of `org_slug`, or the version’s own. Queues an import of the kind `version`, which goes on as every import does; where the version has no files yet, their export is queued and the import waits for it. What comes of it is a dataset of its own, which needs neither the version nor its source: with the version’s name as title unless one is given, its card, splits, flags and annotation sets. `copied_from` of the import says what it was made from. A token needs `workspace:read` too where the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request answers the same import: 200 with `Idempotency-Replayed: true` instead of 202.',
    credentials: ['imports:write'],
    access: signedIn,
    params: Type.Object({ org_slug: Type.String(), version_id: Type.String() }),
    headers: createImportHeaders,
    body: copyVersionBody,
    response: item(importJob),
    status: 202,
    errors: ['not_found', 'insufficient_role', 'idempotency_key_reuse', 'slug_taken', 'conflict', 'quota_exceeded'],
    checkForm: ({ body, headers }) => {
      checkKey(body, headers)
      if (body.org_slug && !body.project_slug)
        throw invalidValue(['body', 'project_slug'], 'name the project of org_slug too', null)
    },
    async handle(context, { principal, params, body, headers, requestId }) {
      const keyed = { ...body, idempotency_key: body.idempotency_key ?? headers['idempotency-key'] ?? null }
      const { row, replayed } = await copyVersion(context, principal, params, keyed, requestId)
      const answer = { item: presentImport(row) }
      return replayed ? new Reply(answer, { status: 200, headers: { 'idempotency-replayed': 'true' } }) : answer
    },
  }),
]
