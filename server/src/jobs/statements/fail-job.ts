import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Claim, holdsClaim, type Job } from '../job.ts'
import type { Failure } from '../retry-rule.ts'
import type { Backoff } from '../settings.ts'
import { endAttempts } from './end-attempts.ts'

/** Ends an attempt by an error; `undefined` when the lease is lost. */
export const failJob = async (
  db: Database,
  claim: Claim,
  { retryable, code, sentence, retryAfterSeconds = 0 }: Failure,
  backoff: Backoff,
): Promise<Job | undefined> => {
  // PostgreSQL takes no NUL, and a sentence may quote a file.
  const told = sentence.slice(0, 4000).replaceAll('\0', '\ufffd')
  const why = sql`${retryable}::boolean as retryable, ${code}::text as code, ${told}::text as sentence,
    ${retryAfterSeconds}::float8 as wait_seconds`
  return (await endAttempts(db, { which: sql`${holdsClaim(claim)} for update`, why }, backoff))[0]
}
