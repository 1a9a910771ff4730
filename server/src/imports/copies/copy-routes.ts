import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import { invalidValue } from '../../errors.ts'
import { defineRoute, Reply } from '../../http/route.ts'
import { item } from '../../http/schemas.ts'
import { checkKey } from '../../versions/idempotency.ts'
import { importJob, presentImport } from '../record.ts'
import { copyVersionBody, createImportHeaders } from '../request.ts'
import { copyVersion } from './copies.ts'

export const copyRoutes = [
  defineRoute({
    id: 'copyVersion',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy',
    tag: 'Exports',
    summary: 'Copy a version into a project as a dataset',
    description:
      'Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202.',
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
        throw invalidValue(['body', 'project_slug'], 'also give the project of org_slug', null)
    },
    async handle(context, { caller, params, body, headers }) {
      const keyed = { ...body, idempotency_key: body.idempotency_key ?? headers['idempotency-key'] ?? null }
      const { row, replayed } = await copyVersion(context, caller, params, keyed)
      const answer = { item: presentImport(row) }
      return replayed ? new Reply(answer, { status: 200, headers: { 'idempotency-replayed': 'true' } }) : answer
    },
  }),
]
