import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { publishRevision } from '../datasets/service.ts'
import type { Transaction } from '../db/database.ts'
import { createId } from '../ids.ts'
import type { JobRun } from '../jobs/handler.ts'
import type { JobResult } from '../jobs/statements/finish-job.ts'
import { computeResultDigest, dropBlobs, keepBlobs, type PublishedEntry, publishBlobs } from '../storage/blobs.ts'
import type { Fetched, RawFile } from './fetch.ts'
import { importOwner, revisionOwner, sourceOwner } from './owners.ts'
import type { Prepared } from './prepare.ts'
import { sizePreview } from './previews.ts'
import type { ProgressBoard } from './progress.ts'
import type { PreviewAsset } from './record.ts'
import { reportPath, writeReport } from './report.ts'
import * as repository from './repository.ts'
import { hideSecrets } from './source-uri.ts'
import { hashFile, type Staging } from './staging.ts'

interface Stored {
  entries: PublishedEntry[]
  /** Files that are the very bytes of a source file. */
  keptCount: number
}

/** Stores what was prepared and answers how to make it visible. Nothing is anybody's until `publish` commits. */
export async function storeResult(
  context: Context,
  run: JobRun,
  row: repository.ImportRow,
  {
    fetched,
    prepared,
    sourceFolder,
    folder,
    staging,
    board,
  }: {
    fetched: Fetched
    prepared: Prepared
    sourceFolder: string
    folder: string
    staging: Staging
    board: ProgressBoard
  },
): Promise<JobResult> {
  const { job, signal } = run
  board.enter('publish')
  const store = await createStore(context, fetched.files, sourceFolder, staging, signal)
  const total = prepared.datasetFiles.length + prepared.readModelFiles.length + prepared.previews.length
  let done = 0
  const storeAll = async (part: string, paths: readonly string[]): Promise<Stored> => {
    const entries: PublishedEntry[] = []
    let keptCount = 0
    for (const path of paths) {
      const stored = await store(join(folder, part, path))
      entries.push({ logicalPath: `${part}/${path}`, ...stored.entry })
      if (stored.isRaw) keptCount++
      board.advance(++done, total, `${done} of ${total} files are stored.`)
    }
    return { entries, keptCount }
  }
  const paths = (files: readonly { path: string }[]): string[] => files.map(({ path }) => path)
  const dataset = await storeAll('dataset', paths(prepared.datasetFiles))
  const readModel = await storeAll('read-model', paths(prepared.readModelFiles))
  const previews = await storeAll(
    'previews',
    prepared.previews.map(({ name }) => name),
  )
  const raw = context.config.NMP_KEEP_RAW ? fetched.files.map(toRawEntry) : []
  const digest = computeResultDigest(dataset.entries)
  const report = writeReport({
    importId: row.id,
    sourceKind: row.source_kind,
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
      file_count: prepared.datasetFiles.length,
      size_bytes: prepared.datasetFiles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      kept_files: dataset.keptCount,
      digest,
    },
    failure: null,
  })
  const reportEntry = { logicalPath: reportPath, ...(await staging.stageBytes(Buffer.from(JSON.stringify(report)))) }
  const previewAssets = await describePreviews(row.id, join(folder, 'previews'), prepared, previews.entries)
  const revisionId = createId('rev')
  const revisionEntries = [...dataset.entries, ...readModel.entries, ...raw]
  return {
    digest: computeResultDigest(revisionEntries),
    discard: () => staging.discard(),
    publish: async (trx: Transaction) => {
      // An earlier attempt that failed has left its report.
      await dropBlobs(trx, importOwner(row.id, job.orgId))
      await dropBlobs(trx, sourceOwner(row.id, job.orgId))
      await publishBlobs(trx, revisionOwner(revisionId, job.orgId), revisionEntries)
      await publishBlobs(trx, importOwner(row.id, job.orgId), [...previews.entries, reportEntry])
      const { datasetId, revisionNumber } = await publishRevision(trx, {
        orgId: job.orgId,
        projectId: row.project_id,
        slug: row.dataset_slug,
        title: row.title,
        importId: row.id,
        revisionId,
        sourceKind: row.source_kind,
        sourceUri: hideSecrets(fetched.sourceUri),
        hfRepoId: row.hf_repo_id,
        hfRevision: fetched.revision,
        digest,
        readModelDigest: computeResultDigest(readModel.entries),
        summary: prepared.summary,
        createdBy: row.created_by,
      })
      await repository.completeImport(trx, row.id, {
        datasetId,
        revisionId,
        hasRaw: raw.length > 0,
        hdf5: prepared.hdf5 && { ...prepared.hdf5, preview_assets: previewAssets },
        previewAssets,
      })
      await recordAudit(trx, 'program', {
        action: 'import.succeed',
        resource: { kind: 'import', id: row.id },
        orgId: job.orgId,
        detail: { dataset_id: datasetId, revision: revisionNumber },
      })
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
    const sha256 = linked?.sha256 ?? (await hashFile(path, signal))
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
  const found = await stat(path).catch(() => undefined)
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
