import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Claim, holdsClaim } from '../job.ts'

/** What a person sees of a running job. What is left out stays as it was; the percentage never goes back, not in a later attempt either. */
export interface Progress {
  pct?: number
  phase?: string
  message?: string
  downloadedBytes?: number
  totalBytes?: number
}

/** False when the lease is lost. */
export const reportProgress = async (db: Database, claim: Claim, progress: Progress): Promise<boolean> => {
  const { pct = null, phase = null, message = null, downloadedBytes = null, totalBytes = null } = progress
  const { numAffectedRows } = await sql`
    update jobs set updated_at = now(),
      progress_pct = greatest(${pct === null ? null : Math.min(100, Math.max(0, pct))}::float8, progress_pct),
      progress_phase = coalesce(${phase}, progress_phase),
      progress_message = coalesce(${message?.slice(0, 500) ?? null}, progress_message),
      downloaded_bytes = coalesce(${downloadedBytes}::bigint, downloaded_bytes),
      total_bytes = coalesce(${totalBytes}::bigint, total_bytes)
    where ${holdsClaim(claim)}`.execute(db)
  return numAffectedRows === 1n
}
