import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { writeCard } from '@nmp/formats/card/write-card'
import type { Dataset } from '@nmp/formats/dataset'
import { type FileTree, openFolder } from '@nmp/formats/file-tree'
import { write } from '@nmp/formats/lerobot/writer'
import { type EncodedCamera, withEncodedCameras } from '@nmp/formats/writers/encoded-cameras'
import type { WrittenFile } from '@nmp/formats/writers/writer'
import type { Context } from '../context.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import type { StoredFile } from '../datasets/stored-files.ts'
import type { Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { computeResultDigest, dropBlobs, iterateBlobs, type PublishedEntry, publishBlobs } from '../storage/blobs.ts'
import { layOutAhead, layOutVerified } from '../storage/local-tree.ts'
import { addWithinQuota, quotaOf } from '../storage/quota.ts'
import { artifactOwner, filesPrefix, tarPath } from '../versions/owners.ts'
import { getVersion, type Version } from '../versions/service.ts'
import { selectFilesBeside } from './files-beside.ts'
import { markRunning } from './mark-running.ts'
import { openSources } from './open-sources.ts'
import type { PackedTar } from './pack-thread.ts'
import { openPacking } from './packing.ts'
import { publishExport, tellMade } from './publish.ts'
import { stageReadModel } from './read-model.ts'
import * as repository from './repository.ts'
import { unpackStatistics } from './run-shard.ts'
import { runTarget } from './run-target.ts'
import { type Export, exportJobKind, getExport } from './service.ts'
import { settleExport } from './settle.ts'
import { nameEpisode, stagedOwner, stagedPath } from './shards.ts'
import { verifyExport } from './verify.ts'
import { openVersionSource, type SourcePart, type VersionSourceModel } from './version-source.ts'

const deadlineHours = 24

/** Writes the version as a LeRobot v3 dataset, or from that in another form; checks it as a loader would, packs and publishes it. */
export const createExportHandler = (context: Context): JobHandler => ({
  kind: exportJobKind,
  deadlineSeconds: deadlineHours * 3600,
  run: (run) => runExport(context, run),
  settle: settleExport,
})

async function runExport(context: Context, run: JobRun) {
  const { db, job, report } = run
  const row = await getExport(db, job.id)
  if (row.artifactKey !== 'lerobot') return runTarget(context, run, row)
  await requireShards(context, row)
  await markRunning(run, { versionId: row.versionId, key: row.artifactKey, exportId: row.id })
  const version = await getVersion(db, row.versionId)
  const source = await openVersionSource(context, version)
  const work = await openWorkFolder(context, run.claim)
  try {
    report({ pct: 1, phase: 'reading', message: 'The source is opened.' })
    const { entries, tar, summary, notes } = await makeEntries(context, run, { row, version, source, work })
    const owner = artifactOwner(version.id, job.orgId)
    report({ pct: 99, phase: 'publishing', message: 'The artifact is published.' })
    return {
      digest: computeResultDigest(entries),
      publish: async (trx: Transaction) => {
        await addWithinQuota(trx, quotaOf(context.config, job.orgId, 'export'), async () => {
          // What an export before made of it: its tar is made of whatever is there.
          await dropBlobs(trx, owner, filesPrefix('lerobot'))
          await dropBlobs(trx, owner, tarPath('lerobot'))
          await publishBlobs(trx, owner, entries)
          await dropBlobs(trx, stagedOwner(row.id, job.orgId))
        })
        await publishExport(trx, row, version, { checksum: tar.sha256, sizeBytes: tar.sizeBytes, summary, notes })
      },
    }
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

interface ExportWork {
  row: Export
  version: Version
  source: VersionSourceModel
  /** The folder of this attempt. */
  work: string
}

/** Files are stored and packed while others are written and all of them verified; none is anyone's before the end. */
async function makeEntries(
  context: Context,
  run: JobRun,
  making: ExportWork,
): Promise<{ entries: PublishedEntry[]; tar: PackedTar; summary: RevisionSummary; notes: readonly string[] }> {
  const { row, version, source, work } = making
  const stored: LaidOut[] = []
  for (const [place, part] of source.parts.entries())
    stored.push(await layOutSource(context, part, join(work, `source-${place}`), run.signal))
  const target = join(work, 'dataset')
  const packing = openPacking(run, {
    storage: context.storage,
    folder: target,
    prefix: filesPrefix('lerobot'),
    tarName: tarPath('lerobot'),
    topFolder: 'lerobot',
    cameras: source.result.cameras.filter(({ storage }) => storage === 'video').map(({ name }) => name),
    findStored: (path) => findStored(stored, path),
  })
  try {
    const { files: written, notes } = await writeDataset(context, run, making, {
      target,
      trees: stored.map(({ tree }) => tree),
      onFile: packing.add,
    })
    run.report({ pct: 75, phase: 'verifying', message: 'The dataset is read back as a loader would.' })
    await verifyExport(target, source.result, run.signal)
    await requireSound(stored)
    await tellMade(run, row, version)
    const model = await stageReadModel(context, run, {
      datasetFolder: target,
      targetFolder: join(work, 'read-model'),
      roles: source.result.roles,
    })
    // Last: nothing that reads the dataset above is to stumble over them.
    for (const [place, { files, tree }] of stored.entries())
      for (const file of selectFilesBeside(files.values(), written)) {
        // Of several sources each has a folder: two may have a LICENSE.
        const path = source.merge ? `sources/${place}/${file.path}` : file.path
        await layOutVerified(context.storage, [{ ...file, path }], target, { signal: run.signal })
        packing.add({ path, sizeBytes: file.sizeBytes, keptFrom: join(tree.root, file.path) })
      }
    const { entries, tar } = await packing.finish()
    return { entries: [...entries, ...model.entries], tar, summary: model.summary, notes }
  } catch (error) {
    // What a damaged file of the source has led to is its damage.
    await requireSound(stored)
    throw error
  } finally {
    await packing.close()
  }
}

/** Throws where a file of a source is not what it was when it was stored. */
const requireSound = async (stored: readonly LaidOut[]): Promise<void> => {
  await Promise.all(stored.map(({ verified }) => verified))
}

interface LaidOut {
  files: ReadonlyMap<string, StoredFile>
  /** Its files are read and hashed while others are made of them. */
  verified: Promise<void>
  tree: FileTree
}

/** What is stored already of a file of one of the sources. */
const findStored = (stored: readonly LaidOut[], path: string): StoredFile | undefined =>
  stored.flatMap(({ files, tree }) => files.get(relative(tree.root, path)) ?? [])[0]

async function layOutSource(
  context: Context,
  source: SourcePart,
  folder: string,
  signal: AbortSignal,
): Promise<LaidOut> {
  const files = new Map<string, StoredFile>()
  for await (const { path, storeKey, sha256, sizeBytes } of listRevisionFiles(
    context.db,
    source.revision.id,
    source.revision.orgId,
  ))
    files.set(path, { path, storeKey, sha256, sizeBytes })
  if (files.size === 0) throw notFound()
  const { verified } = await layOutAhead(context.storage, [...files.values()], folder, { signal })
  return { files, verified, tree: await openFolder(folder, { links: 'anywhere' }) }
}

/** The last part wakes the export, and one that failed does too. */
async function requireShards({ db }: Context, row: Export): Promise<void> {
  if (row.shardCount === 0) return
  const { open, failed, sentence } = await repository.countShards(db, row.id)
  if (failed > 0)
    throw new ServiceError('export_failed', sentence ?? 'A part of the export was canceled; queue the export again.')
  if (open > 0) throw new ServiceError('not_ready', `${open} parts are not encoded yet.`, { retryAfterSeconds: 60 })
}

async function writeDataset(
  context: Context,
  { signal, report }: JobRun,
  making: ExportWork,
  { target, trees, onFile }: { target: string; trees: readonly FileTree[]; onFile: (file: WrittenFile) => void },
): Promise<{ files: readonly WrittenFile[]; notes: readonly string[] }> {
  const { source, version } = making
  await using opened = await openSources(source, trees, signal)
  const dataset = await takeStaged(context, making, opened, signal)
  const { files, findings } = await write(dataset, target, {
    signal,
    onFile,
    cameraStatistics: 'carry',
    keepFilesBy: 'link',
    ...(version.card ? { readme: writeCard(version.card) } : {}),
    onProgress: ({ phase, done, total }) => {
      const [from, to] = phase === 'episodes' ? [5, 60] : [60, 75]
      report({
        pct: from + ((to - from) * done) / Math.max(1, total),
        phase: 'writing',
        message: `${phase}: ${done} of ${total}.`,
      })
    },
  })
  const notes = findings.filter(({ rule }) => rule.startsWith('statistics-of-')).map(({ sentence }) => sentence)
  return { files, notes }
}

/** What the shards encoded stands in for the changes of the recipe. */
async function takeStaged(
  { db, storage }: Context,
  { row, source, work }: ExportWork,
  dataset: Dataset,
  signal: AbortSignal,
): Promise<Dataset> {
  if (row.shardCount === 0) return dataset
  const folder = join(work, 'encoded')
  const files: { path: string; storeKey: string }[] = []
  for await (const { logicalPath, storeKey } of iterateBlobs(db, stagedOwner(row.id, row.orgId)))
    files.push({ path: logicalPath, storeKey })
  await layOutVerified(storage, files, folder, { signal })
  const known = new Set(files.map(({ path }) => path))
  // Parts know cameras by the names they are stored under.
  const { plan } = source.parts[0]
  const storedKeys = new Map(plan.cameras.map(({ camera, name }) => [name, camera.key]))
  return withEncodedCameras(dataset, async (position, name): Promise<EncodedCamera | undefined> => {
    const camera = storedKeys.get(name) ?? name
    const episode = nameEpisode(plan, position)
    const video = stagedPath(camera, episode, 'mp4')
    if (!known.has(video)) return undefined
    const notes = await readFile(join(folder, stagedPath(camera, episode, 'json')), 'utf8')
    return { file: join(folder, video), statistics: unpackStatistics(JSON.parse(notes)) }
  })
}
