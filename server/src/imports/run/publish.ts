import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import { mapAtMost } from '@nmp/formats/limiter'
import type { SignalRoles } from '@nmp/formats/signal-roles'
import { recordAudit } from '../../audit/service.ts'
import { type ImportChecks, publishChecks, readChecked } from '../../checks/import-checks.ts'
import { checksFile } from '../../checks/import-numbers.ts'
import type { Context } from '../../context.ts'
import { fingerprintsFolder } from '../../datasets/fingerprints.ts'
import type { RevisionSummary } from '../../datasets/revision-summary.ts'
import { publishRevision } from '../../datasets/service.ts'
import type { Transaction } from '../../db/database.ts'
import { createId } from '../../ids.ts'
import type { JobRun } from '../../jobs/handler.ts'
import type { JobResult } from '../../jobs/statements/finish-job.ts'
import { recordReadBack } from '../../jobs/statements/record-consistency.ts'
import { followRoles } from '../../signals/service.ts'
import { computeResultDigest, dropBlobs, keepBlobs, type PublishedEntry, publishBlobs } from '../../storage/blobs.ts'
import { openCopiedBeside } from '../copies/version-copy.ts'
import { importOwner, revisionOwner, sourceOwner } from '../owners.ts'
import { locateMade } from '../prepare/made-files.ts'
import type { Prepared } from '../prepare/prepare.ts'
import type { PreviewAsset } from '../prepare/preview-asset.ts'
import { sizePreview } from '../prepare/previews.ts'
import type { ProgressBoard } from '../progress.ts'
import { findLosses } from '../report/find-losses.ts'
import { type ImportReport, reportPath, writeReport } from '../report/report.ts'
import * as repository from '../repository.ts'
import { hideSecrets } from '../source-uri.ts'
import type { Fetched, RawFile } from './fetch.ts'
import { computeSourceDigest } from './source-digest.ts'
import { hashWritten, type Staging } from './staging.ts'
import { tellOfLosses } from './tell-starter.ts'

/** Everything that becomes visible when an import succeeds, stored and nobody's yet. */
export interface StoredResult {
  dataset: PublishedEntry[]
  readModel: PublishedEntry[]
  fingerprints: PublishedEntry[]
  previews: PublishedEntry[]
  previewAssets: PreviewAsset[]
  hdf5: object | null
  summary: RevisionSummary
  card: DatasetCard | null
  report: ImportReport
  checks: ImportChecks
}

export interface Publication {
  context: Context
  run: JobRun
  row: repository.ImportRow
  fetched: Fetched
  staging: Staging
  board: ProgressBoard
  /** Which columns were set as state and action of the dataset when the import was prepared. */
  roles: SignalRoles | undefined
}

const filesAtATime = 4

/** Stores what was prepared in `folder`. */
export async function storePrepared(
  publication: Publication,
  prepared: Prepared,
  sourceFolder: string,
  folder: string,
): Promise<StoredResult> {
  const { context, run, row, fetched, staging, board } = publication
  board.enter('publish')
  const store = await createStore(context, fetched.files, sourceFolder, staging, run.signal)
  const lists = [prepared.datasetFiles, prepared.readModelFiles, prepared.fingerprintFiles, prepared.previews]
  const total = lists.reduce((sum, { length }) => sum + length, 0)
  let done = 0
  let keptCount = 0
  const storeAll = (part: string, paths: readonly string[]): Promise<PublishedEntry[]> => {
    // Side by side: most of the time of a small file is the disk's word that it is safe.
    return mapAtMost(filesAtATime, paths, async (path) => {
      const stored = await store(await locateMade(join(folder, part), path))
      if (stored.isRaw) keptCount++
      board.advance(++done, total, `${done} of ${total} files are stored.`)
      return { logicalPath: `${part}/${path}`, ...stored.entry }
    })
  }
  const paths = (files: readonly { path: string }[]): string[] => files.map(({ path }) => path)
  const dataset = await storeAll('dataset', paths(prepared.datasetFiles))
  const report = writeReport({
    importId: row.id,
    sourceKind: row.sourceKind,
    sourceUri: fetched.sourceUri,
    sourceRevision: fetched.revision,
    files: fetched.files,
    origin: prepared.origin,
    findings: prepared.findings,
    episodes: prepared.episodes,
    episodeCount: prepared.episodeCount,
    frameCount: prepared.frameCount,
    result: {
      fps: prepared.fps,
      robot_type: prepared.robotType,
      splits: prepared.splits.map(({ name, episodeCount }) => ({ name, episode_count: episodeCount })),
      file_count: prepared.datasetFiles.length,
      size_bytes: prepared.datasetFiles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      kept_files: keptCount,
      digest: computeResultDigest(dataset),
    },
    failure: null,
  })
  const readModel = await storeAll('read-model', paths(prepared.readModelFiles))
  const fingerprints = await storeAll(fingerprintsFolder, paths(prepared.fingerprintFiles))
  const names = prepared.previews.map(({ name }) => name)
  const previews = await storeAll('previews', names)
  const previewAssets = await describePreviews(row.id, join(folder, 'previews'), prepared, previews)
  const hdf5 = prepared.hdf5 && { ...prepared.hdf5, preview_assets: previewAssets }
  const { summary, card } = prepared
  const checks = await readChecked(context, row, join(folder, checksFile), prepared.checks)
  return { dataset, readModel, fingerprints, previews, previewAssets, hdf5, summary, card, report, checks }
}

/** How to make a stored result visible. Nothing is anybody's until `publish` commits. */
export async function planPublication(publication: Publication, stored: StoredResult): Promise<JobResult> {
  const { context, run, row, fetched, staging, roles } = publication
  const { orgId } = run.job
  const { dataset, readModel, fingerprints, previews, previewAssets } = stored
  const raw = context.config.NMP_KEEP_RAW ? fetched.files.map(toRawEntry) : []
  const report = await staging.stageBytes(Buffer.from(JSON.stringify(stored.report)))
  const copied = await openCopiedBeside(context, row, orgId)
  copied?.requireWhole(stored.report.counts)
  const revisionId = createId('rev')
  const revisionEntries = [...dataset, ...readModel, ...fingerprints, ...raw]
  return {
    digest: computeResultDigest(revisionEntries),
    publish: async (trx: Transaction) => {
      // An earlier attempt that failed has left its report.
      await dropBlobs(trx, importOwner(row.id, orgId))
      await dropBlobs(trx, sourceOwner(row.id, orgId))
      await publishBlobs(trx, revisionOwner(revisionId, orgId), revisionEntries)
      await publishBlobs(trx, importOwner(row.id, orgId), [...previews, { logicalPath: reportPath, ...report }])
      const losses = findLosses(stored.report)
      const { datasetId, revisionNumber } = await publishRevision(trx, {
        orgId,
        projectId: row.projectId,
        slug: row.datasetSlug,
        title: row.title,
        importId: row.id,
        revisionId,
        sourceKind: row.sourceKind,
        sourceUri: hideSecrets(fetched.sourceUri),
        hfRepoId: row.hfRepoId,
        hfRevision: fetched.revision,
        digest: computeResultDigest(dataset),
        readModelDigest: computeResultDigest(readModel),
        summary: { ...stored.summary, losses },
        card: copied?.card ?? stored.card,
        createdBy: row.createdBy,
      })
      await copied?.put(trx, revisionId)
      const { summary, checks } = stored
      await publishChecks(trx, context.config, { orgId, datasetId, revisionId, summary, checks })
      await followRoles(trx, { datasetId, orgId, roles })
      await repository.completeImport(trx, row.id, {
        sourceDigest: computeSourceDigest(fetched.files, row),
        datasetId,
        revisionId,
        hasRaw: raw.length > 0,
        hdf5: stored.hdf5,
        previewAssets,
      })
      await recordReadBack(trx, row.id, stored.report.summary)
      await recordAudit(trx, 'program', {
        action: 'import.succeed',
        resource: { kind: 'import', id: row.id },
        orgId,
        detail: { dataset_id: datasetId, revision: revisionNumber },
      })
      if (losses) await tellOfLosses(trx, row, orgId, losses)
    },
  }
}

/**
 * Content that is stored already, as a source file or by another import, is referenced and not written a second time. A file
 * that was kept is the very file of the source (a hard link), and is known without reading it.
 */
async function createStore(
  { db }: Context,
  files: readonly RawFile[],
  sourceFolder: string,
  staging: Staging,
  signal: AbortSignal,
) {
  const rawByHash = new Map(files.map((file) => [file.sha256, file]))
  const rawByInode = new Map<string, RawFile>()
  for (const file of files) {
    const inode = await findInode(join(sourceFolder, file.path))
    if (inode) rawByInode.set(inode, file)
  }
  return async (path: string): Promise<{ entry: Omit<PublishedEntry, 'logicalPath'>; isRaw: boolean }> => {
    const linked = rawByInode.get((await findInode(path)) ?? '')
    const sha256 = linked?.sha256 ?? (await hashWritten(path, signal))
    const raw = linked ?? rawByHash.get(sha256)
    if (raw) {
      const { logicalPath: _, ...entry } = toRawEntry(raw)
      return { entry, isRaw: true }
    }
    const [known] = (await keepBlobs(db, [sha256])).values()
    if (known) return { entry: { sha256, sizeBytes: known.sizeBytes }, isRaw: false }
    return { entry: await staging.stageFile(path, sha256, signal), isRaw: false }
  }
}

/** Undefined for an archive that was unpacked: it is gone from the folder. */
const findInode = async (path: string): Promise<string | undefined> => {
  const found = await lstat(path).catch(() => undefined)
  return found && `${found.dev}:${found.ino}`
}

const toRawEntry = ({ path, sha256, sizeBytes, storeKey, isStaged }: RawFile): PublishedEntry => ({
  logicalPath: `raw/${path}`,
  sha256,
  sizeBytes,
  ...(isStaged ? { storeKey } : {}),
})

async function describePreviews(
  importId: string,
  folder: string,
  { previews }: Prepared,
  entries: readonly PublishedEntry[],
): Promise<PreviewAsset[]> {
  const assets: PreviewAsset[] = []
  for (const [index, preview] of previews.entries()) {
    assets.push({
      kind: preview.kind,
      path: `imports/${importId}/previews/${preview.name}`,
      label: preview.label,
      content_type: preview.contentType,
      size_bytes: await sizePreview(folder, preview),
      sha256: entries[index]?.sha256 ?? '',
      metadata: preview.metadata,
    })
  }
  return assets
}
