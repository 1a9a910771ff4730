import { canBeSignal, nameAction, nameState, resolveRoles, type SignalRoles, toRoles } from '@nmp/formats/signal-roles'
import type { Caller } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { FeatureEntry, ReadModelManifest } from '../datasets/read-model/manifest.ts'
import type { Dataset } from '../datasets/seen-dataset.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import * as repository from './repository.ts'

export const measureJobKind = 'measure'
/** Somebody looks at the page and waits for it; imports come first. */
const measurePriority = 5

/** What is set, what the numbers of the shown revision are made of, and what could be set. */
export interface OpenedSignals {
  dataset: Dataset
  setting: repository.SignalSetting | undefined
  manifest: ReadModelManifest
}

export async function openSignals(context: Context, dataset: Dataset): Promise<OpenedSignals> {
  const { manifest } = await getReadModel(context, { ...dataset.revision, orgId: dataset.orgId })
  return { dataset, setting: await repository.findSetting(context.db, dataset.id), manifest }
}

/** Columns of the shown revision that can be state or action. */
export const listChoices = ({ features }: ReadModelManifest): FeatureEntry[] => features.filter(canBeSignal)

const isOpen = (setting: repository.SignalSetting | undefined): boolean =>
  setting?.jobState === 'queued' || setting?.jobState === 'running'

export const isSame = (a: SignalRoles | undefined, b: SignalRoles | undefined): boolean =>
  nameState({ roles: a }) === nameState({ roles: b }) && nameAction({ roles: a }) === nameAction({ roles: b })

/** What is left out stays as it was; null is found by name. Queues the measuring where the shown revision goes by others. */
export async function changeSignals(
  context: Context,
  caller: Caller,
  dataset: Dataset,
  change: { state?: string | null; action?: string | null },
): Promise<OpenedSignals> {
  if (dataset.deletionRequestedAt)
    throw new ServiceError('conflict', `The dataset ${dataset.slug} is being deleted. Restore it to change it.`)
  const { manifest, setting: before } = await openSignals(context, dataset)
  const { state = before?.state ?? null, action = before?.action ?? null } = change
  requireChoice(manifest, 'state', change.state)
  requireChoice(manifest, 'action', change.action)
  const wanted = resolveRoles(toRoles(state, action), manifest.features).roles
  if (nameState({ roles: wanted }) === nameAction({ roles: wanted }))
    throw invalidValue(
      ['body', change.action === undefined ? 'state' : 'action'],
      `state and action are different columns, and both would be ${nameState({ roles: wanted })}`,
      change.action ?? change.state ?? null,
    )
  await inTransaction(context.db, async (trx) => {
    await repository.lockMeasured(trx, dataset.id)
    const held = await repository.findSetting(trx, dataset.id)
    await repository.putRoles(trx, dataset.id, { state, action, userId: caller.userId })
    const isKept = held?.state === state && held.action === action && isOpen(held)
    if (!isKept) {
      if (held?.jobId && isOpen(held)) await requestCancel(trx, held.jobId)
      if (isSame(wanted, manifest.roles)) await repository.putJob(trx, dataset.id, null)
      else await queueMeasuring(trx, dataset.id, dataset.orgId)
    }
    await recordAudit(trx, caller, {
      action: 'dataset.change_signals',
      resource: { kind: 'dataset', id: dataset.id },
      orgId: dataset.orgId,
      detail: { slug: dataset.slug, state, action },
    })
  })
  return openSignals(context, dataset)
}

function requireChoice(manifest: ReadModelManifest, role: 'state' | 'action', name: string | null | undefined): void {
  if (name === undefined || name === null) return
  const choices = listChoices(manifest).map((column) => column.name)
  if (choices.includes(name)) return
  const why = manifest.features.some((feature) => feature.name === name)
    ? `${name} is no row of numbers`
    : `there is no column ${name}`
  const known = choices.length > 0 ? `choose one of ${choices.join(', ')}` : 'the dataset has no column that could be'
  throw invalidValue(['body', role], `${why}; ${known}`, name)
}

async function queueMeasuring(trx: Transaction, datasetId: string, orgId: string): Promise<void> {
  const id = createId('sig')
  await createJob(trx, { id, orgId, kind: measureJobKind, priority: measurePriority })
  await repository.putJob(trx, datasetId, id)
}

/** By what a new revision of the dataset is to be measured. */
export const findRoles = (db: Database, datasetId: string): Promise<SignalRoles | undefined> =>
  repository.findRoles(db, datasetId)

/**
 * In the transaction in which an import publishes a revision that was measured by `roles`: where others were set meanwhile, it is
 * measured again by those.
 */
export async function followRoles(
  trx: Transaction,
  { datasetId, orgId, roles }: { datasetId: string; orgId: string; roles: SignalRoles | undefined },
): Promise<void> {
  if (!isSame(await repository.findRoles(trx, datasetId), roles)) await queueMeasuring(trx, datasetId, orgId)
}
