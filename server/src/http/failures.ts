import { FormatError } from '@nmp/formats/errors'
import { isConnectionError } from '../db/database.ts'
import { ServiceError, ValidationError } from '../errors.ts'
import type { Log } from '../log.ts'

export interface Failure {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** Turns whatever was thrown into the error body of the API: 422 as a list of places, all others as a sentence and a code. */
export function describeFailure(thrown: unknown, requestId: string, log: Log): Failure {
  const error = recognize(thrown)
  if (error instanceof ValidationError) return { status: 422, headers: {}, body: { detail: error.detail } }
  // What an installation was made without is no fault of it.
  if (error.status >= 500 && error.code !== 'codec_missing') log.error({ requestId, err: thrown }, 'request failed')
  else if (error !== thrown && error.cause)
    log.warn({ requestId, err: thrown }, 'refused late: validation should have caught this')
  // A job's refusal may reach a request too; a 422 has one form, whoever found the fault.
  if (error.status === 422)
    return {
      status: 422,
      headers: error.headers,
      body: { detail: [{ loc: ['body'], msg: error.message, type: error.code }] },
    }
  return {
    status: error.status,
    headers: error.headers,
    body: { detail: error.message, code: error.code, request_id: requestId },
  }
}

function recognize(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof FormatError && thrown.code === 'codec_missing')
    return new ServiceError('codec_missing', thrown.message, { cause: thrown })
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown }
  if (typeof code === 'string') {
    const known = frameworkRefusal(code) ?? databaseRefusal(code, thrown)
    if (known) return known
  }
  // The pool's own errors have no code: a connection that ended between two statements, none to be had in time.
  if (isConnectionError(thrown)) return unreachable(thrown)
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ServiceError('malformed_request', 'The request is malformed.')
  return new ServiceError(
    'internal_error',
    'Something went wrong on our side. Give the operator the request id, which is in the log.',
  )
}

function frameworkRefusal(code: string): ServiceError | undefined {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('body_too_large', 'The body is larger than this route accepts.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', 'Send the body as `Content-Type: application/json`.')
    case 'FST_ERR_BAD_URL':
      return new ServiceError('malformed_request', 'The address is not valid percent-encoded UTF-8.')
    default:
      return undefined
  }
}

/** The last net under validation: what PostgreSQL itself refuses is a client's mistake or a pause, never a 500. */
function databaseRefusal(code: string, cause: unknown): ServiceError | undefined {
  if (/^(22|54)[0-9A-Z]{3}$/.test(code))
    return new ServiceError('malformed_request', 'A value cannot be stored.', { cause })
  if (/^23[0-9A-Z]{3}$/.test(code))
    return new ServiceError('conflict', 'This conflicts with what is stored. Load it again.', { cause })
  if (/^(08[0-9A-Z]{3}|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/.test(code)) return unreachable(cause)
  if (/^(ENOSPC|EDQUOT|53100)$/.test(code))
    return new ServiceError(
      'disk_full',
      'The disk is full, so nothing can be stored. Reading goes on. Tell the operator.',
      {
        cause,
        retryAfterSeconds: 60,
      },
    )
  return undefined
}

const unreachable = (cause: unknown): ServiceError =>
  new ServiceError('not_ready', 'The database cannot be reached right now. Try again in a moment.', {
    cause,
    retryAfterSeconds: 2,
  })
