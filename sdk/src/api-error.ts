/** One invalid part of a request, as listed by a 422. */
export interface ValidationIssue {
  loc: (string | number)[]
  msg: string
  type: string
  input?: unknown
  ctx?: Record<string, unknown>
}

/** The service refused. `code` is its word for machines, `message` its sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** What a 422 lists; else empty. */
  readonly issues: readonly ValidationIssue[]
  readonly retryAfterMs: number | undefined

  constructor(status: number, body: unknown, headers: Headers) {
    const { detail, code, request_id: requestId } = asRecord(body)
    const issues = Array.isArray(detail) ? (detail as ValidationIssue[]) : []
    super(
      issues.length > 0
        ? describeIssues(issues)
        : typeof detail === 'string'
          ? detail
          : `The server answered ${status}.`,
    )
    this.status = status
    this.code = typeof code === 'string' ? code : status === 422 ? 'validation_failed' : `http_${status}`
    this.requestId = typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined)
    this.issues = issues
    this.retryAfterMs = readRetryAfter(headers.get('retry-after'))
  }
}

/** No answer: the address is wrong, the network is down, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

const asRecord = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}

const describeIssues = (issues: ValidationIssue[]): string =>
  issues.map(({ loc, msg }) => `${loc.filter((part) => part !== 'body').join('.')}: ${msg}`).join('; ')

/** Seconds, or a date. */
export function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
