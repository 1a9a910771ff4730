import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { writeCanonicalJson } from '../canonical-json.ts'
import { ValidationError, type ValidationIssue } from '../errors.ts'
import { idempotencyFingerprint, idempotencyKey, nullable, oneOf, slug, truth } from '../http/schemas.ts'
import { sentKinds } from './source-kind.ts'

/** What a person may know better than the files; see docs/hdf5.md. */
const importOptions = Type.Object(
  {
    fps: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1000 }))),
    color_order: Type.Optional(nullable(oneOf(['rgb', 'bgr']))),
    flip_vertical: Type.Optional(nullable(truth())),
    task: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 1000 }))),
    video_codec: Type.Optional(nullable(oneOf(['av1', 'h264']))),
  },
  { $id: 'ImportOptions' },
)
export type ImportOptions = Static<typeof importOptions>

export const hfRepoId = Type.String({
  maxLength: 200,
  pattern: '^[A-Za-z0-9][\\w.-]*/[A-Za-z0-9][\\w.-]*$',
  examples: ['lerobot/pusht'],
})
export const hfRevision = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Branch, tag or commit; the default branch if absent.',
})
export const hfToken = Type.String({ minLength: 1, maxLength: 500, writeOnly: true })

export const createImportBody = Type.Object(
  {
    source_kind: oneOf(sentKinds),
    dataset_slug: slug,
    title: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
    hf_repo_id: Type.Optional(nullable(hfRepoId)),
    hf_revision: Type.Optional(nullable(hfRevision)),
    hf_token: Type.Optional(nullable(hfToken)),
    source_uri: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 2000, description: 'An https address of a file or archive.' })),
    ),
    upload_ids: Type.Optional(
      nullable(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 20_000 })),
    ),
    idempotency_key: Type.Optional(nullable(idempotencyKey)),
    idempotency_fingerprint: Type.Optional(nullable(idempotencyFingerprint)),
    options: Type.Optional(nullable(importOptions)),
  },
  { $id: 'CreateImport' },
)
export type CreateImportBody = Static<typeof createImportBody>

/** The key from either place; the two may both be given when they are equal. */
export const createImportHeaders = Type.Object({ 'idempotency-key': Type.Optional(idempotencyKey) })
export type CreateImportHeaders = Static<typeof createImportHeaders>

export const readIdempotencyKey = (body: CreateImportBody, headers: CreateImportHeaders): string | null =>
  body.idempotency_key ?? headers['idempotency-key'] ?? null

/** What fields say together, which no schema of one field can hold. */
export function checkCreateImport(body: CreateImportBody, headers: CreateImportHeaders): void {
  const issues = listIssues(body, headers)
  if (issues.length > 0) throw new ValidationError(issues)
}

function listIssues(body: CreateImportBody, headers: CreateImportHeaders): ValidationIssue[] {
  const issues: ValidationIssue[] = []
  const refuse = (loc: (string | number)[], sentence: string, input: unknown): void => {
    issues.push({ loc, msg: `Value error, ${sentence}`, type: 'value_error', input: input ?? null, ctx: { error: {} } })
  }
  const { source_kind: kind, hf_repo_id: repo, source_uri: uri, upload_ids: uploads } = body
  if (kind === 'huggingface') {
    if (!repo) refuse(['body', 'hf_repo_id'], 'source_kind huggingface needs hf_repo_id, as owner/name', repo)
    if (uri) refuse(['body', 'source_uri'], 'source_kind huggingface takes hf_repo_id and no source_uri', uri)
    if (uploads)
      refuse(['body', 'upload_ids'], 'source_kind huggingface takes hf_repo_id and no uploads', uploads.length)
  } else {
    if (!uri && !uploads) refuse(['body', 'upload_ids'], `source_kind ${kind} needs upload_ids or source_uri`, null)
    if (uri && uploads) refuse(['body', 'source_uri'], 'give upload_ids or source_uri, not both', uri)
    if (repo) refuse(['body', 'hf_repo_id'], `source_kind ${kind} takes no hf_repo_id; use huggingface`, repo)
  }
  if (uri && URL.parse(uri)?.host === undefined) refuse(['body', 'source_uri'], 'an https address expected', uri)
  const named = new Set<string>()
  for (const [index, id] of (uploads ?? []).entries()) {
    if (named.size === named.add(id).size) refuse(['body', 'upload_ids', index], 'the upload is named twice', id)
    if (issues.length > 20) break
  }
  const key = headers['idempotency-key']
  if (key !== undefined && typeof body.idempotency_key === 'string' && key !== body.idempotency_key)
    refuse(['header', 'idempotency-key'], 'the header and the body give different keys; send one', key)
  return issues
}

/** A version as a dataset of a project: its own where none is named. */
export const copyVersionBody = Type.Object(
  {
    org_slug: Type.Optional(nullable(slug)),
    project_slug: Type.Optional(nullable(slug)),
    dataset_slug: slug,
    title: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
    idempotency_key: Type.Optional(nullable(idempotencyKey)),
    idempotency_fingerprint: Type.Optional(nullable(idempotencyFingerprint)),
  },
  { $id: 'CopyVersion' },
)

/** An import again: options that are given take the place of those it had. */
export const retryImportBody = Type.Object(
  { hf_token: Type.Optional(nullable(hfToken)), options: Type.Optional(nullable(importOptions)) },
  { $id: 'RetryImport', default: {} },
)

export const changeFingerprint = (before: string, options: ImportOptions): string =>
  Object.keys(options).length === 0
    ? before
    : createHash('sha256').update(writeCanonicalJson({ before, options })).digest('hex')

type KeyedRequest = Partial<Pick<CreateImportBody, 'idempotency_key' | 'idempotency_fingerprint' | 'hf_token'>>

/** What makes two requests the same: everything but the key itself and the secret. */
export function computeFingerprint<Request extends KeyedRequest>(body: Request): string {
  const { idempotency_key: _key, idempotency_fingerprint: given, hf_token: _token, ...meaning } = body
  return given ?? createHash('sha256').update(writeCanonicalJson(meaning)).digest('hex')
}
