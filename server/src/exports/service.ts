import type { JsonObject } from '@nmp/formats/json'
import type { OrgGrant } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import { writeCanonicalJson } from '../canonical-json.ts'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { quotaOf, requireRoom } from '../storage/quota.ts'
import { targetPath } from '../versions/owners.ts'
import {
  ensureArtifact,
  getVersion,
  lockVersion,
  updateArtifact,
  updateStatus,
  type Version,
} from '../versions/service.ts'
import { requireOpenSources } from '../versions/source.ts'
import { findTarget } from '../versions/targets.ts'
import * as repository from './repository.ts'
import { requireTargets } from './require-targets.ts'
import { settleExport } from './settle.ts'
import { planShards, type ShardPlan } from './shards.ts'
import { estimateVersion, openVersionSource } from './version-source.ts'
import { wakeWaiting } from './waiting-copies.ts'

export type Export = repository.Export
export const exportJobKind = 'export'
export const shardJobKind = 'export_shard'

/** The last shard wakes its export; this bounds the wait should a person have meddled with the rows. */
const longestWaitHours = 24

interface QueueRequest {
  version: Version
  artifactKeys: readonly string[]
  /** Of the targets, by key. */
  options?: Readonly<Record<string, JsonObject>>
  retryOf?: string
}

interface Queued {
  version: Version
  exports: Export[]
}

/** An artifact that is queued, running or ready keeps its job. */
export async function queueExport(context: Context, caller: Caller, request: QueueRequest): Promise<Queued> {
  await requireTargets(context, request)
  const shards = await planExport(context, caller, request.version)
  return inTransaction(context.db, (trx) => queuePlanned(trx, caller, request, shards))
}

/** In the caller's transaction, with what `planExport` found before it; the version stays as it is answered until the end of it. */
export async function queuePlanned(
  trx: Transaction,
  caller: Caller,
  { version, artifactKeys, options = {}, retryOf }: QueueRequest,
  shards: readonly ShardPlan[],
): Promise<Queued> {
  if (!(await lockVersion(trx, version.id))) throw notFound()
  const current = await getVersion(trx, version.id)
  const exports: Export[] = []
  const keys = new Set(artifactKeys)
  // Every other form is made from the version's own files, so those are made first.
  const isMade = current.artifacts.some(({ key, status }) => key === 'lerobot' && status === 'ready')
  if (!keys.has('lerobot') && !findJobOf(current, 'lerobot'))
    await createExport(trx, caller, current, { key: 'lerobot', shards, options: {}, isWaiting: shards.length > 0 })
  // The first of those that decode pictures writes the others too.
  let lead: string | undefined
  for (const key of keys) {
    const chosen = options[key] ?? {}
    const existing = await findKept(trx, current, key, chosen)
    const own = key === 'lerobot' ? shards : []
    const isDecoded = findTarget(key)?.decodes !== undefined
    const madeWith = isDecoded ? lead : undefined
    const isWaiting = key === 'lerobot' ? own.length > 0 : !isMade || madeWith !== undefined
    const wish = { key, shards: own, options: chosen, isWaiting, madeWith, retryOf }
    const id = existing ?? (await createExport(trx, caller, current, wish))
    if (isDecoded && existing === undefined) lead ??= id
    exports.push(await getExport(trx, id))
  }
  return { version: await getVersion(trx, version.id), exports }
}

const findJobOf = ({ artifacts }: Version, key: string): string | undefined => {
  const artifact = artifacts.find((entry) => entry.key === key)
  const isKept = artifact && ['queued', 'running', 'ready'].includes(artifact.status)
  return isKept ? (artifact.jobId ?? undefined) : undefined
}

/** An artifact that is made with other options is made anew; while it is being made, that is for its owner to end. */
async function findKept(
  trx: Transaction,
  version: Version,
  key: string,
  options: JsonObject,
): Promise<string | undefined> {
  const id = findJobOf(version, key)
  const row = id === undefined ? undefined : await repository.findExport(trx, id)
  if (!row || writeCanonicalJson(row.options) === writeCanonicalJson(options)) return id
  if (row.state === 'succeeded') return undefined
  throw new ServiceError(
    'conflict',
    `The artifact ${key} is being made with other options. Cancel its export ${row.id}, or wait for it.`,
  )
}

/** The parts of the export that is to be made; none where one is made or under way. */
export async function planExport(context: Context, principal: Principal, version: Version): Promise<ShardPlan[]> {
  if (findJobOf(version, 'lerobot')) return []
  await requireOpenSources(context, principal, version)
  const source = await openVersionSource(context, version)
  const { bytes } = await estimateVersion(context, source)
  await requireRoom(context.db, quotaOf(context.config, version.orgId, 'export'), bytes)
  // Which frames of several sources are encoded shows when their files are open: the export does that itself.
  return source.merge ? [] : planShards(source.parts[0].plan)
}

interface ExportWish {
  key: string
  shards: readonly ShardPlan[]
  options: JsonObject
  /** Something else is made first, whose end wakes it. */
  isWaiting: boolean
  /** The export whose job writes this one too. */
  madeWith?: string | undefined
  retryOf?: string | undefined
}

async function createExport(
  trx: Transaction,
  caller: Caller,
  version: Version,
  { key, shards, options, isWaiting, madeWith, retryOf }: ExportWish,
): Promise<string> {
  const id = createId('exp')
  const orgId = version.orgId
  const notBefore = new Date(Date.now() + longestWaitHours * 3_600_000)
  await createJob(trx, {
    id,
    orgId,
    kind: exportJobKind,
    ...(isWaiting ? { notBefore } : {}),
    ...(retryOf ? { retryOf } : {}),
  })
  const { userId } = caller
  await repository.insertExport(trx, {
    id,
    versionId: version.id,
    artifactKey: key,
    options,
    requestedBy: userId,
    shardCount: shards.length,
    madeWith: madeWith ?? null,
  })
  const rows = shards.map((shard) => ({ ...shard, id: createId('exp'), exportId: id }))
  for (const shard of rows) await createJob(trx, { id: shard.id, orgId, kind: shardJobKind })
  await repository.insertShards(trx, rows)
  const fresh = { status: 'queued', jobId: id, errorMessage: null } as const
  await ensureArtifact(trx, { versionId: version.id, key, path: targetPath(version.id, key) })
  await updateArtifact(trx, version.id, key, fresh)
  if (key === 'lerobot') await updateStatus(trx, version.id, 'materializing')
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
  await wakeWaiting(trx, versionId)
}

/** A final export stays as it is; what it was to make is queued again. */
export async function retryExport(context: Context, caller: Caller, version: Version, id: string): Promise<Export> {
  const old = await getExportOf(context.db, version, id)
  if (old.state !== 'failed' && old.state !== 'canceled')
    throw new ServiceError('conflict', `The export is ${old.state}; only a failed or canceled one can be retried.`)
  const { exports } = await queueExport(context, caller, {
    version,
    artifactKeys: [old.artifactKey],
    options: { [old.artifactKey]: old.options },
    retryOf: id,
  })
  const [made] = exports
  if (!made) throw notFound()
  return made
}
