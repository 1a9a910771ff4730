import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { describeError, notFound } from '../errors.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import { JobStop } from '../jobs/lease.ts'
import { explainFailure } from '../jobs/retry-rule.ts'
import type { JobResult } from '../jobs/statements/finish-job.ts'
import { dropBlobs, publishBlobs } from '../storage/blobs.ts'
import { expandArchives, findDatasetRoot } from './archives/expand.ts'
import { type Fetched, fetchSource, writeFenced } from './fetch.ts'
import { importOwner } from './owners.ts'
import type { Learned } from './prepare.ts'
import { prepareInProcess } from './prepare-process.ts'
import { type ProgressBoard, startProgress } from './progress.ts'
import { planPublication, storePrepared } from './publish.ts'
import { reportPath, writeReport } from './report.ts'
import * as repository from './repository.ts'
import { importJobKind } from './service.ts'
import { settleImport } from './settle.ts'
import { createStaging, type Staging } from './staging.ts'
import { findSameResult } from './twin.ts'
import { openWorkFolder, removeWorkFolder, sweepWorkFolders } from './work-folder.ts'

/** Fetch, convert, verify, describe, store, publish. Everything before `publish` may happen again in another attempt. */
export const createImportHandler = (context: Context): JobHandler => ({
  kind: importJobKind,
  deadlineSeconds: 24 * 3600,
  run: (run) => runImport(context, run),
  settle: settleImport,
})

const mostFiles = 1_000_000

interface Attempt {
  context: Context
  run: JobRun
  row: repository.ImportRow
  board: ProgressBoard
  staging: Staging
  fetched: Fetched
  learned: Learned
}

async function runImport(context: Context, run: JobRun): Promise<JobResult> {
  const row = await repository.findImportById(context.db, run.job.id)
  if (!row) throw notFound()
  const attempt: Attempt = {
    context,
    run,
    row,
    board: startProgress(run.report),
    staging: createStaging(context.storage, run.claim),
    fetched: { files: [], sourceUri: row.source_uri, revision: row.hf_commit },
    learned: { origin: null, hdf5: null, findings: [] },
  }
  try {
    await sweepWorkFolders(context)
    return await importInFolder(attempt, await openWorkFolder(context, run.claim))
  } catch (error) {
    await giveUp(attempt, error)
    throw error
  } finally {
    attempt.board.stop()
    await removeWorkFolder(context, run.claim)
  }
}

async function importInFolder(attempt: Attempt, folder: string): Promise<JobResult> {
  const { context, run, row, board, staging } = attempt
  const sourceFolder = join(folder, 'source')
  const targetFolder = join(folder, 'target')
  await mkdir(sourceFolder)
  await mkdir(targetFolder)
  board.enter('fetch')
  attempt.fetched = await fetchSource(context, run, row, sourceFolder, board)
  const publication = { context, run, row, fetched: attempt.fetched, staging, board }
  const same = await findSameResult(publication)
  if (same) {
    board.enter('publish')
    return planPublication(publication, same)
  }
  const root = await openRoot(attempt, sourceFolder)
  const { options } = row
  const maxHdf5Bytes = context.config.NMP_HDF5_MAX_BYTES
  const prepared = await prepareInProcess(
    { sourceFolder: root, targetFolder, options, maxHdf5Bytes },
    {
      signal: run.signal,
      onPhase: (phase) => board.enter(phase),
      onProgress: (done, total, message) => board.advance(done, total, message),
      onLearned: (learned) => {
        attempt.learned = { ...attempt.learned, ...learned }
      },
    },
  )
  run.signal.throwIfAborted()
  return planPublication(publication, await storePrepared(publication, prepared, sourceFolder, targetFolder))
}

/** Archives are unpacked beside what came as it is, and the dataset is looked for in all of it. */
async function openRoot({ context, run, board }: Attempt, folder: string): Promise<string> {
  let unpackedBytes = 0
  await expandArchives(folder, {
    signal: run.signal,
    maxBytes: context.config.NMP_SOURCE_MAX_BYTES,
    maxFiles: mostFiles,
    onBytes: (count) => {
      unpackedBytes += count
      board.advance(0, 1, `Unpacking: ${(unpackedBytes / 1e6).toFixed(0)} MB so far.`)
    },
  })
  return findDatasetRoot(folder)
}

/** An attempt that did not come to its end leaves a report where it failed, and nothing else. */
async function giveUp(attempt: Attempt, error: unknown): Promise<void> {
  const { context, run, staging } = attempt
  await staging.discard()
  const { signal, job, log } = run
  const isCanceled = signal.reason instanceof JobStop && signal.reason.why === 'canceled'
  try {
    if (isCanceled) await discardFetched(context, job.id)
    if (!signal.aborted) await publishFailure(attempt, error)
  } catch (fault) {
    log.warn({ job: job.id, error: describeError(fault) }, 'the end of an import could not be tidied')
  }
}

/** A canceled job never succeeds, so what its attempts have fetched is nobody's. */
async function discardFetched({ db, storage }: Context, importId: string): Promise<void> {
  const files = await repository.listImportFiles(db, importId)
  for (const { store_key: key } of files) if (key.startsWith(`runs/${importId}/`)) await storage.deleteObject(key)
}

async function publishFailure({ context, run, row, fetched, learned, board }: Attempt, error: unknown): Promise<void> {
  const { code, sentence } = explainFailure(error, run.job.attemptCount)
  const report = writeReport({
    importId: row.id,
    sourceKind: row.source_kind,
    sourceUri: fetched.sourceUri,
    sourceRevision: fetched.revision,
    files: fetched.files,
    origin: learned.origin,
    findings: learned.findings,
    episodes: [],
    episodeCount: 0,
    frameCount: 0,
    result: null,
    failure: { code, sentence, phase: board.phase },
  })
  const staging = createStaging(context.storage, run.claim)
  const blob = await staging.stageBytes(Buffer.from(JSON.stringify(report)))
  const owner = importOwner(row.id, run.job.orgId)
  await writeFenced(context, run, async (trx) => {
    await dropBlobs(trx, owner)
    await publishBlobs(trx, owner, [{ logicalPath: reportPath, ...blob }])
    await repository.markReported(trx, row.id)
    if (learned.hdf5) await repository.updateHdf5(trx, row.id, learned.hdf5)
  })
}
