import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileTree, openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { type SignalRoles, withRoles } from '@nmp/formats/signal-roles'
import { readTargetOptions } from '@nmp/formats/writers/target-options'
import { type TargetWish, writeSeveral } from '@nmp/formats/writers/write-several'
import type { WriteReport } from '@nmp/formats/writers/writer'
import type { Context } from '../context.ts'
import { findManifest } from '../datasets/read-model/cache.ts'
import { listStoredFiles } from '../datasets/stored-files.ts'
import type { Transaction } from '../db/database.ts'
import { describeError, notFound, ServiceError } from '../errors.ts'
import type { JobRun } from '../jobs/handler.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { computeResultDigest, dropBlobs, publishBlobs } from '../storage/blobs.ts'
import { layOutVerified } from '../storage/local-tree.ts'
import { addWithinQuota, quotaOf } from '../storage/quota.ts'
import { artifactOwner, targetPrefix, tarPath } from '../versions/owners.ts'
import { getVersion, lockVersion, type Version } from '../versions/service.ts'
import { findTarget, type Target } from '../versions/targets.ts'
import { listBesideLosses, withAnnotations } from './beside-target.ts'
import { findLeft, type LeftTarget, leaveFor, type MadeTarget, stageReports, wakeFollowers } from './made-together.ts'
import { markFollowersRunning, markRunning } from './mark-running.ts'
import { openPacking, type Packing } from './packing.ts'
import { publishTarget } from './publish.ts'
import { listFollowers } from './repository.ts'
import type { Export } from './service.ts'
import { stagedOwner } from './shards.ts'

/** The end of the version's own export, and of one that writes another too, wakes whoever waits; an hour is for one that was queued anew since. */
const anotherWaitSeconds = 3600

/**
 * Writes a version in another form, from the files of the version itself: what a recipe changes is decoded and encoded once, however
 * many forms are asked for, and all of them have the same rows and pictures. Forms that decode pictures and were asked for in one go are
 * written by the job of the first, from one decoder; the jobs of the others publish what it leaves them.
 */
export async function runTarget(context: Context, run: JobRun, row: Export) {
  const { db, job, report } = run
  const version = await getVersion(db, row.versionId)
  requireMade(version)
  requireLeadOver(row)
  await markRunning(run, { versionId: version.id, key: row.artifactKey, exportId: row.id })
  const left = row.madeWith === null ? undefined : await findLeft(context, row)
  const { own, others } = left ? { own: left, others: [] } : await makeTargets(context, run, row, version)
  const { entries, tar } = own
  const owner = artifactOwner(version.id, job.orgId)
  report({ pct: 99, phase: 'publishing', message: 'The artifact is published.' })
  return {
    digest: computeResultDigest(entries),
    publish: async (trx: Transaction) => {
      // Before the version is held: whoever cancels one of them holds it before the version, too.
      const waiting = await wakeFollowers(trx, row.id, others)
      await lockVersion(trx, version.id)
      await addWithinQuota(trx, quotaOf(context.config, job.orgId, 'export'), async () => {
        // What was made of it before, with other options.
        await dropBlobs(trx, owner, targetPrefix(row.artifactKey))
        await dropBlobs(trx, owner, tarPath(row.artifactKey))
        await publishBlobs(trx, owner, entries)
        await dropBlobs(trx, stagedOwner(row.id, job.orgId))
      })
      await publishTarget(trx, row, version, { checksum: tar.sha256, sizeBytes: tar.sizeBytes, report: own.report })
      for (const other of waiting) await leaveFor(trx, other)
    },
  }
}

interface Made {
  own: MadeTarget
  others: readonly LeftTarget[]
}

/** This one, and those that are to be written with it. What is wrong with one of those is no reason not to make this one. */
async function makeTargets(context: Context, run: JobRun, row: Export, version: Version): Promise<Made> {
  const { db, job, log, signal, report } = run
  const work = await openWorkFolder(context, run.claim)
  try {
    report({ pct: 1, phase: 'reading', message: "The version's files are opened." })
    const owner = artifactOwner(version.id, job.orgId)
    const source = join(work, 'source')
    const files = await Array.fromAsync(listStoredFiles(db, { owner, prefix: 'files/' }))
    await layOutVerified(context.storage, files, source, { signal })
    const tree = await openFolder(source, { links: 'anywhere' })
    const roles = (await findManifest(context, owner))?.roles
    const beside = listBesideLosses(files.map(({ path }) => path))
    const making = { version, tree, roles, beside }
    const followers = await listFollowers(db, row.id)
    const make = async (others: readonly Export[], folder: string): Promise<Made> => {
      const rows = [row, ...others]
      const [own, ...more] = await makeEntries(context, run, { ...making, rows, work: join(work, folder) })
      if (!own) throw notFound()
      return { own, others: await stageReports(context, run, more) }
    }
    if (followers.length === 0) return await make([], 'alone')
    await markFollowersRunning(run, followers)
    return await make(followers, 'together').catch(async (error) => {
      signal.throwIfAborted()
      log.warn({ job: job.id, error: describeError(error) }, 'forms could not be written together; each is by itself')
      await rm(join(work, 'together'), { recursive: true, force: true })
      return make([], 'alone')
    })
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

interface TargetWork {
  rows: readonly Export[]
  version: Version
  tree: FileTree
  /** Which of its features are state and action, where they are not called so. */
  roles: SignalRoles | undefined
  beside: WriteReport['losses']
  work: string
}

interface TargetPlace {
  row: Export
  target: Target
  folder: string
  packing: Packing
}

async function makeEntries(context: Context, run: JobRun, making: TargetWork): Promise<MadeTarget[]> {
  const { rows, version, beside, work } = making
  await mkdir(work, { recursive: true })
  const places = rows.map((row) => openPlace(context, run, row, work))
  try {
    const reports = await writeTargets(run, making, places)
    run.report({ pct: 75, phase: 'verifying', message: 'The files are read back.' })
    for (const [at, { target, folder }] of places.entries()) {
      const { episodeCount, frameCount, findings } = reports[at] as WriteReport
      const missing = version.episodeCount - episodeCount
      if (missing !== 0) {
        const why = findings.find(({ severity }) => severity === 'error')?.sentence ?? ''
        throw new ServiceError('export_failed', `${missing} episodes could not be written. ${why}`)
      }
      await target.verify?.(folder, { episodeCount, frameCount }, run.signal)
    }
    const made: MadeTarget[] = []
    for (const [at, { row, packing }] of places.entries()) {
      const losses = [...(reports[at] as WriteReport).losses, ...beside]
      made.push({ row, ...(await packing.finish()), report: { losses } })
    }
    return made
  } finally {
    for (const { packing } of places) await packing.close()
  }
}

function openPlace({ storage }: Context, run: JobRun, row: Export, work: string): TargetPlace {
  const { artifactKey: key } = row
  const target = findTarget(key)
  if (!target) throw notFound()
  const folder = join(work, key)
  const packing = openPacking(run, {
    storage,
    folder,
    prefix: targetPrefix(key),
    tarName: tarPath(key),
    topFolder: key,
    cameras: [],
    findStored: () => undefined,
  })
  return { row, target, folder, packing }
}

async function writeTargets(
  { signal, report }: JobRun,
  { tree, roles }: TargetWork,
  places: readonly TargetPlace[],
): Promise<WriteReport[]> {
  await using stored = await openDataset(tree, { signal })
  const dataset = withRoles(await withAnnotations(stored, tree), roles)
  const wishes = places.map(
    ({ row, target, folder, packing }): TargetWish => ({
      writer: target,
      folder,
      settings: readTargetOptions(target, row.options, roles),
      onFile: packing.add,
    }),
  )
  const options: Parameters<typeof writeSeveral>[2] = {
    signal,
    onProgress: ({ phase, done, total }) =>
      report({
        pct: 5 + (70 * done) / Math.max(1, total),
        phase: 'writing',
        message: `${phase}: ${done} of ${total}.`,
      }),
  }
  const [only, ...others] = wishes
  // Waited for here: whoever is given a promise would close the dataset while it is read.
  if (only && others.length === 0) {
    const { writer, folder, settings, onFile } = only
    return [await writer.write(dataset, folder, { ...options, settings, ...(onFile && { onFile }) })]
  }
  return await writeSeveral(dataset, wishes, options)
}

/** The job that writes it too is not to be overtaken. */
function requireLeadOver({ leadState }: Export): void {
  if (leadState === 'queued' || leadState === 'running')
    throw new ServiceError('not_ready', 'The export that this one is written with is not over yet.', {
      retryAfterSeconds: anotherWaitSeconds,
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
