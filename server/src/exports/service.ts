import type { OrgGrant } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { getRevision } from '../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { quotaOf, requireRoom } from '../storage/quota.ts'
import { type ChainLink, listLinks, planChain } from '../versions/chain.ts'
import { estimateBytes } from '../versions/estimate.ts'
import type { RecipePlan } from '../versions/plan.ts'
import { getVersion, lockVersion, updateArtifact, updateStatus, type Version } from '../versions/service.ts'
import { requireOpenSources } from '../versions/source.ts'
import * as repository from './repository.ts'
import { settleExport } from './settle.ts'
import { planShards, type ShardPlan } from './shards.ts'
import { wakeCopies } from './waiting-copies.ts'

export type Export = repository.Export
export const exportJobKind = 'export'
export const shardJobKind = 'export_shard'

/** The last shard wakes its export; this bounds the wait should a person have meddled with the rows. */
const longestWaitHours = 24

export interface VersionSourceModel {
  /** The stored dataset, and its read model. */
  revision: Revision
  model: ReadModel
  /** Every recipe from there to the version. */
  links: readonly ChainLink[]
  /** All of them as one, in numbers and sizes of the stored dataset. */
  plan: RecipePlan
}

/** What the version is made from, pinned at its creation. */
export async function openVersionSource(context: Context, version: Version): Promise<VersionSourceModel> {
  if (!version.revisionId)
    throw new ServiceError('conflict', 'The source of this version was deleted, so it can no longer be exported.')
  const revision = await getRevision(context.db, version.revisionId)
  const model = await getReadModel(context, revision)
  const links = await listLinks(context.db, version)
  return { revision, model, links, plan: planChain(model, links.slice(0, -1), version).stored }
}

interface QueueRequest {
  version: Version
  artifactKeys: readonly 'lerobot'[]
  retryOf?: string
}

interface Queued {
  version: Version
  exports: Export[]
}

/** An artifact that is queued, running or ready keeps its job. */
export async function queueExport(context: Context, caller: Caller, request: QueueRequest): Promise<Queued> {
  const shards = await planExport(context, caller, request.version)
  return inTransaction(context.db, (trx) => queuePlanned(trx, caller, request, shards))
}

/** In the caller's transaction, with what `planExport` found before it; the version stays as it is answered until the end of it. */
export async function queuePlanned(
  trx: Transaction,
  caller: Caller,
  { version, artifactKeys, retryOf }: QueueRequest,
  shards: readonly ShardPlan[],
): Promise<Queued> {
  if (!(await lockVersion(trx, version.id))) throw notFound()
  const current = await getVersion(trx, version.id)
  const exports: Export[] = []
  for (const key of new Set(artifactKeys)) {
    const existing = findJobOf(current, key)
    const id = existing ?? (await createExport(trx, caller, current, { key, shards, retryOf }))
    exports.push(await getExport(trx, id))
  }
  return { version: await getVersion(trx, version.id), exports }
}

const findJobOf = ({ artifacts }: Version, key: string): string | undefined => {
  const artifact = artifacts.find((entry) => entry.key === key)
  const isKept = artifact && ['queued', 'running', 'ready'].includes(artifact.status)
  return isKept ? (artifact.jobId ?? undefined) : undefined
}

/** The parts of the export that is to be made; none where one is made or under way. */
export async function planExport(context: Context, principal: Principal, version: Version): Promise<ShardPlan[]> {
  if (findJobOf(version, 'lerobot')) return []
  await requireOpenSources(context, principal, version)
  const { revision, model, plan } = await openVersionSource(context, version)
  const estimatedBytes = await estimateBytes(context, revision, model, plan)
  await requireRoom(context.db, quotaOf(context.config, version.orgId, 'export'), estimatedBytes)
  return planShards(plan)
}

async function createExport(
  trx: Transaction,
  caller: Caller,
  version: Version,
  { key, shards, retryOf }: { key: 'lerobot'; shards: readonly ShardPlan[]; retryOf: string | undefined },
): Promise<string> {
  const id = createId('exp')
  const orgId = version.orgId
  const isSharded = shards.length > 0
  const notBefore = new Date(Date.now() + longestWaitHours * 3_600_000)
  await createJob(trx, {
    id,
    orgId,
    kind: exportJobKind,
    ...(isSharded ? { notBefore } : {}),
    ...(retryOf ? { retryOf } : {}),
  })
  const { userId } = caller
  await repository.insertExport(trx, {
    id,
    versionId: version.id,
    artifactKey: key,
    requestedBy: userId,
    shardCount: shards.length,
  })
  const rows = shards.map((shard) => ({ ...shard, id: createId('exp'), exportId: id }))
  for (const shard of rows) await createJob(trx, { id: shard.id, orgId, kind: shardJobKind })
  await repository.insertShards(trx, rows)
  const fresh = { status: 'queued', jobId: id, errorMessage: null } as const
  await updateArtifact(trx, version.id, key, fresh)
  await updateStatus(trx, version.id, 'materializing')
  await recordAudit(trx, caller, {
    action: retryOf ? 'export.retry' : 'export.create',
    resource: { kind: 'export', id },
    orgId,
    detail: { version_id: version.id, artifact_key: key, ...(retryOf ? { retry_of: retryOf } : {}) },
  })
  return id
}

export async function getExport(db: Database, id: string): Promise<Export> {
  const row = await repository.findExport(db, id)
  if (!row) throw notFound()
  return row
}

export const findExport = (db: Database, id: string): Promise<repository.Export | undefined> =>
  repository.findExport(db, id)

/** One of the version's exports; another version's is not there. */
export async function getExportOf(db: Database, version: Version, id: string): Promise<Export> {
  const row = await getExport(db, id)
  if (row.versionId !== version.id) throw notFound()
  return row
}

export async function listExports(db: Database, version: Version, limit: number, cursor: string | undefined) {
  const cursors = cursorsOf('exports', version.id)
  const rows = await repository.listExports(db, version.id, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.id)
}

/** Queued: canceled at once, its parts too. Running: the worker stops within a heartbeat, and it cannot succeed any more. */
export const cancelExport = (
  db: Database,
  caller: Caller,
  org: OrgGrant,
  version: Version,
  id: string,
): Promise<Export> =>
  inTransaction(db, async (trx) => {
    const row = await getExportOf(trx, version, id)
    const answer = await requestCancel(trx, id)
    if (!answer) throw notFound()
    if (answer.outcome === 'already_finished')
      throw new ServiceError('export_already_finished', `The export has ${row.state} and can no longer be canceled.`)
    if (answer.outcome === 'canceled') await settleExport(trx, answer.job)
    if (answer.outcome !== 'already_canceled')
      await recordAudit(trx, caller, {
        action: 'export.cancel',
        resource: { kind: 'export', id },
        orgId: org.id,
      })
    return getExport(trx, id)
  })

/** Stops whatever is made of a version, before the version goes; who waits for it learns that it goes. */
export async function cancelExportsOf(trx: Transaction, versionId: string): Promise<void> {
  for (const id of await repository.listOpenExports(trx, versionId)) {
    const answer = await requestCancel(trx, id)
    if (!answer) continue
    if (answer.outcome === 'canceled') await settleExport(trx, answer.job)
    else for (const shard of await repository.listOpenShards(trx, id)) await requestCancel(trx, shard)
  }
  await wakeCopies(trx, versionId)
}

/** A final export stays as it is; what it was to make is queued again. */
export async function retryExport(context: Context, caller: Caller, version: Version, id: string): Promise<Export> {
  const old = await getExportOf(context.db, version, id)
  if (old.state !== 'failed' && old.state !== 'canceled')
    throw new ServiceError('conflict', `The export is ${old.state}; only a failed or canceled one can be retried.`)
  const { exports } = await queueExport(context, caller, {
    version,
    artifactKeys: ['lerobot'],
    retryOf: id,
  })
  const [made] = exports
  if (!made) throw notFound()
  return made
}
