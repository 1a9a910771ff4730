import { ruleSetVersion } from '@nmp/formats/checks'
import type { Caller } from '../access/principal.ts'
import { type Actor, recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { Job } from '../jobs/job.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { canTell, findRule } from './report-view.ts'
import * as repository from './repository.ts'
import { isOpen, type OpenedChecks, openChecks, partOf, parts } from './service.ts'
import { subjectOf } from './subject.ts'
import type { CheckPart } from './tables.ts'

export const checkJobKind = 'check'
/** Behind what people wait for. */
const checkPriority = 10

/** Starts a run of what has no results yet, or of all of it; what is under way stays. */
export async function startChecks(
  context: Context,
  caller: Caller,
  seen: SeenDataset,
  { pictures, again }: { pictures: boolean; again: boolean },
): Promise<OpenedChecks> {
  if (seen.dataset.deletionRequestedAt)
    throw new ServiceError('conflict', `The dataset ${seen.dataset.slug} is being deleted. Restore it to check it.`)
  const asked = pictures ? parts : (['signals'] as const)
  const before = await openChecks(context, seen)
  const wanted = again ? [...asked] : asked.filter((part) => isMissing(before, part))
  await inTransaction(context.db, async (trx) => {
    const subject = subjectOf(seen)
    if (!(await repository.lockSubject(trx, subject))) throw notFound()
    const rows = await repository.listParts(trx, subject.id)
    const idle = wanted.filter((part) => !isOpen(rows.find((row) => row.part === part)))
    await queueRun(trx, caller, { subject, orgId: seen.org.id, parts: idle })
  })
  return openChecks(context, seen)
}

/** In the caller's transaction; nothing where there are no parts. */
export async function queueRun(
  trx: Transaction,
  actor: Actor,
  run: { subject: repository.CheckSubject; orgId: string; parts: readonly CheckPart[] },
): Promise<void> {
  const { subject, orgId } = run
  if (run.parts.length === 0) return
  const id = createId('chk')
  await createJob(trx, { id, orgId, kind: checkJobKind, priority: checkPriority })
  for (const part of run.parts) await repository.putPart(trx, subject, part, { state: 'queued', jobId: id })
  await recordAudit(trx, actor, {
    action: 'check.start',
    resource: { kind: 'check', id },
    orgId,
    detail: { [`${subject.kind}_id`]: subject.id, parts: run.parts },
  })
}

/** Whether a part has no result that the present rules and cut-offs would give again. */
function isMissing({ reports, rows, settings }: OpenedChecks, part: CheckPart): boolean {
  const report = reports[part]
  if (!report || rows[part]?.state !== 'succeeded' || report.ruleSetVersion !== ruleSetVersion) return true
  return Object.entries(settings.cutOffs).some(([id, cutOff]) => {
    const rule = findRule(id)
    return rule !== undefined && partOf(id) === part && !canTell(report, rule, cutOff)
  })
}

export async function cancelChecks(context: Context, caller: Caller, seen: SeenDataset): Promise<OpenedChecks> {
  await inTransaction(context.db, async (trx) => {
    const subject = subjectOf(seen)
    const rows = await repository.listParts(trx, subject.id)
    const ids = new Set(rows.flatMap((row) => (isOpen(row) && row.jobId ? [row.jobId] : [])))
    if (ids.size === 0)
      throw new ServiceError('conflict', 'No check is queued or running, so there is nothing to cancel.')
    for (const id of ids) {
      const answer = await requestCancel(trx, id)
      if (answer?.outcome === 'canceled') await settleChecks(trx, answer.job)
      await recordAudit(trx, caller, { action: 'check.cancel', resource: { kind: 'check', id }, orgId: seen.org.id })
    }
  })
  return openChecks(context, seen)
}

/** A run that failed or was canceled, by whomever: its parts say so, and results of before stay. */
export async function settleChecks(trx: Transaction, job: Job): Promise<void> {
  const message = job.state === 'failed' ? (job.errorMessage ?? 'The checks failed.') : 'The checks were canceled.'
  await repository.endRun(trx, job.id, job.state === 'failed' ? 'failed' : 'canceled', message)
}

export async function changeSettings(
  context: Context,
  caller: Caller,
  seen: SeenDataset,
  { cutOffs, pictures }: repository.CheckSettings,
): Promise<OpenedChecks> {
  for (const [id, value] of Object.entries(cutOffs)) {
    const rule = findRule(id)
    if (!rule) throw invalidValue(['body', 'cut_offs', id], `there is no rule ${id}`, value)
    if (rule.cutOff === null)
      throw invalidValue(['body', 'cut_offs', id], `${id} is a ranking and has no cut-off`, value)
  }
  await inTransaction(context.db, async (trx) => {
    await repository.putSettings(trx, subjectOf(seen), { cutOffs, pictures })
    await recordAudit(trx, caller, {
      action: 'check.change_settings',
      resource: { kind: seen.derived ? 'version' : 'dataset', id: seen.dataset.id },
      orgId: seen.org.id,
      detail: { cut_offs: cutOffs, pictures },
    })
  })
  return openChecks(context, seen)
}

export const findSettings = (db: Database, ownerId: string): Promise<repository.CheckSettings> =>
  repository.findSettings(db, ownerId)
