import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import type { Context } from '../context.ts'
import { fingerprintsFolder, writeFingerprints } from '../datasets/fingerprints.ts'
import { layOutRevision } from '../datasets/local-revision.ts'
import { findReadableKind } from '../datasets/readable.ts'
import type { RevisionPlace } from '../datasets/revision-content.ts'
import { getRevision } from '../datasets/service.ts'
import { listStoredFiles } from '../datasets/stored-files.ts'
import type { Transaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import type { JobResult } from '../jobs/statements/finish-job.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { locatePictures } from '../media/kept-pictures.ts'
import { dropBlobs, type PublishedEntry, publishBlobs, stageFile } from '../storage/blobs.ts'
import { layOutFiles } from '../storage/local-tree.ts'
import * as repository from './repository.ts'
import { fingerprintJobKind } from './runs.ts'

const deadlineHours = 12

/** Takes the fingerprints of a revision or version that has none, and keeps them beside it. */
export const createFingerprintHandler = (context: Context): JobHandler => ({
  kind: fingerprintJobKind,
  deadlineSeconds: deadlineHours * 3600,
  run: (run) => takeFingerprints(context, run),
})

async function takeFingerprints(context: Context, run: JobRun): Promise<JobResult> {
  const subject = await repository.findSubject(run.db, run.job.id)
  if (!subject) throw notFound()
  const place = await findPlace(context, subject)
  const folder = await openWorkFolder(context, run.claim)
  try {
    run.report({ phase: 'reading', message: 'The episodes are read.' })
    const source = join(folder, 'source')
    await mkdir(source)
    await using dataset = await openSubject(context, subject.datasetId, place, source, run.signal)
    const target = join(folder, fingerprintsFolder)
    const files = await writeFingerprints(dataset, target, {
      signal: run.signal,
      onProgress: ({ done, total }) =>
        run.report({ pct: (100 * done) / total, phase: 'reading', message: `${done} of ${total} episodes.` }),
    })
    const kept = locatePictures(place)
    const entries: PublishedEntry[] = []
    for (const { path } of files) {
      const staged = await stageFile(context.storage, run.claim, join(target, path), run.signal)
      entries.push({ logicalPath: `${kept.prefix}${fingerprintsFolder}/${path}`, ...staged })
    }
    return {
      digest: createHash('sha256')
        .update(entries.map(({ sha256 }) => sha256).join())
        .digest('hex'),
      publish: async (trx: Transaction) => {
        if (!(await kept.hold(trx))) throw notFound()
        // What was damaged, or is of an earlier run, makes way.
        await dropBlobs(trx, kept.owner, `${kept.prefix}${fingerprintsFolder}/`)
        await publishBlobs(trx, kept.owner, entries)
      },
    }
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

interface Subject {
  subjectId: string
  datasetId: string
}

async function findPlace(context: Context, { subjectId, datasetId }: Subject): Promise<RevisionPlace> {
  const kind = findReadableKind(context, datasetId)
  if (!kind) return getRevision(context.db, subjectId)
  const found = await kind.findRevision(context, datasetId, subjectId)
  if (!found) throw notFound()
  return found.revision
}

async function openSubject(
  context: Context,
  datasetId: string,
  place: RevisionPlace,
  folder: string,
  signal: AbortSignal,
): Promise<Dataset> {
  const kind = findReadableKind(context, datasetId)
  const { content, id, orgId } = place
  // A version before its export is read through its recipes; afterwards from the files that were made.
  if (kind && (!content?.own || id === datasetId)) return kind.openData(context, datasetId, folder, signal)
  if (content?.own)
    await layOutFiles(context.storage, await Array.fromAsync(listStoredFiles(context.db, content.own)), folder, {
      signal,
    })
  else await layOutRevision(context, { id, orgId }, folder, { signal })
  return openDataset(await openFolder(folder, { links: 'anywhere' }), { signal })
}
