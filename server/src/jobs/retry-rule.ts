import { FormatError } from '@nmp/formats/errors'
import { isConnectionError, sqlStateOf } from '../db/database.ts'
import { ServiceError } from '../errors.ts'

/** Why an attempt ended, in words a person may read. */
export interface Failure {
  retryable: boolean
  code: string
  sentence: string
  retryAfterSeconds?: number | undefined
}

/** Client statuses that are about the moment and not about the data. */
const passing = new Set([408, 425, 429])
/** Faults of the parser process that may be the machine's: worth one more attempt, and no third. */
const crashes = new Set(['source_file_crashes_parser', 'parser_deadline', 'parser_memory', 'child_failed'])
const diskFull = new Set(['ENOSPC', 'EDQUOT', '53100'])

/**
 * Whether another attempt can help. 4xx means that the data is wrong, and that stays so. An error nobody named may
 * hold anything, a secret too: its words go to the log and the job gets a sentence of ours.
 */
export const explainFailure = (error: unknown, attemptCount: number): Failure => {
  if (error instanceof ServiceError) {
    const isPassing = error.status >= 500 || passing.has(error.status)
    // What was found damaged is fetched anew by the next attempt, if it can be had; if not, nothing heals it by waiting.
    const retryable = isPassing && (error.code !== 'content_damaged' || attemptCount < 2)
    return { retryable, code: error.code, sentence: error.message, retryAfterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof FormatError) {
    const retryable = crashes.has(error.code) && attemptCount < 2
    return { retryable, code: error.code, sentence: error.message }
  }
  if (isConnectionError(error)) {
    return { retryable: true, code: 'connection_lost', sentence: 'A connection was lost.' }
  }
  if (diskFull.has(sqlStateOf(error) ?? codeOf(error))) {
    return { retryable: true, code: 'disk_full', sentence: 'The disk is full. Free some space; the job tries again.' }
  }
  return {
    retryable: true,
    code: 'internal_error',
    sentence: 'The service had an internal error; its log has the details.',
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
