import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Database, inTransaction, type Transaction } from '../../src/db/database.ts'
import type { JobHandler, JobRun } from '../../src/jobs/handler.ts'
import type { LeaseSettings } from '../../src/jobs/settings.ts'
import { computeResultDigest, type PublishedEntry, publishBlobs, stageBlob } from '../../src/storage/blobs.ts'
import type { ObjectStorage } from '../../src/storage/storage.ts'

/** `epoch` is the product's own finish. The others are the negative controls: the ways popular queues finish. */
export type Fence = 'epoch' | 'state' | 'id'

export const chaosKind = 'chaos'

export const chaosSettings: Partial<LeaseSettings> = {
  leaseSeconds: 1.5,
  heartbeatSeconds: 0.4,
  sweepSeconds: 0.3,
  pollSeconds: 0.5,
  backoff: { baseSeconds: 0.01, capSeconds: 0.05 },
  maxRunningPerOrg: 1000,
}

export const createChaosTables = async (db: Database): Promise<void> => {
  // No key: what is published twice must be seen, and not be stopped by the test itself.
  await sql`create table chaos_publications (job_id text not null, writer_epoch bigint not null, digest text not null)`.execute(
    db,
  )
  await sql`insert into organizations (id, slug, name) values ('org_chaos', 'chaos', 'Chaos')`.execute(db)
}

/**
 * A job that writes one object of its own and one that other jobs write too, takes a while, and publishes both. It
 * does not heed its signal: a worker that lost its lease goes on to the end, as a stuck parser would.
 */
export const createChaosHandler = (storage: ObjectStorage, fence: Fence): JobHandler => ({
  kind: chaosKind,
  deadlineSeconds: 600,
  run: async (run) => {
    const { claim, job, report } = run
    const bodies = [
      `${job.id} ${claim.epoch} ${randomBytes(8).toString('hex')}`,
      `shared ${Number(/\d+$/.exec(job.id)) % 20}`,
    ]
    const entries: PublishedEntry[] = []
    for (const [index, body] of bodies.entries()) {
      await sleep(100 + Math.random() * 300)
      const blob = await stageBlob(storage, claim, Readable.from([Buffer.from(body)]))
      entries.push({ logicalPath: `file-${index}`, ...blob })
      report({ pct: 50 * index, message: `file ${index}` })
    }
    await sleep(100 + Math.random() * 300)
    const digest = computeResultDigest(entries)
    const publish = async (trx: Transaction): Promise<void> => {
      await publishBlobs(trx, { kind: 'chaos', id: fence === 'epoch' ? job.id : `${job.id}/${claim.epoch}` }, entries)
      await sql`insert into chaos_publications values (${job.id}, ${claim.epoch}, ${digest})`.execute(trx)
    }
    if (fence === 'epoch') return { digest, publish }
    await finishUnfenced(run, fence, digest, publish)
    return { digest }
  },
})

const finishUnfenced = (
  { db, job }: JobRun,
  fence: Fence,
  digest: string,
  publish: (trx: Transaction) => Promise<void>,
) =>
  inTransaction(db, async (trx) => {
    const isRunning = fence === 'state' ? sql`and state = 'running'` : sql`and state in ('running', 'succeeded')`
    const { numAffectedRows } = await sql`
      update jobs set state = 'succeeded', finished_at = now(), claimed_by = null, claim_expires_at = null,
        result_digest = coalesce(result_digest, ${digest}), result_epoch = claim_epoch
      where id = ${job.id} ${isRunning}`.execute(trx)
    if (numAffectedRows === 1n) await publish(trx)
  })
