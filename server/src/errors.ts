/** Every refusal the service makes, with its HTTP status. The same status decides whether a job retries: 4xx means the data is wrong. */
const catalogue = {
  malformed_request: 400,
  unauthenticated: 401,
  session_required: 403,
  insufficient_scope: 403,
  insufficient_role: 403,
  two_step_required: 403,
  signature_invalid: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  slug_taken: 409,
  email_taken: 409,
  email_not_proven: 403,
  organization_limit: 409,
  last_admin: 409,
  invite_not_usable: 409,
  confirmation_mismatch: 409,
  conflict: 409,
  idempotency_key_reuse: 409,
  import_already_finished: 409,
  import_not_finished: 409,
  artifact_not_ready: 409,
  export_already_finished: 409,
  export_failed: 409,
  upload_expired: 410,
  object_exists: 412,
  tus_version_unsupported: 412,
  parent_commit_moved: 412,
  body_too_large: 413,
  upload_too_large: 413,
  quota_exceeded: 413,
  source_too_large: 413,
  archive_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  validation_failed: 422,
  source_not_allowed: 422,
  source_not_found: 422,
  source_forbidden: 422,
  source_invalid: 422,
  invalid_path: 422,
  archive_invalid: 422,
  upload_locked: 423,
  too_many_requests: 429,
  headers_too_large: 431,
  checksum_mismatch: 460,
  internal_error: 500,
  codec_missing: 501,
  content_damaged: 502,
  source_corrupt: 502,
  source_changed: 502,
  source_unavailable: 503,
  not_ready: 503,
  disk_full: 507,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof catalogue

interface ErrorOptions {
  cause?: unknown
  headers?: Record<string, string>
  /** For a job: no new attempt before this long. Over HTTP: `Retry-After`. */
  retryAfterSeconds?: number
}

/** The one error class: a sentence for a person, a word for a machine, a status for HTTP and for the retry rule. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, sentence: string, options: ErrorOptions = {}) {
    super(sentence, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = {
      ...options.headers,
      ...(options.retryAfterSeconds === undefined
        ? {}
        : { 'retry-after': String(Math.ceil(options.retryAfterSeconds)) }),
    }
  }

  get status(): number {
    return catalogue[this.code]
  }
}

export interface ValidationIssue {
  loc: (string | number)[]
  msg: string
  type: string
  input: unknown
  ctx?: Record<string, unknown>
}

/** A 422: the form of the request, or what it says about stored data, is wrong at the named places. */
export class ValidationError extends ServiceError {
  readonly detail: readonly ValidationIssue[]

  constructor(detail: readonly ValidationIssue[]) {
    super('validation_failed', detail.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '))
    this.name = 'ValidationError'
    this.detail = detail
  }
}

export const statusOf = (code: ErrorCode): number => catalogue[code]

/** One body for every cause, so that nothing can be learned from a refusal. */
export const unauthenticated = (): ServiceError =>
  new ServiceError('unauthenticated', 'Sign in, or send a valid token as `Authorization: Bearer …`.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** Absent, or in an organization the caller does not belong to: the two are told apart by nobody. */
export const notFound = (): ServiceError =>
  new ServiceError('not_found', 'There is nothing here, or you may not see it.')

export const insufficientRole = (needed: string): ServiceError =>
  new ServiceError(
    'insufficient_role',
    `This needs the role ${needed}. Ask an admin of the organization or project for it.`,
  )

/** By an organization that asks for it, of a session or token whose person has shown a password only. */
export const twoStepRequired = (orgSlug: string, kind: 'session' | 'token'): ServiceError =>
  new ServiceError(
    'two_step_required',
    `The organization ${orgSlug} asks its members for two-step sign-in. Turn it on at /account/two-step, or with your identity provider, and sign in with it${kind === 'token' ? '; then make a new token, this one was made without' : ''}.`,
    { headers: { 'x-error-code': 'two_step_required' } },
  )

/** A value that has the right form but disagrees with what is stored, at one place of the request. */
export const invalidValue = (loc: (string | number)[], sentence: string, input: unknown): ValidationError =>
  new ValidationError([{ loc, msg: `Value error, ${sentence}`, type: 'value_error', input, ctx: { error: {} } }])

export const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error))
