import type { JsonObject } from '@nmp/formats/json'
import { Type } from 'typebox'
import { anyone, orgMember } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { item, oneOf, page, pageQuery, timestamp } from '../http/schemas.ts'
import { answerTar, tarHeaders } from '../media/tar-answer.ts'
import { presentVersion } from '../versions/present.ts'
import { versionRecord } from '../versions/record.ts'
import { getSeenVersion } from '../versions/service.ts'
import { targetKeys } from '../versions/targets.ts'
import { openTar } from './artifact-tar.ts'
import { listArtifactFiles, nameArtifact, signArtifact } from './artifacts.ts'
import { exportJob, exportTarget, presentExport } from './record.ts'
import { cancelExport, getExportOf, listExports, queueExport, retryExport } from './service.ts'
import { previewTargets } from './target-preview.ts'
import { parseOptions } from './target-settings.ts'

const versionPath = '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}'
const jobsPath = `${versionPath}/export-jobs`
const versionParams = Type.Object({ org_slug: Type.String(), version_id: Type.String() })
const jobParams = Type.Object({ ...versionParams.properties, job_id: Type.String() })

export const exportRoutes = [
  defineRoute({
    id: 'queueExport',
    method: 'POST',
    path: jobsPath,
    tag: 'Exports',
    summary: 'Materialize artifacts of a version',
    description:
      'Queues a job per artifact. An artifact that is queued, running or ready keeps its job, which is returned; a key sent twice makes one job. Other targets than `lerobot` are made from its files, so that one is queued too where it is not made. A target that is ready is made anew if its options differ; while it is being made, that is a 409.',
    credentials: ['exports:write'],
    access: orgMember,
    params: versionParams,
    body: Type.Object(
      {
        artifact_keys: Type.Array(oneOf(targetKeys), { minItems: 1, maxItems: 100 }),
        options: Type.Optional(
          Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
            description:
              'By artifact key, e.g. `{"openpi-norm-stats": {"horizon": 50}}`; `GET …/export-targets` has what each takes.',
          }),
        ),
      },
      { $id: 'QueueExport' },
    ),
    response: Type.Object({ item: versionRecord, jobs: Type.Array(exportJob) }),
    errors: ['insufficient_role', 'conflict', 'quota_exceeded'],
    async handle(context, { caller, org, params, body }) {
      const version = await getSeenVersion(context.db, caller, org, params.version_id, 'editor')
      const queued = await queueExport(context, caller, {
        version,
        artifactKeys: body.artifact_keys,
        options: (body.options ?? {}) as Record<string, JsonObject>,
      })
      return { item: presentVersion(queued.version), jobs: queued.exports.map(presentExport) }
    },
  }),
  defineRoute({
    id: 'listExportTargets',
    method: 'GET',
    path: `${versionPath}/export-targets`,
    tag: 'Exports',
    summary: 'List what a version can be exported as',
    description:
      'Every artifact key with who reads it, the JSON Schema of its options, and for this version: about how large it would be, and what it has no place for. With the usual options, unless others are given.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    query: Type.Object({
      options: Type.Optional(
        Type.String({
          maxLength: 10_000,
          description: 'JSON by artifact key, as an export is queued with: `{"zarr": {"container": "folder"}}`.',
        }),
      ),
    }),
    response: Type.Object({ items: Type.Array(exportTarget) }),
    errors: ['conflict'],
    async handle(context, { caller, org, params, query }) {
      const version = await getSeenVersion(context.db, caller, org, params.version_id)
      return { items: await previewTargets(context, version, parseOptions(query.options)) }
    },
  }),
  defineRoute({
    id: 'listExportJobs',
    method: 'GET',
    path: jobsPath,
    tag: 'Exports',
    summary: 'List the export jobs of a version, newest first',
    description: 'Every attempt to export the version.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    query: pageQuery,
    response: page(exportJob),
    async handle({ db }, { caller, org, params, query }) {
      const version = await getSeenVersion(db, caller, org, params.version_id)
      const { rows, nextCursor } = await listExports(db, version, query.limit, query.cursor)
      return { items: rows.map(presentExport), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'getExportJob',
    method: 'GET',
    path: `${jobsPath}/{job_id}`,
    tag: 'Exports',
    summary: 'Get an export job',
    description: 'Status, progress, checksum and, if it failed, the reason.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: jobParams,
    response: item(exportJob),
    async handle({ db }, { caller, org, params }) {
      const version = await getSeenVersion(db, caller, org, params.version_id)
      return { item: presentExport(await getExportOf(db, version, params.job_id)) }
    },
  }),
  defineRoute({
    id: 'cancelExportJob',
    method: 'POST',
    path: `${jobsPath}/{job_id}/cancel`,
    tag: 'Exports',
    summary: 'Cancel an export job',
    description:
      'A queued job is canceled at once. A running one keeps its status until its worker has stopped; after this answer it can no longer succeed. The artifact goes back to `planned`. Canceling twice returns the same record.',
    credentials: ['exports:write'],
    access: orgMember,
    params: jobParams,
    response: item(exportJob),
    errors: ['insufficient_role', 'export_already_finished'],
    async handle({ db }, { caller, org, params }) {
      const version = await getSeenVersion(db, caller, org, params.version_id, 'editor')
      return { item: presentExport(await cancelExport(db, caller, org, version, params.job_id)) }
    },
  }),
  defineRoute({
    id: 'retryExportJob',
    method: 'POST',
    path: `${jobsPath}/{job_id}/retry`,
    tag: 'Exports',
    summary: 'Run a failed or canceled export again',
    description: 'Queues a new job for the same artifact; the old one stays as it is.',
    credentials: ['exports:write'],
    access: orgMember,
    params: jobParams,
    response: item(exportJob),
    status: 201,
    errors: ['insufficient_role', 'conflict', 'quota_exceeded'],
    async handle(context, { caller, org, params }) {
      const version = await getSeenVersion(context.db, caller, org, params.version_id, 'editor')
      return { item: presentExport(await retryExport(context, caller, version, params.job_id)) }
    },
  }),
  defineRoute({
    id: 'getArtifactDownloadUrl',
    method: 'GET',
    path: `${versionPath}/artifacts/{artifact_key}/download-url`,
    tag: 'Exports',
    summary: 'Get a signed URL of an artifact',
    description: 'Valid for 15 minutes, needs no header, and supports Range requests, so downloads can be resumed.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: Type.Object({ ...versionParams.properties, artifact_key: Type.String() }),
    response: Type.Object({ url: Type.String(), expires_at: timestamp }),
    errors: ['artifact_not_ready'],
    async handle(context, { caller, org, params }) {
      const version = await getSeenVersion(context.db, caller, org, params.version_id)
      return signArtifact(context, version, params.artifact_key)
    },
  }),
  defineRoute({
    id: 'getArtifactTar',
    method: 'GET',
    path: '/api/v1/media/{version_id}/{checksum}/artifact',
    tag: 'Exports',
    summary: 'An artifact as one tar',
    description:
      'Made from the files of the artifact while it is sent, with the checksum that the artifact has. Its length is known in advance and any Range can be requested. Needs a signature: `download-url` has the address.',
    credentials: 'none',
    access: anyone,
    params: Type.Object({ version_id: Type.String(), checksum: Type.String() }),
    query: Type.Object({
      key: Type.String({ maxLength: 100 }),
      access: Type.Optional(oneOf(['private'])),
      expires: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e11 })),
      signature: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    headers: tarHeaders,
    response: 'bytes',
    errors: ['signature_invalid', 'not_found', 'conflict', 'range_not_satisfiable'],
    async handle(context, { params, query: { key, ...given }, headers, isHead, signal }) {
      const { version_id: versionId, checksum } = params
      const { version, tar } = await openTar(context, { versionId, checksum, key }, given)
      const described = { ...tar, etag: `"${checksum}"`, name: nameArtifact(version, key) }
      return answerTar({ headers, isHead, signal }, context.storage, described)
    },
  }),
  defineRoute({
    id: 'listVersionFiles',
    method: 'GET',
    path: `${versionPath}/files`,
    tag: 'Exports',
    summary: 'List the files of a materialized version with signed URLs',
    description:
      'The same files as in the tar of the artifact (`lerobot` by default), by path. Each URL is valid for 15 minutes and supports Range requests.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: versionParams,
    query: Type.Object({ ...pageQuery.properties, artifact_key: Type.Optional(oneOf(targetKeys)) }),
    response: page(
      Type.Object(
        {
          path: Type.String(),
          size_bytes: Type.Integer(),
          checksum_sha256: Type.String(),
          url: Type.String(),
          expires_at: timestamp,
        },
        { $id: 'VersionFile' },
      ),
    ),
    errors: ['artifact_not_ready'],
    async handle(context, { caller, org, params, query }) {
      const version = await getSeenVersion(context.db, caller, org, params.version_id)
      const { limit, cursor, artifact_key: key = 'lerobot' } = query
      return listArtifactFiles(context, version, { key, limit, cursor })
    },
  }),
]
