import { ApiError, ConnectionError } from '@nmp/sdk/client'
import { DownloadError } from '@nmp/sdk/node-download'
import { JobError } from '@nmp/sdk/waiting'

/** Exit codes are part of the interface: docs/tutorials/cli.md lists them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  credential: 3,
  notFound: 4,
  refused: 5,
  unreachable: 6,
  jobFailed: 7,
  damaged: 8,
  found: 9,
  interrupted: 130,
} as const

/** What a command says before it ends: one sentence with the remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  /** `cause`: the refusal that it explains; its code and request id stay. */
  constructor(message: string, exitCode: number = exitCodes.failed, cause?: ApiError) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage)

export interface Failure {
  message: string
  exitCode: number
  code?: string | undefined
  requestId?: string | undefined
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code, requestId, status } = error
    return { message: `${error.message}${remedy(error)}`, exitCode: exitCodeOf(status), code, requestId }
  }
  if (error instanceof ConnectionError) {
    return {
      message: `${error.message} Check the address (--base-url, NMP_BASE_URL) and the network.`,
      exitCode: exitCodes.unreachable,
      code: 'unreachable',
    }
  }
  if (error instanceof JobError) return { message: error.message, exitCode: exitCodes.jobFailed, code: 'job_failed' }
  if (error instanceof DownloadError) return { message: error.message, exitCode: exitCodes.damaged, code: 'damaged' }
  if (error instanceof CommandError) {
    const { message, exitCode, cause } = error
    return cause instanceof ApiError
      ? { message, exitCode, code: cause.code, requestId: cause.requestId }
      : { message, exitCode, code: exitCode === exitCodes.notFound ? 'not_found' : undefined }
  }
  return { message: describeSystemError(error), exitCode: exitCodes.failed }
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.credential
  if (status === 404 || status === 410) return exitCodes.notFound
  if (status === 429 || status >= 500) return exitCodes.unreachable
  return exitCodes.refused
}

function remedy({ status, code, requestId }: ApiError): string {
  if (status === 401) return ' Run nmp login, or set NMP_TOKEN.'
  if (code === 'session_required') return ' Run it again with --sign-in, or do it in the console.'
  if (code === 'artifact_not_ready') return ' Run nmp export VERSION --wait.'
  if (code === 'insufficient_scope') return ' Run nmp login for a token with every scope.'
  if (status >= 500 && requestId) return ` Tell the operator the request id ${requestId}.`
  return ''
}

function describeSystemError(error: unknown): string {
  const { code, path, message } = error as { code?: string; path?: string; message?: string }
  if (code === 'ENOENT') return `There is no ${path ?? 'such file'}.`
  if (code === 'EACCES' || code === 'EPERM') return `You may not read or write ${path ?? 'the file'}.`
  if (code === 'ENOSPC') return 'The disk is full. Free some space, then run the same command again to resume.'
  if (code === 'EISDIR') return `${path ?? 'The path'} is a folder; name a file.`
  return message ?? String(error)
}
