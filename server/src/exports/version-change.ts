import type { OrgGrant } from '../access/access.ts'
import type { Caller } from '../access/principal.ts'
import { holdsProjectRole } from '../access/roles.ts'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { type EntryContent, putVersionEntry } from '../datasets/listing/service.ts'
import { summarize } from '../datasets/read-model/build.ts'
import { readerOf } from '../datasets/service.ts'
import { inTransaction, type Transaction } from '../db/database.ts'
import { insufficientRole, ServiceError } from '../errors.ts'
import { getVersionGrant } from '../versions/access.ts'
import { planChain } from '../versions/chain.ts'
import { deriveReadModel } from '../versions/derive/derive-read-model.ts'
import { listPublicVersions } from '../versions/reading/service.ts'
import { getVersion, listClosedSources, updateVersion, type Version } from '../versions/service.ts'
import { queueExport } from './service.ts'
import { estimateVersion, openVersionSource } from './version-source.ts'

export interface VersionChange {
  name?: string
  description?: string
  tags?: string[]
  visibility?: 'private' | 'public'
}

/**
 * Words for people are for editors. Visibility is for a signed-in admin of the project who may read the source: whoever finds the
 * version sees what it holds of it, also where the source itself is private.
 */
export async function changeVersion(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  id: string,
  { visibility, ...texts }: VersionChange,
): Promise<Version> {
  const { version, role } = await getVersionGrant(context.db, caller, org, id, 'editor')
  if (visibility !== undefined && !holdsProjectRole(role, 'admin')) throw insufficientRole('admin of the project')
  const isChanged = visibility !== undefined && visibility !== version.visibility
  if (isChanged && visibility === 'public') await prepareToPublish(context, caller, version)
  return inTransaction(context.db, async (trx) => {
    await updateVersion(trx, id, {
      ...texts,
      ...(texts.tags ? { tags: [...new Set(texts.tags)] } : {}),
      ...(isChanged ? { visibility, publishedAt: visibility === 'public' ? new Date() : null } : {}),
    })
    await putVersionEntry(trx, id, await describeEntry(trx, id))
    await recordAudit(trx, caller, {
      action: isChanged ? (visibility === 'public' ? 'version.publish' : 'version.withdraw') : 'version.change',
      resource: { kind: 'version', id },
      orgId: org.id,
      detail: { fields: Object.keys(texts), ...(isChanged ? { visibility } : {}) },
    })
    return getVersion(trx, id)
  })
}

/** Found by what it is shown with, and by what it was derived from. */
async function describeEntry(trx: Transaction, id: string): Promise<EntryContent | undefined> {
  const [seen] = await listPublicVersions(trx, [id])
  if (!seen) return undefined
  const { dataset, revision, derived } = seen
  const { title, slug, orgSlug, workName, robotType, embodiment, description, tags, taskName } = dataset
  const words = [title, slug, orgSlug, derived?.title, workName, robotType, embodiment, description]
  return {
    publishedAt: dataset.publishedAt ?? new Date(),
    title,
    tags,
    sourceKind: revision.sourceKind,
    summary: revision.summary,
    robotType,
    taskName,
    text: words.filter((word) => word).join(' '),
  }
}

/** Whoever finds it takes it: its files are made now, and not when a visitor without an account waits for them. */
async function prepareToPublish(context: Context, caller: Caller, version: Version): Promise<void> {
  const closed = await listClosedSources(context.db, [version.datasetId], readerOf(caller))
  if (closed.length > 0)
    throw new ServiceError(
      'conflict',
      'You cannot publish this version because you may not read its source. Ask someone who may read both.',
    )
  await queueExport(context, caller, { version, artifactKeys: ['lerobot'] })
  if (version.summary === null) await keepSummary(context, version)
}

/** Versions of older programs have none, and the catalog sorts and searches by it. */
async function keepSummary(context: Context, version: Version): Promise<void> {
  const opened = await openVersionSource(context, version)
  const { model, links } = opened.parts[0]
  const { source, plan } = planChain(model, links.slice(0, -1), version)
  const { manifest } = deriveReadModel(source, version.recipe, plan, version.annotations)
  const { bytes } = await estimateVersion(context, opened)
  const summary = JSON.stringify(summarize({ ...manifest, size_bytes: bytes }))
  await inTransaction(context.db, (trx) => updateVersion(trx, version.id, { summary }))
}
