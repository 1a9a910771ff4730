import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import type { JobRun } from '../jobs/handler.ts'
import { wakeJob } from '../jobs/statements/wake-job.ts'
import { iterateBlobs, openBlob, type PublishedEntry, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { tarPath } from '../versions/owners.ts'
import type { PackedTar } from './pack-thread.ts'
import { type Export, listFollowers } from './repository.ts'
import { stagedOwner } from './shards.ts'
import type { ExportReport } from './tables.ts'

/** A form that is written, verified and stored, and that is nobody's yet. */
export interface MadeTarget {
  row: Export
  entries: PublishedEntry[]
  tar: PackedTar
  report: ExportReport
}

/** A form of another export, with its report among what is left for it. */
export interface LeftTarget extends MadeTarget {
  left: PublishedEntry[]
}

const reportPath = 'report.json'

export async function stageReports(
  { storage }: Context,
  { job, claim, signal }: JobRun,
  others: readonly MadeTarget[],
): Promise<LeftTarget[]> {
  const staged: LeftTarget[] = []
  for (const other of others) {
    const body = Readable.from([Buffer.from(JSON.stringify({ ...other.report, tar: other.tar }))])
    const report = await stageBlob(storage, { id: job.id, epoch: claim.epoch }, body, { signal })
    staged.push({ ...other, left: [...other.entries, { logicalPath: reportPath, ...report }] })
  }
  return staged
}

/**
 * Whoever waits for this export, made or not; answers what was made for those. Held until the transaction ends, so that whoever cancels
 * one finds what is left for it.
 */
export async function wakeFollowers(
  trx: Transaction,
  leadId: string,
  others: readonly LeftTarget[],
): Promise<LeftTarget[]> {
  const waiting: LeftTarget[] = []
  for (const { id } of await listFollowers(trx, leadId))
    if (await wakeJob(trx, id)) waiting.push(...others.filter(({ row }) => row.id === id))
  return waiting
}

export const leaveFor = async (trx: Transaction, { row, left }: LeftTarget): Promise<void> => {
  await publishBlobs(trx, stagedOwner(row.id, row.orgId), left)
}

/** What the job of another export made of this one; undefined where that one failed or was canceled. */
export async function findLeft({ db, storage }: Context, row: Export): Promise<MadeTarget | undefined> {
  const owner = stagedOwner(row.id, row.orgId)
  const entries: PublishedEntry[] = []
  for await (const { logicalPath, sha256, sizeBytes } of iterateBlobs(db, owner))
    if (logicalPath !== reportPath) entries.push({ logicalPath, sha256, sizeBytes })
  if (entries.length === 0) return undefined
  const { body } = await openBlob(db, storage, owner, reportPath)
  const { tar, ...report } = (await json(body)) as ExportReport & { tar?: PackedTar }
  // Left by a program that stored the tar with them.
  const stored = entries.find(({ logicalPath }) => logicalPath === tarPath(row.artifactKey))
  if (!tar && !stored) throw new Error('the tar is not among what was left')
  return { row, entries, tar: (tar ?? stored) as PackedTar, report }
}
