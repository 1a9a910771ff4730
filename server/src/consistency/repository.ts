import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import { recordConsistency } from '../jobs/statements/record-consistency.ts'
import type { ConsistencyStatus } from '../jobs/tables.ts'
import type { StoredFinding } from './tables.ts'

export interface CheckedImport {
  id: string
  orgId: string
  revisionId: string | null
  /** Its dataset still has this revision. */
  hasRevision: boolean
  resultDigest: string
  status: ConsistencyStatus
}

const columns = sql.raw<CheckedImport>(`jobs.id, jobs.org_id as "orgId", imports.revision_id as "revisionId",
  exists (select 1 from dataset_revisions where dataset_revisions.id = imports.revision_id) as "hasRevision",
  jobs.result_digest as "resultDigest", jobs.consistency_status as status`)

/** Succeeded imports after an id, whenever they were checked. */
export const listImportsAfter = async (db: Database, afterId: string, limit: number): Promise<CheckedImport[]> => {
  const { rows } = await sql<CheckedImport>`
    select ${columns} from imports join jobs using (id)
    where jobs.state = 'succeeded' and jobs.id > ${afterId} order by jobs.id limit ${limit}`.execute(db)
  return rows
}

/** Those whose last look is longest ago and too long. */
export const listDueImports = async (
  db: Database,
  { days, limit }: { days: number; limit: number },
): Promise<CheckedImport[]> => {
  const { rows } = await sql<CheckedImport>`
    select ${columns} from imports join jobs using (id)
    where jobs.state = 'succeeded'
      and coalesce(jobs.consistency_checked_at, '-infinity') < now() - make_interval(days => ${days}::integer)
    order by coalesce(jobs.consistency_checked_at, '-infinity'), jobs.id limit ${limit}`.execute(db)
  return rows
}

/** Those that need one of these contents. */
export const listImportsOf = async (
  db: Database,
  hashes: readonly string[],
  limit: number,
): Promise<CheckedImport[]> => {
  const { rows } = await sql<CheckedImport>`
    with needing as (
      select owner_id from blob_references
      where sha256 = any(${hashes}::text[]) and owner_kind in ('import', 'revision')
    )
    select ${columns} from imports join jobs using (id)
    where jobs.state = 'succeeded'
      and (jobs.id in (select owner_id from needing) or imports.revision_id in (select owner_id from needing))
    order by jobs.id limit ${limit}`.execute(db)
  return rows
}

export interface Verdict {
  /** Undefined: the check could not look, and the status stays as it was. */
  status: ConsistencyStatus | undefined
  error: string | null
  findings: readonly StoredFinding[]
  wasRead: boolean
}

/** The import must still be what was looked at. False when it is not: then nothing is said. */
export const recordVerdict = async (
  trx: Transaction,
  { id, resultDigest }: CheckedImport,
  { status, error, findings, wasRead }: Verdict,
): Promise<boolean> => {
  if (!(await recordConsistency(trx, { id, resultDigest }, { status, error }))) return false
  const isUnsure = status === undefined || status === 'error'
  await sql`
    insert into consistency_checks (job_id, content_checked_at, error_count, findings)
    values (${id}, case when ${wasRead} then now() end, ${isUnsure ? 1 : 0}, ${JSON.stringify(findings)}::jsonb)
    on conflict (job_id) do update set
      content_checked_at = coalesce(excluded.content_checked_at, consistency_checks.content_checked_at),
      error_count = case when ${isUnsure} then consistency_checks.error_count + 1 else 0 end,
      findings = excluded.findings`.execute(trx)
  return true
}

export const countErrors = async (db: Database, jobId: string): Promise<number> => {
  const row = await db
    .selectFrom('consistency_checks')
    .select('error_count')
    .where('job_id', '=', jobId)
    .executeTakeFirst()
  return row?.error_count ?? 0
}

const roundName = 'consistency_round'

/** True for one process at a time; a claim that was never released ends with its time. */
export const claimRound = async (db: Database, seconds: number): Promise<boolean> => {
  const claimed = await sql`
    insert into program_settings (name, value) values (${roundName}, to_jsonb(extract(epoch from now()) + ${seconds}::integer))
    on conflict (name) do update set value = excluded.value
    where program_settings.value::text::float8 < extract(epoch from now())`.execute(db)
  return claimed.numAffectedRows === 1n
}

export const releaseRound = async (db: Database): Promise<void> => {
  await sql`update program_settings set value = '0' where name = ${roundName}`.execute(db)
}
