import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { listActiveJobs } from '../../src/jobs/statements/list-active-jobs.ts'
import { checkStore } from '../../src/storage/care/check.ts'
import { collectBlobs, collectRuns } from '../../src/storage/care/collection.ts'
import type { ObjectStorage } from '../../src/storage/storage.ts'

export interface Verdict {
  succeeded: number
  canceled: number
  failed: number
  /** Jobs without an end, or with success and no publication, or that failed though they had attempts left. */
  lost: number
  /** Publications beyond the first of a job. */
  duplicates: number
  /** Publications whose writer was not the attempt that the job says it was. */
  staleWritesAccepted: number
  /** Jobs whose cancel was answered and that succeeded or published all the same. */
  succeededAfterCancel: number
  /** Published content that is not there, or differs. */
  brokenObjects: number
  /** Objects and rows that nobody needs after the last collection. */
  leftovers: number
}

export const collectAll = async (db: Database, storage: ObjectStorage): Promise<void> => {
  await collectRuns(db, storage, { graceSeconds: 0, listActiveJobs: (ids) => listActiveJobs(db, ids) })
  await collectBlobs(db, storage, { graceSeconds: 0 })
}

/** What is true in the end, read from the rows and the objects and not from what anybody counted on the way. */
export const judge = async (
  db: Database,
  storage: ObjectStorage,
  cancelIds: string[],
  jobCount: number,
): Promise<Verdict> => {
  const count = async (query: ReturnType<typeof sql>): Promise<number> =>
    Number((await sql<{ n: number }>`select count(*) as n from (${query}) as found`.execute(db)).rows[0]?.n)
  const inState = (state: string) => count(sql`select from jobs where state = ${state}`)
  await collectAll(db, storage)
  const check = await checkStore(db, storage, {
    level: 'content',
    secondLookSeconds: 0,
    graceSeconds: 0,
    listActiveJobs: (ids) => listActiveJobs(db, ids),
  })
  const [succeeded, canceled, failed] = [await inState('succeeded'), await inState('canceled'), await inState('failed')]
  const unpublished = await count(sql`
    select from jobs where state = 'succeeded' and id not in (select job_id from chaos_publications)`)
  const wasCanceled = sql`id = any(${cancelIds}::text[])`
  return {
    succeeded,
    canceled,
    failed,
    lost: jobCount - succeeded - canceled + unpublished,
    duplicates: await count(sql`
      select from (select job_id, row_number() over (partition by job_id) as n from chaos_publications) as all_of where n > 1`),
    staleWritesAccepted: await count(sql`
      select from chaos_publications join jobs on id = job_id
      where writer_epoch is distinct from result_epoch or digest is distinct from result_digest`),
    succeededAfterCancel: await count(sql`
      select from jobs where ${wasCanceled} and (state <> 'canceled' or id in (select job_id from chaos_publications))`),
    brokenObjects: check.findings.length,
    leftovers:
      check.orphanKeys.length +
      (await count(sql`select from blobs where sha256 not in (select sha256 from blob_references)`)),
  }
}
