import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireSpace } from '@nmp/formats/disk-space'
import { FormatError } from '@nmp/formats/errors'
import { findSettings } from '../../checks/runs.ts'
import type { Context } from '../../context.ts'
import { findDatasetBySlug } from '../../datasets/service.ts'
import { notFound } from '../../errors.ts'
import type { JobHandler, JobRun } from '../../jobs/handler.ts'
import type { JobResult } from '../../jobs/statements/finish-job.ts'
import { locateWorkFolder, openWorkFolder, removeWorkFolder, sweepWorkFolders } from '../../jobs/work-folder.ts'
import { findRoles } from '../../signals/service.ts'
import { prepareInProcess } from '../prepare/prepare-process.ts'
import { startProgress } from '../progress.ts'
import * as repository from '../repository.ts'
import { importJobKind } from '../service.ts'
import { fetchSource } from './fetch.ts'
import { type Attempt, giveUp } from './give-up.ts'
import { createPlaceHider, type PlaceHider } from './hidden-places.ts'
import { planPublication, storePrepared } from './publish.ts'
import { addRemedy } from './remedies.ts'
import { findSameResult } from './same-result.ts'
import { settleImport } from './settle.ts'
import { createStaging } from './staging.ts'

/** Fetch, convert, verify, describe, store, publish. Everything before `publish` may happen again in another attempt. */
export const createImportHandler = (context: Context): JobHandler => ({
  kind: importJobKind,
  deadlineSeconds: 24 * 3600,
  run: (run) => runImport(context, run),
  settle: settleImport,
})

const secondsPerMegabyte = 30

async function runImport(context: Context, run: JobRun): Promise<JobResult> {
  const row = await repository.findImportById(context.db, run.job.id)
  if (!row) throw notFound()
  const attempt: Attempt = {
    context,
    run,
    row,
    board: startProgress(run.report, run.job.attemptCount),
    staging: createStaging(context.storage, run.claim),
    fetched: { files: [], sourceUri: row.sourceUri, revision: row.hfCommit },
    learned: { origin: null, hdf5: null, findings: [], found: { episodes: [], count: 0 } },
  }
  const folder = locateWorkFolder(context, run.claim)
  const places = { sourceFolder: join(folder, 'source'), targetFolder: join(folder, 'target') }
  const hider = createPlaceHider([...Object.values(places), folder, context.config.NMP_DATA_DIR, tmpdir()])
  try {
    await sweepWorkFolders(context)
    await openWorkFolder(context, run.claim)
    const result = await importInFolder(attempt, places, hider)
    return { ...result, discard: (error) => giveUp(attempt, error) }
  } catch (error) {
    const told = addRemedy(hider.hideInError(await blameDisk(error, folder)))
    await giveUp(attempt, told)
    throw told
  } finally {
    attempt.board.stop()
    await removeWorkFolder(context, run.claim)
  }
}

async function importInFolder(
  attempt: Attempt,
  { sourceFolder, targetFolder }: { sourceFolder: string; targetFolder: string },
  hider: PlaceHider,
): Promise<JobResult> {
  const { context, run, row, board } = attempt
  await mkdir(sourceFolder)
  await mkdir(targetFolder)
  board.enter('fetch')
  const { fetched, verified } = await fetchSource(context, run, row, sourceFolder, board)
  attempt.fetched = fetched
  try {
    return await makeRevision(attempt, { sourceFolder, targetFolder, verified }, hider)
  } catch (error) {
    // What a damaged file of the source has led to is its damage.
    await verified
    throw error
  }
}

async function makeRevision(
  attempt: Attempt,
  { sourceFolder, targetFolder, verified }: { sourceFolder: string; targetFolder: string; verified: Promise<void> },
  hider: PlaceHider,
): Promise<JobResult> {
  const { context, run, row, board, staging } = attempt
  const datasetId = (await findDatasetId(context.db, row)) ?? ''
  const roles = await findRoles(context.db, datasetId)
  const publication = { context, run, row, fetched: attempt.fetched, staging, board, roles }
  const same = await findSameResult(publication)
  if (same) {
    board.enter('publish')
    await verified
    return planPublication(publication, same)
  }
  const { cutOffs } = await findSettings(context.db, datasetId)
  const sourceBytes = attempt.fetched.files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const { options } = row
  const { NMP_HDF5_MAX_BYTES: maxHdf5Bytes, NMP_SOURCE_MAX_BYTES: maxUnpackedBytes } = context.config
  const damage = new AbortController()
  verified.catch((error) => damage.abort(error))
  const made = await prepareInProcess(
    { topFolder: sourceFolder, targetFolder, options, maxHdf5Bytes, maxUnpackedBytes, cutOffs, roles },
    { baseSeconds: context.config.NMP_IMPORT_CPU_SECONDS, secondsPerMegabyte, sourceBytes },
    {
      signal: AbortSignal.any([run.signal, damage.signal]),
      onUnpacking: (bytes) => board.advance(0, null, `Unpacking: ${(bytes / 1e6).toFixed(0)} MB so far.`),
      onPhase: (phase) => board.enter(phase),
      onProgress: (done, total, message) => board.advance(done, total, message),
      onLearned: (learned) => {
        const { findings } = learned
        attempt.learned = {
          ...attempt.learned,
          ...learned,
          ...(findings ? { findings: hider.hideInFindings(findings) } : {}),
        }
      },
    },
  )
  await verified
  run.signal.throwIfAborted()
  const prepared = { ...made, findings: hider.hideInFindings(made.findings) }
  return planPublication(publication, await storePrepared(publication, prepared, sourceFolder, targetFolder))
}

/** Of a dataset that has a revision already. */
const findDatasetId = async (db: Context['db'], { projectId, datasetSlug }: repository.ImportRow) =>
  (await findDatasetBySlug(db, projectId, datasetSlug))?.id

/** What a file is said to have done on a disk that is full may be the disk's doing, and passes with it. */
async function blameDisk(error: unknown, folder: string): Promise<unknown> {
  if (!(error instanceof FormatError)) return error
  try {
    for (const place of [folder, tmpdir()]) await requireSpace(place)
    return error
  } catch (fault) {
    return fault
  }
}
