import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import type { Caller, Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { type Curation, putCuration, readCuration } from '../../curation/copied-curation.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { findReadable } from '../../datasets/service.ts'
import { toCard } from '../../datasets/shown-fields.ts'
import { listStoredFiles } from '../../datasets/stored-files.ts'
import type { Transaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { planExport, queuePlanned } from '../../exports/service.ts'
import type { ShardPlan } from '../../exports/shards.ts'
import type { JobRun } from '../../jobs/handler.ts'
import { openBlob, publishBlobs, stageBlob } from '../../storage/blobs.ts'
import { addWithinQuota, quotaOf, requireRoom } from '../../storage/quota.ts'
import { artifactOwner } from '../../versions/owners.ts'
import { presentVersion } from '../../versions/present.ts'
import { findVersion, getListedVersion, getVersion, lockVersion, type Version } from '../../versions/service.ts'
import { sourceOwner } from '../owners.ts'
import * as repository from '../repository.ts'
import { writeFenced } from '../run/write-fenced.ts'
import type { CopiedFrom } from './copied-from.ts'

/** A version that somebody may copy, as it is at the moment. */
export interface CopySource {
  version: Version
  copiedFrom: CopiedFrom
  beside: Beside
  shards: readonly ShardPlan[]
}

/** What no file of a version says: held for the copy, since the version may be gone when it is made. */
interface Beside {
  card: DatasetCard
  curation: Curation
  episodeCount: number
  frameCount: number
}

const besidePath = 'beside.json'
const filesPrefix = 'files/'

/** A version that the caller may read; for everybody else it is not there. */
export async function findCopied(context: Context, principal: Principal, versionId: string): Promise<SeenDataset> {
  const seen = await findReadable(context, principal, versionId)
  if (!seen.derived) throw notFound()
  return seen
}

/** Nothing is written; what an export would need is planned. */
export async function openCopySource(context: Context, principal: Principal, seen: SeenDataset): Promise<CopySource> {
  const { db } = context
  const versionId = seen.dataset.id
  const version = await getVersion(db, versionId)
  const shown = presentVersion(await getListedVersion(db, versionId))
  const { org_slug, project_slug, slug, version: number, name, source, recipe, recipe_counts, composition } = shown
  return {
    version,
    copiedFrom: {
      version_id: versionId,
      org_slug,
      project_slug,
      slug,
      version: number,
      name,
      source,
      recipe: seen.role ? recipe : { ...recipe, notes: null },
      recipe_counts,
      composition,
      recipe_sha256: version.recipeDigest,
    },
    beside: await readBeside(context, seen, version),
    shards: await planExport(context, principal, version),
  }
}

/** Flags and annotation sets are for people of the project: to others that see a public version they are not there. */
async function readBeside(
  { db }: Context,
  { dataset, revision, role }: SeenDataset,
  version: Version,
): Promise<Beside> {
  const curation = role ? await readCuration(db, version.id) : { flags: [], annotationSets: [] }
  const { episodeCount, frameCount } = version
  return { card: toCard(dataset, version.card, revision.summary), curation, episodeCount, frameCount }
}

/**
 * In the transaction that queues the copy: what is written beside the version is held for it, and its files where they are made.
 * Else their export is queued, as for everybody who needs them. Answers what the copy waits for, or null.
 */
export async function holdCopySource(
  context: Context,
  trx: Transaction,
  caller: Caller,
  { version, beside, shards }: CopySource,
  copy: { importId: string; orgId: string },
): Promise<string | null> {
  const { importId, orgId } = copy
  const held = orgId === version.orgId ? beside : { ...beside, curation: hideMakers(beside.curation, caller.userId) }
  const bytes = Buffer.from(JSON.stringify(held))
  const blob = await stageBlob(context.storage, { id: importId, epoch: 0 }, Readable.from([bytes]))
  await publishBlobs(trx, sourceOwner(importId, orgId), [{ logicalPath: besidePath, ...blob }])
  const request = { version, artifactKeys: ['lerobot'] as const }
  const { exports } = await queuePlanned(trx, caller, request, shards)
  const [made] = exports
  if (made?.state === 'succeeded') {
    await takeFiles(context, trx, importId, orgId, version.id)
    return null
  }
  if (orgId !== version.orgId)
    await requireRoom(trx, quotaOf(context.config, orgId, 'copy'), version.summary?.size_bytes ?? 0)
  return `Waiting for the files of the version: its export ${made?.id} is ${made?.state}.`
}

/** Names of people stay in their organization. */
const hideMakers = ({ flags, annotationSets }: Curation, userId: string): Curation => ({
  flags: flags.map((flag) => ({ ...flag, created_by: userId })),
  annotationSets: annotationSets.map((set) => ({ ...set, created_by: userId })),
})

/** At the start of an attempt; those that an earlier one has taken, or the request itself, are there. */
export async function takeVersionFiles(context: Context, run: JobRun, row: repository.ImportRow): Promise<void> {
  if ((await repository.listImportFiles(context.db, row.id)).length > 0) return
  await writeFenced(context, run, (trx) => takeFiles(context, trx, row.id, run.job.orgId, row.versionId ?? ''))
}

/** From then on the copy needs the version no more. */
async function takeFiles(
  { config }: Context,
  trx: Transaction,
  importId: string,
  orgId: string,
  versionId: string,
): Promise<void> {
  await lockVersion(trx, versionId)
  const version = await findVersion(trx, versionId)
  if (!version) throw new ServiceError('conflict', 'The version was deleted before its files were made.')
  requireMade(version)
  const files = await Array.fromAsync(
    listStoredFiles(trx, { owner: artifactOwner(version.id, version.orgId), prefix: filesPrefix }),
  )
  const entries = files.map(({ path, sha256, sizeBytes }) => ({ logicalPath: filesPrefix + path, sha256, sizeBytes }))
  await addWithinQuota(trx, quotaOf(config, orgId, 'copy'), () =>
    publishBlobs(trx, sourceOwner(importId, orgId), entries),
  )
  const rows = files.map((file) => ({
    path: file.path,
    sha256: file.sha256,
    sizeBytes: file.sizeBytes,
    storeKey: file.storeKey,
  }))
  await repository.insertImportFiles(trx, importId, rows)
}

/** The end of the export wakes the copy, however it ended; an hour is for one that was queued anew since. */
const anotherWaitSeconds = 3600

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
    `The export of the version did not succeed. ${why} Retry the copy to export it again.`,
  )
}

/** What is published together with a copy. */
export interface CopiedBeside {
  card: DatasetCard
  /** A copy is whole or none: what is said of an episode by its number would be said of another one. */
  requireWhole(counts: { episodes_imported: number; frames: number }): void
  put(trx: Transaction, revisionId: string): Promise<void>
}

export async function openCopiedBeside(
  { db, storage }: Context,
  row: repository.ImportRow,
  orgId: string,
): Promise<CopiedBeside | null> {
  if (!row.copiedFrom) return null
  const { slug, version } = row.copiedFrom
  const { body } = await openBlob(db, storage, sourceOwner(row.id, orgId), besidePath)
  const { card, curation, episodeCount, frameCount } = (await json(body)) as Beside
  return {
    card,
    requireWhole({ episodes_imported: episodes, frames }) {
      if (episodes === episodeCount && frames === frameCount) return
      throw new ServiceError(
        'export_failed',
        `The version has ${episodeCount} episodes with ${frameCount} frames, and ${episodes} with ${frames} could be read from its files. Derive the version again, and copy that.`,
      )
    },
    put: (trx, id) => putCuration(trx, { kind: 'revision', id }, curation, `Copied from ${slug} version ${version}`),
  }
}
