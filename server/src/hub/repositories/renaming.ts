import { projectAdmin } from '../../access/access.ts'
import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { claimDatasetName, lockNames, passName } from '../../datasets/names/service.ts'
import { inDatasetTransaction } from '../../datasets/public-datasets.ts'
import { findDatasetBySlug, renameDataset } from '../../datasets/service.ts'
import type { Transaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { renameImports } from '../../imports/service.ts'
import { authorize } from '../../organizations/service.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { readName } from '../hub-name.ts'
import type { HubRequest } from '../hub-request.ts'
import { isModelSlug, nameModel, showName } from '../models/names.ts'
import { isTaken, type PushPlace } from '../push/pushes.ts'
import { callerOf } from '../push/write-routes.ts'
import { renamePushes } from '../repository.ts'
import { readJson } from '../request-body.ts'
import { openRepository } from './branches.ts'

/** `{"fromRepo": "lab/cups", "toRepo": "lab/mugs", "type": "dataset"}`: another name in the same project. */
export async function moveRepository(call: HubRequest): Promise<HubAnswer> {
  const { context } = call
  const caller = callerOf(call)
  const { fromRepo, toRepo, type = 'model' } = await readJson(call)
  const [org = '', name = ''] = readRepo(fromRepo, type)
  const [toOrg, toName = ''] = readRepo(toRepo, type)
  const found = await openRepository({ ...call, params: { org, name } })
  const { projectSlug = found.project.slug, slug } = readName(toName)
  if (toOrg !== found.org || projectSlug !== found.project.slug)
    throw new ServiceError(
      'malformed_request',
      `A repository stays in its project, ${found.org}/${found.project.slug}, because its roles, versions and flags are there. Use duplicate_repo with the new name, then delete_repo with this one.`,
    )
  if (found.main.content.kind === 'version')
    throw new ServiceError(
      'conflict',
      `${showName(found.slug)} is a derived version, and its slug stays. Create it again under another slug from the same recipe.`,
    )
  const { org: owner, project } = await authorize(context.db, caller, projectAdmin, {
    org_slug: found.org,
    project_slug: found.project.slug,
  })
  if (owner && project) await renameRepository(context, caller, { org: owner, project, slug: found.slug }, slug)
  return { json: { url: `${context.publicUrl}/hf/${isModelSlug(slug) ? '' : 'datasets/'}${String(toRepo)}` } }
}

const readRepo = (repo: unknown, type: unknown): string[] => {
  const [org = '', name] = String(repo ?? '').split('/', 2)
  if (!org || !name || (type !== 'dataset' && type !== 'model'))
    throw new ServiceError('malformed_request', 'Name both repositories as ORG/NAME, in fromRepo and toRepo.')
  return [org, type === 'model' ? nameModel(name) : name]
}

/**
 * A name with everything that is kept under it: the dataset, its imports, what was pushed and tagged. The old name goes on to lead here
 * until something else takes it. Not while an import runs, which would publish under the old one.
 */
export async function renameRepository(
  context: Context,
  caller: Caller,
  place: PushPlace,
  slug: string,
): Promise<void> {
  const { project, slug: former } = place
  if (slug === former) return
  const known = await findDatasetBySlug(context.db, project.id, former)
  await inDatasetTransaction(context.db, { id: known?.id ?? '' }, async (trx) => {
    await lockNames(trx, project.id, [former, slug])
    await requireFree(trx, { ...place, slug })
    await renameImports(trx, project.id, former, slug)
    await renamePushes(trx, project.id, former, slug)
    await passName(trx, project.id, former, slug)
    const dataset = await findDatasetBySlug(trx, project.id, former)
    if (dataset) await renameDataset(trx, caller, dataset, slug)
    else
      await recordAudit(trx, caller, {
        action: 'repository.rename',
        resource: { kind: 'project', id: project.id },
        orgId: place.org.id,
        detail: { slug, former_slug: former },
      })
  })
}

async function requireFree(trx: Transaction, place: PushPlace): Promise<void> {
  await claimDatasetName(trx, place.project.id, place.slug)
  const isHeld = (await findDatasetBySlug(trx, place.project.id, place.slug)) !== undefined
  if (isHeld || (await isTaken(trx, place)))
    throw new ServiceError(
      'slug_taken',
      `A ${isModelSlug(place.slug) ? 'model' : 'dataset'} repository called ${place.org.slug}/${showName(place.slug)} already exists. Choose another name.`,
    )
}
