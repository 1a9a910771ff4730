import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Claim } from '../job.ts'

export interface Success {
  claim: Claim
  digest: string
}

/**
 * Makes jobs succeed, each under its own fence and unless a cancel was answered. Answers the ids of those that did;
 * the others are as they were. Several in one statement share one commit.
 */
export const succeedJobs = async (db: Database, successes: readonly Success[]): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    update jobs set state = 'succeeded', finished_at = now(), updated_at = now(), claimed_by = null,
      claim_expires_at = null, result_digest = offer.digest, result_epoch = claim_epoch, progress_pct = 100,
      last_error = null
    from unnest(${successes.map(({ claim }) => claim.id)}::text[], ${successes.map(({ claim }) => claim.epoch)}::bigint[],
      ${successes.map(({ digest }) => digest)}::text[]) as offer (id, epoch, digest)
    where jobs.id = offer.id and state = 'running' and claim_epoch = offer.epoch and cancel_requested_at is null
    returning jobs.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
