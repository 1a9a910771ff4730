import { join } from 'node:path'
import { type FileTree, openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { type SignalRoles, withRoles } from '@nmp/formats/signal-roles'
import { readTargetOptions } from '@nmp/formats/writers/target-options'
import type { WriteReport } from '@nmp/formats/writers/writer'
import type { Context } from '../context.ts'
import { findManifest } from '../datasets/read-model/cache.ts'
import { listStoredFiles } from '../datasets/stored-files.ts'
import type { Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import type { JobRun } from '../jobs/handler.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { computeResultDigest, dropBlobs, type PublishedEntry, publishBlobs } from '../storage/blobs.ts'
import { layOutFiles } from '../storage/local-tree.ts'
import { addWithinQuota, quotaOf } from '../storage/quota.ts'
import { artifactOwner, targetPrefix, targetTar } from '../versions/owners.ts'
import { getVersion, lockVersion, type Version } from '../versions/service.ts'
import { findTarget, type Target } from '../versions/targets.ts'
import { listBesideLosses, withAnnotations } from './beside-target.ts'
import { markRunning } from './mark-running.ts'
import { openPacking, type Packing } from './packing.ts'
import { publishTarget } from './publish.ts'
import type { Export } from './service.ts'

/** The end of the version's own export wakes whoever waits for it; an hour is for one that was queued anew since. */
const anotherWaitSeconds = 3600

/**
 * Writes a version in another form, from the files of the version itself: what a recipe changes is decoded and encoded once, however
 * many forms are asked for, and all of them have the same rows and pictures.
 */
export async function runTarget(context: Context, run: JobRun, row: Export) {
  const { db, job, report } = run
  const version = await getVersion(db, row.versionId)
  const target = findTarget(row.artifactKey)
  if (!target) throw notFound()
  requireMade(version)
  await markRunning(run, { versionId: version.id, key: row.artifactKey, exportId: row.id })
  const owner = artifactOwner(version.id, job.orgId)
  const work = await openWorkFolder(context, run.claim)
  try {
    report({ pct: 1, phase: 'reading', message: "The version's files are opened." })
    const folder = join(work, 'source')
    const files = await Array.fromAsync(listStoredFiles(db, { owner, prefix: 'files/' }))
    await layOutFiles(context.storage, files, folder, { isVerified: true, signal: run.signal })
    const tree = await openFolder(folder, { links: 'anywhere' })
    const roles = (await findManifest(context, owner))?.roles
    const { entries, losses } = await makeEntries(context, run, { row, version, target, tree, roles, work })
    const beside = listBesideLosses(files.map(({ path }) => path))
    const tar = entries.find(({ logicalPath }) => logicalPath === targetTar(row.artifactKey))
    if (!tar) throw new Error('the tar was not staged')
    report({ pct: 99, phase: 'publishing', message: 'The artifact is published.' })
    return {
      digest: computeResultDigest(entries),
      publish: async (trx: Transaction) => {
        await lockVersion(trx, version.id)
        await addWithinQuota(trx, quotaOf(context.config, job.orgId, 'export'), async () => {
          // What was made of it before, with other options.
          await dropBlobs(trx, owner, targetPrefix(row.artifactKey))
          await dropBlobs(trx, owner, targetTar(row.artifactKey))
          await publishBlobs(trx, owner, entries)
        })
        const made = { checksum: tar.sha256, sizeBytes: tar.sizeBytes, report: { losses: [...losses, ...beside] } }
        await publishTarget(trx, row, version, made)
      },
    }
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

interface TargetWork {
  row: Export
  version: Version
  target: Target
  tree: FileTree
  /** Which of its features are state and action, where they are not called so. */
  roles: SignalRoles | undefined
  work: string
}

async function makeEntries(
  context: Context,
  run: JobRun,
  making: TargetWork,
): Promise<{ entries: PublishedEntry[]; losses: WriteReport['losses'] }> {
  const { row, version, target, work } = making
  const folder = join(work, 'target')
  const packing = openPacking(run, {
    storage: context.storage,
    folder,
    prefix: targetPrefix(row.artifactKey),
    tarName: targetTar(row.artifactKey),
    topFolder: row.artifactKey,
    tarPath: join(work, 'target.tar'),
    cameras: [],
    findStored: () => undefined,
  })
  try {
    const made = await writeTarget(run, making, folder, packing)
    const missing = version.episodeCount - made.episodeCount
    if (missing !== 0) {
      const why = made.findings.find(({ severity }) => severity === 'error')?.sentence ?? ''
      throw new ServiceError('export_failed', `${missing} episodes could not be written. ${why}`)
    }
    run.report({ pct: 75, phase: 'verifying', message: 'The files are read back.' })
    await target.verify?.(folder, { episodeCount: made.episodeCount, frameCount: made.frameCount }, run.signal)
    return { entries: await packing.finish(), losses: made.losses }
  } finally {
    await packing.close()
  }
}

async function writeTarget(
  { signal, report }: JobRun,
  { row, target, tree, roles }: TargetWork,
  folder: string,
  packing: Packing,
): Promise<WriteReport> {
  await using stored = await openDataset(tree, { signal })
  const dataset = withRoles(await withAnnotations(stored, tree), roles)
  // Waited for here: whoever is given a promise would close the dataset while it is read.
  return await target.write(dataset, folder, {
    signal,
    settings: readTargetOptions(target, row.options, roles),
    onFile: packing.add,
    onProgress: ({ phase, done, total }) =>
      report({
        pct: 5 + (70 * done) / Math.max(1, total),
        phase: 'writing',
        message: `${phase}: ${done} of ${total}.`,
      }),
  })
}

function requireMade({ artifacts }: Version): void {
  const artifact = artifacts.find(({ key }) => key === 'lerobot')
  if (artifact?.status === 'ready') return
  if (artifact?.status === 'queued' || artifact?.status === 'running')
    throw new ServiceError('not_ready', 'The files of the version are not made yet.', {
      retryAfterSeconds: anotherWaitSeconds,
    })
  const why = artifact?.status === 'failed' ? (artifact.errorMessage ?? 'No reason was given.') : 'It was canceled.'
  throw new ServiceError(
    'export_failed',
    `The version's own export, which this one is made from, did not succeed. ${why} Retry to make both.`,
  )
}
