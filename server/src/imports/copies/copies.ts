import { type ProjectGrant, projectEditor } from '../../access/access.ts'
import type { Caller, Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { postponeJob } from '../../jobs/statements/postpone-job.ts'
import { authorize } from '../../organizations/service.ts'
import { type CreatedImport, findReplayed, type NewImport, queueImport, refuseArchived } from '../queue-import.ts'
import * as repository from '../repository.ts'
import { computeFingerprint, type ImportOptions } from '../request.ts'
import { type CopySource, findCopied, holdCopySource, openCopySource } from './version-copy.ts'

/** The export wakes the copy; it may take this long. */
const longestWaitHours = 24

export interface CopyRequest {
  org_slug?: string | null
  project_slug?: string | null
  dataset_slug: string
  title?: string | null
  idempotency_key?: string | null
  idempotency_fingerprint?: string | null
}

/** Queues a copy of a version that the caller may read, into a project that they may write to: its own unless another is named. */
export async function copyVersion(
  context: Context,
  caller: Caller,
  place: { org_slug: string; version_id: string },
  body: CopyRequest,
): Promise<CreatedImport> {
  const { db } = context
  const seen = await findCopied(context, caller, place.version_id)
  if (seen.org.slug !== place.org_slug) throw notFound()
  const target = { org_slug: body.org_slug ?? seen.org.slug, project_slug: body.project_slug ?? seen.project.slug }
  const { org, project } = await authorize(db, caller, projectEditor, target)
  if (!org || !project) throw notFound()
  const { org_slug: _org, project_slug: _project, ...meaning } = body
  const input: NewImport = {
    orgId: org.id,
    projectId: project.id,
    slug: body.dataset_slug,
    // Somebody named the version, so its title is a person's and stays when the dataset gets other revisions.
    title: body.title ?? seen.dataset.title,
    sourceKind: 'version',
    idempotencyKey: body.idempotency_key ?? null,
    fingerprint: computeFingerprint({ ...meaning, source_kind: 'version', version_id: seen.dataset.id }),
    createdBy: caller.userId,
  }
  // Before it is planned: a copy that was made once may be impossible by now.
  const isKnown = input.idempotencyKey && (await repository.findImportByKey(db, project.id, input.idempotencyKey))
  if (isKnown) return { row: await findReplayed(db, input), replayed: true }
  return queueCopy(context, caller, project, await openCopySource(context, caller, seen), input)
}

export const queueCopy = (
  context: Context,
  caller: Caller,
  project: ProjectGrant,
  source: CopySource,
  input: NewImport,
): Promise<CreatedImport> =>
  inTransaction(context.db, async (trx) => {
    let waitsFor: string | null = null
    const copy = { ...input, copiedFrom: source.copiedFrom }
    const created = await queueImport(trx, caller, copy, async (importId) => {
      refuseArchived(project)
      const { orgId } = input
      waitsFor = await holdCopySource(context, trx, caller, source, { importId, orgId })
    })
    if (waitsFor === null) return created
    await postponeJob(trx, created.row.id, { hours: longestWaitHours, message: waitsFor })
    return { ...created, row: (await repository.findImportById(trx, created.row.id)) ?? created.row }
  })

/** A copy again is a copy of the version as it is now. */
export async function openCopyAgain(context: Context, principal: Principal, versionId: string, options: ImportOptions) {
  if (Object.keys(options).length > 0)
    throw invalidValue(['body', 'options'], 'a copy takes no options: derive a version with another recipe', options)
  const seen = await findCopied(context, principal, versionId).catch((error) => {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    throw new ServiceError('conflict', 'The version that was copied was deleted, or you may no longer read it.')
  })
  return openCopySource(context, principal, seen)
}
