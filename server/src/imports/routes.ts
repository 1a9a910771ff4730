import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../access/access.ts'
import { defineRoute, Reply } from '../http/route.ts'
import {
  idempotencyFingerprint,
  idempotencyKey,
  item,
  nullable,
  oneOf,
  page,
  projectParams,
  timestamp,
} from '../http/schemas.ts'
import { importJob, importStatuses, presentImport, presentListedImport } from './record.ts'
import { importReport } from './report/report.ts'
import { getPreviewUrl, readReport } from './report/results.ts'
import {
  checkCreateImport,
  createImportBody,
  createImportHeaders,
  hfRepoId,
  hfRevision,
  hfToken,
  readIdempotencyKey,
  retryImportBody,
} from './request.ts'
import {
  cancelImport,
  createImport,
  dismissImport,
  getImport,
  listImports,
  lookupImport,
  retryImport,
} from './service.ts'
import { checkRepository } from './sources/hub-check.ts'

const importsPath = '/api/v1/orgs/{org_slug}/projects/{project_slug}/imports'
const jobParams = Type.Object({ org_slug: Type.String(), project_slug: Type.String(), job_id: Type.String() })

export const importRoutes = [
  defineRoute({
    id: 'createImport',
    method: 'POST',
    path: importsPath,
    tag: 'Imports',
    summary: 'Import a dataset',
    description:
      'Queues a job that brings data into the project: from Hugging Face (`hf_repo_id`), from finished uploads (`upload_ids`) or from an https address (`source_uri`). On success the dataset `dataset_slug` is created, or gets a new revision. With an idempotency key (body field or `Idempotency-Key` header) the same request returns the same job: 200 with `Idempotency-Replayed: true` instead of 201.',
    credentials: ['imports:write'],
    access: projectEditor,
    params: projectParams,
    headers: createImportHeaders,
    body: createImportBody,
    // Of many uploads: 20,000 at most.
    bodyBounds: { mostBytes: 1 << 20, mostValues: 50_000 },
    response: item(importJob),
    status: 201,
    errors: ['idempotency_key_reuse', 'slug_taken', 'conflict', 'source_not_allowed'],
    checkForm: ({ body, headers }) => checkCreateImport(body, headers),
    async handle(context, { caller, org, project, body, headers }) {
      const keyed = { ...body, idempotency_key: readIdempotencyKey(body, headers) }
      const { row, replayed } = await createImport(context, caller, org, project, keyed)
      const answer = { item: presentImport(row) }
      return replayed ? new Reply(answer, { status: 200, headers: { 'idempotency-replayed': 'true' } }) : answer
    },
  }),
  defineRoute({
    id: 'listImports',
    method: 'GET',
    path: importsPath,
    tag: 'Imports',
    summary: 'List the imports of a project, newest first',
    description: 'Lists inside an HDF5 summary are cut to 20 entries here; `getImport` returns them in full.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    query: Type.Object({
      status: Type.Optional(oneOf(importStatuses)),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the id, dataset slug, title, source or idempotency key.',
        }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'The `next_cursor` of the previous page.' }),
      ),
    }),
    response: page(importJob),
    async handle({ db }, { project, query }) {
      const { rows, nextCursor } = await listImports(db, project.id, query)
      return { items: rows.map(presentListedImport), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'lookupImport',
    method: 'POST',
    path: `${importsPath}/lookup`,
    tag: 'Imports',
    summary: 'Find an import by its idempotency key',
    description: 'Changes nothing. A fingerprint that differs from the stored one is a 409.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    headers: Type.Object({ authorization: Type.Optional(nullable(Type.String())) }),
    body: Type.Object(
      {
        idempotency_key: idempotencyKey,
        idempotency_fingerprint: Type.Optional(nullable(idempotencyFingerprint)),
      },
      { $id: 'WorkspaceImportIdempotencyLookup' },
    ),
    response: item(importJob),
    errors: ['idempotency_key_reuse'],
    async handle({ db }, { project, body }) {
      const { idempotency_key: key, idempotency_fingerprint: fingerprint = null } = body
      return { item: presentImport(await lookupImport(db, project.id, key, fingerprint)) }
    },
  }),
  defineRoute({
    id: 'checkHuggingFace',
    method: 'POST',
    path: `${importsPath}/check`,
    tag: 'Imports',
    summary: 'Look at a Hugging Face repository before importing it',
    description: 'Nothing is stored. `sentence` says whether it can be imported, and if not, what to do.',
    credentials: ['imports:write'],
    access: projectEditor,
    params: projectParams,
    body: Type.Object(
      {
        hf_repo_id: hfRepoId,
        hf_revision: Type.Optional(nullable(hfRevision)),
        hf_token: Type.Optional(nullable(hfToken)),
      },
      { $id: 'CheckHuggingFace' },
    ),
    response: item(
      Type.Object(
        {
          exists: Type.Boolean(),
          private: Type.Boolean(),
          gated: Type.Boolean(),
          revision: nullable(Type.String({ description: 'The commit that an import would read.' })),
          codebase_version: nullable(Type.String()),
          total_bytes: nullable(Type.Integer()),
          file_count: nullable(Type.Integer()),
          sentence: Type.String(),
        },
        { $id: 'HuggingFaceCheck' },
      ),
    ),
    errors: ['source_unavailable'],
    async handle(context, { body, signal }) {
      const { hf_repo_id: repoId, hf_revision: revision = null, hf_token: token = null } = body
      const { codebaseVersion, totalBytes, fileCount, ...check } = await checkRepository(
        context,
        { repoId, revision, token },
        signal,
      )
      return {
        item: { ...check, codebase_version: codebaseVersion, total_bytes: totalBytes, file_count: fileCount },
      }
    },
  }),
  defineRoute({
    id: 'getImport',
    method: 'GET',
    path: `${importsPath}/{job_id}`,
    tag: 'Imports',
    summary: 'Get an import',
    description: 'The full record: status, progress, losses, previews and, for HDF5 sources, a summary of the files.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: jobParams,
    response: item(importJob),
    async handle({ db }, { project, params }) {
      return { item: presentImport(await getImport(db, project.id, params.job_id)) }
    },
  }),
  defineRoute({
    id: 'cancelImport',
    method: 'POST',
    path: `${importsPath}/{job_id}/cancel`,
    tag: 'Imports',
    summary: 'Cancel an import',
    description:
      'A queued import is canceled at once. A running one keeps the status `running` until its worker has stopped, which takes seconds; after this answer it can no longer succeed. Canceling twice returns the same record.',
    credentials: ['imports:write'],
    access: projectEditor,
    params: jobParams,
    response: item(importJob),
    errors: ['import_already_finished'],
    async handle({ db }, { caller, org, project, params }) {
      return { item: presentImport(await cancelImport(db, caller, org, project, params.job_id)) }
    },
  }),
  defineRoute({
    id: 'dismissImport',
    method: 'POST',
    path: `${importsPath}/{job_id}/dismiss`,
    tag: 'Imports',
    summary: 'Dismiss a failed import',
    description:
      'For a failure that has been seen to: `dismissed_at` says when, and the console no longer counts it. The record, its report and a retry stay. `{"dismissed": false}` takes it back.',
    credentials: ['imports:write'],
    access: projectEditor,
    params: jobParams,
    body: Type.Object({ dismissed: Type.Boolean({ default: true }) }, { $id: 'DismissImport' }),
    response: item(importJob),
    errors: ['import_not_finished', 'conflict'],
    async handle({ db }, { caller, org, project, params, body }) {
      return {
        item: presentImport(await dismissImport(db, caller, { org, project }, params.job_id, body.dismissed)),
      }
    },
  }),
  defineRoute({
    id: 'retryImport',
    method: 'POST',
    path: `${importsPath}/{job_id}/retry`,
    tag: 'Imports',
    summary: 'Run a finished import again',
    description:
      'A new import with the same source, options and target; `retry_of` names the old one. Options that you send replace the old ones, for example to import with another frame rate. A token for the source is never stored, so send it again if it is needed.',
    credentials: ['imports:write'],
    access: projectEditor,
    params: jobParams,
    body: retryImportBody,
    response: item(importJob),
    status: 201,
    errors: ['import_not_finished', 'slug_taken', 'conflict'],
    async handle(context, { caller, org, project, params, body }) {
      const change = { hfToken: body.hf_token ?? null, options: body.options ?? {} }
      return {
        item: presentImport(await retryImport(context, caller, { org, project }, params.job_id, change)),
      }
    },
  }),
  defineRoute({
    id: 'getImportReport',
    method: 'GET',
    path: `${importsPath}/{job_id}/report`,
    tag: 'Imports',
    summary: 'What an import found, repaired and left out',
    description: 'Available once the first attempt has ended, for failed imports too.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: jobParams,
    response: item(importReport),
    async handle(context, { org, project, params }) {
      return { item: await readReport(context, org.id, project.id, params.job_id) }
    },
  }),
  defineRoute({
    id: 'getImportPreviewUrl',
    method: 'GET',
    path: `${importsPath}/{job_id}/previews/{name}`,
    tag: 'Imports',
    summary: 'Get a signed address of a preview',
    description: '`name` is the last part of the `path` of a preview asset. The address works for 15 minutes.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: Type.Object({
      org_slug: Type.String(),
      project_slug: Type.String(),
      job_id: Type.String(),
      name: Type.String(),
    }),
    response: Type.Object({ url: Type.String(), expires_at: timestamp }),
    handle: (context, { org, project, params }) =>
      getPreviewUrl(context, org.id, project.id, params.job_id, params.name),
  }),
]
