import type { Caller } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { inTransaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { createId } from '../ids.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { deriveFingerprints, joinFingerprints } from './derive-fingerprints.ts'
import { findFingerprints, type KeptFingerprints } from './kept-fingerprints.ts'
import * as repository from './repository.ts'

export const fingerprintJobKind = 'fingerprint'
/** Somebody waits for it, as for an import. */
const fingerprintPriority = 0

/** Stored, or of stored episodes that a version takes as they are; undefined where they must be taken first. */
export async function findSideFingerprints(context: Context, seen: SeenDataset): Promise<KeptFingerprints | undefined> {
  const own = await findFingerprints(context, seen.revision)
  const planned = seen.derived?.planned
  if (own || !planned) return own
  if (seen.derived?.sources) {
    const model = await getReadModel(context, planned)
    const stored = await Promise.all((model.parts ?? []).map(({ place }) => findFingerprints(context, place)))
    return joinFingerprints(model, stored)
  }
  const { kind, id, orgId = '' } = planned.content?.files.owner ?? { kind: '', id: '' }
  if (kind !== 'revision') return undefined
  const stored = await findFingerprints(context, { id, orgId })
  return stored && deriveFingerprints(stored, await getReadModel(context, planned))
}

export interface Preparation {
  state: 'queued' | 'running' | 'failed'
  jobId: string
  progressPct: number
  message: string
}

const open: ReadonlySet<string> = new Set(['queued', 'running'])

/**
 * Has the fingerprints of a side taken, once however many ask. A run that failed is told and, when somebody asks again, tried anew.
 */
export async function prepareSide(
  context: Context,
  caller: Caller,
  seen: SeenDataset,
  isAgain: boolean,
): Promise<Preparation> {
  const subjectId = seen.revision.id
  if (seen.role === null)
    throw new ServiceError(
      'conflict',
      `The episodes of ${seen.dataset.slug} were never fingerprinted, and only people of its project can start that.`,
    )
  const run = await inTransaction(context.db, async (trx) => {
    await repository.lockSubject(trx, subjectId)
    const known = await repository.findRun(trx, subjectId)
    if (known && (open.has(known.state) || (known.state === 'failed' && !isAgain))) return known
    const jobId = createId('fpr')
    await createJob(trx, { id: jobId, orgId: seen.org.id, kind: fingerprintJobKind, priority: fingerprintPriority })
    await repository.insertRun(trx, { jobId, subjectId, datasetId: seen.dataset.id })
    await recordAudit(trx, caller, {
      action: 'fingerprint.start',
      resource: { kind: 'fingerprint', id: jobId },
      orgId: seen.org.id,
      detail: { [seen.derived ? 'version_id' : 'revision_id']: subjectId },
    })
    return { jobId, state: 'queued' as const, progressPct: 0, errorMessage: null }
  })
  const message =
    run.state === 'failed'
      ? `The episodes could not be fingerprinted: ${run.errorMessage ?? 'the run failed.'} Ask with again=true to try once more.`
      : 'Its episodes were never fingerprinted: their rows and packets are read now, once.'
  const state = run.state === 'failed' ? 'failed' : run.state === 'queued' ? 'queued' : 'running'
  return { state, jobId: run.jobId, progressPct: run.progressPct ?? 0, message }
}
