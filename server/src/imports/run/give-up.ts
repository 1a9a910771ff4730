import type { Context } from '../../context.ts'
import { describeError } from '../../errors.ts'
import type { JobRun } from '../../jobs/handler.ts'
import { JobStop } from '../../jobs/lease.ts'
import { explainFailure } from '../../jobs/retry-rule.ts'
import { dropBlobs, publishBlobs } from '../../storage/blobs.ts'
import { importOwner } from '../owners.ts'
import type { Learned } from '../prepare/prepare-hooks.ts'
import type { ProgressBoard } from '../progress.ts'
import { reportPath, writeReport } from '../report/report.ts'
import * as repository from '../repository.ts'
import type { Fetched } from './fetch.ts'
import { createStaging, type Staging } from './staging.ts'
import { writeFenced } from './write-fenced.ts'

/** What one attempt knows so far; all that a report of its failure can say. */
export interface Attempt {
  context: Context
  run: JobRun
  row: repository.ImportRow
  board: ProgressBoard
  staging: Staging
  fetched: Fetched
  learned: Learned
}

/** An attempt that did not come to its end leaves a report where it failed, and nothing else. Never throws. */
export async function giveUp(attempt: Attempt, error?: unknown): Promise<void> {
  const { context, run, staging } = attempt
  await staging.discard()
  const { signal, job, log } = run
  const isCanceled = signal.reason instanceof JobStop && signal.reason.why === 'canceled'
  try {
    if (isCanceled) await discardFetched(context, job.id)
    if (error !== undefined && !signal.aborted) await publishFailure(attempt, error)
  } catch (fault) {
    log.warn({ job: job.id, error: describeError(fault) }, 'the end of an import could not be tidied')
  }
}

/** A canceled job never succeeds, so what its attempts have fetched is nobody's. */
async function discardFetched({ db, storage }: Context, importId: string): Promise<void> {
  const files = await repository.listImportFiles(db, importId)
  for (const { storeKey: key } of files) if (key.startsWith(`runs/${importId}/`)) await storage.deleteObject(key)
}

async function publishFailure({ context, run, row, fetched, learned, board }: Attempt, error: unknown): Promise<void> {
  const { code, sentence } = explainFailure(error, run.job.attemptCount)
  const report = writeReport({
    importId: row.id,
    sourceKind: row.sourceKind,
    sourceUri: fetched.sourceUri,
    sourceRevision: fetched.revision,
    files: fetched.files,
    origin: learned.origin,
    findings: learned.findings,
    found: learned.found,
    episodes: [],
    episodeCount: 0,
    frameCount: 0,
    result: null,
    failure: { code, sentence, phase: board.phase },
  })
  const staging = createStaging(context.storage, run.claim)
  const blob = await staging.stageBytes(Buffer.from(JSON.stringify(report)))
  const owner = importOwner(row.id, run.job.orgId)
  try {
    await writeFenced(context, run, async (trx) => {
      await dropBlobs(trx, owner)
      await publishBlobs(trx, owner, [{ logicalPath: reportPath, ...blob }])
      await repository.markReported(trx, row.id)
      if (learned.hdf5) await repository.updateHdf5(trx, row.id, learned.hdf5)
    })
  } catch (fault) {
    if (fault instanceof JobStop) await staging.discard()
    throw fault
  }
}
