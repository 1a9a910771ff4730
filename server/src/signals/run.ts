import { join } from 'node:path'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { resolveRoles, toRoles, withRoles } from '@nmp/formats/signal-roles'
import { publishChecks, readChecked } from '../checks/import-checks.ts'
import { checkNumbers, checksFile, startNumbers } from '../checks/import-numbers.ts'
import { findSettings } from '../checks/runs.ts'
import type { Context } from '../context.ts'
import { moveCuration } from '../curation/move-curation.ts'
import { layOutRevision } from '../datasets/local-revision.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { measureAgain } from '../datasets/read-model/measure-again.ts'
import { findCard } from '../datasets/refresh-shown.ts'
import { locateFiles } from '../datasets/revision-content.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { getRevision, publishRevision } from '../datasets/service.ts'
import type { Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import type { JobResult } from '../jobs/statements/finish-job.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { computeResultDigest, iterateBlobs, type PublishedEntry, publishBlobs, stageFile } from '../storage/blobs.ts'
import * as repository from './repository.ts'
import { isSame, measureJobKind } from './service.ts'

const deadlineHours = 12
const readModelFolder = 'read-model'

/** Measures a dataset by the columns that were said to be its state and action: a revision with the same files and other numbers. */
export const createMeasureHandler = (context: Context): JobHandler => ({
  kind: measureJobKind,
  deadlineSeconds: deadlineHours * 3600,
  run: (run) => measureDataset(context, run),
})

async function measureDataset(context: Context, run: JobRun): Promise<JobResult> {
  const setting = await repository.findByJob(run.db, run.job.id)
  const held = setting && (await repository.lockMeasured(run.db, setting.datasetId))
  if (!setting || !held) throw notFound()
  const { datasetId } = setting
  const revision = await getRevision(run.db, held.currentRevisionId)
  const model = await getReadModel(context, revision)
  const { roles } = resolveRoles(toRoles(setting.state, setting.action), model.manifest.features)
  if (isSame(roles, model.manifest.roles)) return { digest: revision.readModelDigest, publish: async () => {} }
  const { cutOffs } = await findSettings(run.db, datasetId)
  const folder = await openWorkFolder(context, run.claim)
  try {
    run.report({ pct: 0, phase: 'reading', message: 'The files are laid out.' })
    const source = join(folder, 'source')
    await layOutRevision(context, revision, source, { signal: run.signal })
    await using stored = await openDataset(await openFolder(source, { links: 'anywhere' }), { signal: run.signal })
    const dataset = withRoles(stored, roles)
    const numbers = startNumbers(cutOffs, run.signal)
    run.report({ pct: 10, phase: 'measuring', message: 'Every episode is measured.' })
    const target = join(folder, readModelFolder)
    const { files, motionScale: scale } = await measureAgain({
      model,
      dataset,
      targetFolder: target,
      signal: run.signal,
      watcher: numbers,
    })
    run.report({ pct: 70, phase: 'checking', message: 'The checks look at every episode.' })
    const path = join(folder, checksFile)
    const outcome = await checkNumbers({
      beside: numbers,
      dataset,
      folder: source,
      path,
      cutOffs,
      scale,
      signal: run.signal,
    })
    const found = await readChecked(context, { projectId: held.projectId, datasetSlug: held.slug }, path, outcome)
    const checks = found.kind === 'found' ? { ...found, picturesOf: revision.id } : found
    const readModel: PublishedEntry[] = []
    for (const { path: name } of files) {
      const staged = await stageFile(context.storage, run.claim, join(target, name), run.signal)
      readModel.push({ logicalPath: `${readModelFolder}/${name}`, ...staged })
    }
    const card = await findCard(run.db, revision.id)
    const publish = async (trx: Transaction): Promise<void> => {
      await requireUnchanged(trx, run.job.id, revision)
      const { orgId, summary } = revision
      const revisionId = createId('rev')
      await publishBlobs(trx, { ...locateFiles(revision).owner, id: revisionId }, [
        ...(await listKept(trx, revision)),
        ...readModel,
      ])
      await publishRevision(trx, {
        ...revision,
        projectId: held.projectId,
        slug: held.slug,
        title: null,
        revisionId,
        readModelDigest: computeResultDigest(readModel),
        card,
        createdBy: setting.changedBy,
      })
      await repository.moveDismissed(trx, revision.id, revisionId)
      await moveCuration(trx, revision.id, revisionId)
      await publishChecks(trx, context.config, { orgId, datasetId, revisionId, summary, checks })
    }
    return { digest: computeResultDigest(readModel), publish }
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

/** Nothing is published over what people or imports did meanwhile. */
async function requireUnchanged(trx: Transaction, jobId: string, { id, datasetId }: Revision): Promise<void> {
  const held = await repository.lockMeasured(trx, datasetId)
  if (!held || held.isDeleting || !(await repository.findByJob(trx, jobId)))
    throw new ServiceError('conflict', 'The dataset was deleted, or other columns were set, while it was measured.')
  if (held.currentRevisionId !== id)
    throw new ServiceError('not_ready', 'Another revision was published meanwhile, so that one is measured.', {
      retryAfterSeconds: 1,
    })
}

/** Everything that is stored of a revision, but for what is made anew. */
async function listKept(trx: Transaction, revision: Revision): Promise<PublishedEntry[]> {
  const kept: PublishedEntry[] = []
  for await (const { logicalPath, sha256, sizeBytes } of iterateBlobs(trx, locateFiles(revision).owner))
    if (!logicalPath.startsWith(`${readModelFolder}/`)) kept.push({ logicalPath, sha256, sizeBytes })
  return kept
}
