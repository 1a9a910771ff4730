import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { findDatasetBySlug, listRevisionFiles } from '../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import { createId } from '../ids.ts'
import { createImportFromBlobs } from '../imports/service.ts'
import type { JobState } from '../jobs/tables.ts'
import { projectEditor } from '../organizations/access.ts'
import { authorize } from '../organizations/service.ts'
import { findBlob, keepBlobs, listBlobs, publishBlobs } from '../storage/blobs.ts'
import { addWithinQuota } from '../storage/quota.ts'
import type { Blob, BlobOwner } from '../storage/repository.ts'
import { isSlugOfVersion } from '../versions/service.ts'
import { nameCommit } from './git-object.ts'
import { readName } from './hub-name.ts'
import { quotaOfPush } from './push-quota.ts'
import * as repository from './repository.ts'

export type Push = repository.PushRow
export type PushFile = repository.PushFile
export const { findPush, listPushFiles } = repository

/** What a push has sent: `objects/<sha256>`. */
const pushOwner = ({ id, org_id: orgId }: Pick<Push, 'id' | 'org_id'>): BlobOwner => ({
  kind: 'push',
  id,
  orgId,
})

/** The parts of one large file, until they are put together. */
export const partOwnerKind = 'push_part' as const
export const partOwner = ({ id, org_id: orgId }: Push, sha256: string): BlobOwner => ({
  kind: partOwnerKind,
  id: `${id}/${sha256}`,
  orgId,
})

export interface PushPlace {
  org: { id: string; slug: string }
  project: { id: string; slug: string }
  /** Where the files go; a branch other than main has a slug of its own. */
  slug: string
  branch?: { name: string; of: string }
}

/** Where a push to `ORG/PROJECT.SLUG` or `ORG/SLUG` goes, for those who may import there. */
export async function findPlace(db: Database, principal: Principal, orgSlug: string, name: string): Promise<PushPlace> {
  const { projectSlug = 'default', slug } = readName(name)
  const { org, project } = await authorize(db, principal, projectEditor, {
    org_slug: orgSlug,
    project_slug: projectSlug,
  })
  if (!org || !project) throw notFound()
  if (project.status === 'archived')
    throw new ServiceError('conflict', `The project ${project.slug} is archived. Make it active again to push to it.`)
  return { org, project, slug }
}

/** The open push of a name, made when there is none. One that exists starts from the files that the dataset has. */
export async function openPush(
  context: Context,
  principal: Principal,
  place: PushPlace,
  requestId: string,
  startFiles?: readonly PushFile[],
): Promise<Push> {
  const { db } = context
  const open = await repository.findOpenPush(db, place.project.id, place.slug)
  if (open) return open
  return inTransaction(db, async (trx) => {
    if (await isSlugOfVersion(trx, place.project.id, place.slug))
      throw new ServiceError(
        'slug_taken',
        `${place.slug} is a derived version, which is never pushed to. Choose another name.`,
      )
    const id = createId('psh')
    const row = {
      id,
      org_id: place.org.id,
      project_id: place.project.id,
      slug: place.slug,
      created_by: principal.userId,
      branch: place.branch?.name ?? null,
      branch_of: place.branch?.of ?? null,
    }
    if (await repository.insertPush(trx, row)) {
      await takeOverFiles(trx, id, place, startFiles)
      await recordAudit(trx, principal, {
        action: 'push.open',
        resource: { kind: 'push', id },
        orgId: place.org.id,
        detail: {
          project: place.project.slug,
          slug: place.slug,
          ...(place.branch ? { branch: place.branch.name, branch_of: place.branch.of } : {}),
        },
        requestId,
      })
    }
    const push = await repository.findOpenPush(trx, place.project.id, place.slug)
    if (!push) throw notFound()
    return push
  })
}

async function takeOverFiles(
  trx: Transaction,
  pushId: string,
  place: PushPlace,
  startFiles: readonly PushFile[] = [],
): Promise<void> {
  const dataset = await findDatasetBySlug(trx, place.project.id, place.slug)
  const files = dataset ? await listFilesOfDataset(trx, place, dataset.revision) : startFiles
  if (files.length === 0) return
  await repository.upsertPushFiles(trx, pushId, files)
  await publishBlobs(trx, pushOwner({ id: pushId, org_id: place.org.id }), listObjects(files))
}

const listFilesOfDataset = async (
  trx: Transaction,
  place: PushPlace,
  { id, import_id: importId }: { id: string; import_id: string | null },
): Promise<PushFile[]> => (await listFilesOfImport(trx, importId)) ?? (await listCanonicalFiles(trx, id, place.org.id))

/** What was pushed last, as it was pushed, where that is still stored: the same folder pushed again is then the same tree. */
async function listFilesOfImport(trx: Transaction, importId: string | null): Promise<PushFile[] | undefined> {
  const files = importId === null ? [] : await repository.listFilesOfImport(trx, importId)
  const hashes = [...new Set(files.map(({ sha256 }) => sha256))]
  return hashes.length > 0 && (await keepBlobs(trx, hashes)).size === hashes.length ? files : undefined
}

async function listCanonicalFiles(trx: Transaction, revisionId: string, orgId: string): Promise<PushFile[]> {
  const files: PushFile[] = []
  for await (const { path, sha256, sizeBytes } of listRevisionFiles(trx, revisionId, orgId))
    files.push({ path, sha256, sizeBytes })
  return files
}

const listObjects = (files: readonly PushFile[]) =>
  [...new Map(files.map((file) => [file.sha256, file])).values()].map(({ sha256, sizeBytes }) => ({
    logicalPath: objectPath(sha256),
    sha256,
    sizeBytes,
  }))

const objectPath = (sha256: string): string => `objects/${sha256}`

export const findPushedObject = (db: Database, push: Push, sha256: string): Promise<Blob | undefined> =>
  findBlob(db, pushOwner(push), objectPath(sha256))

/** Everything that has arrived, by sha256. */
export async function listPushedObjects(db: Database, push: Push): Promise<Map<string, Blob>> {
  const objects = new Map<string, Blob>()
  for (let afterPath: string | undefined = ''; afterPath !== undefined; ) {
    const blobs = await listBlobs(db, pushOwner(push), { afterPath, limit: 1_000 })
    for (const blob of blobs) objects.set(blob.sha256, blob)
    afterPath = blobs.length === 1_000 ? blobs.at(-1)?.logicalPath : undefined
  }
  return objects
}

/** Content that has arrived and whose hash was checked. */
export const keepPushedObject = ({ db, config }: Context, push: Push, blob: Blob): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await repository.lockPush(trx, push.id))) throw notFound()
    if (await findPushedObject(trx, push, blob.sha256)) return
    const entry = { logicalPath: objectPath(blob.sha256), ...blob }
    await addWithinQuota(trx, quotaOfPush(config, push.org_id), () => publishBlobs(trx, pushOwner(push), [entry]))
  })

export interface TreeChange {
  files: readonly PushFile[]
  deletedPaths: readonly string[]
  /** What the client builds on, where it says so. */
  parentCommit: string | undefined
  /** What the push began with. */
  startCommit: string | undefined
}

/** Applies a commit; the same tree has the same name, so one that arrives twice changes nothing. */
export const commitPush = (db: Database, pushId: string, change: TreeChange): Promise<string> =>
  inTransaction(db, async (trx) => {
    const push = await repository.lockPush(trx, pushId)
    if (push?.state !== 'open') throw new ServiceError('conflict', 'This push is over. Begin it again.')
    const { parentCommit } = change
    const current = push.head ?? change.startCommit
    if (parentCommit !== undefined && parentCommit !== current)
      throw new ServiceError(
        'parent_commit_moved',
        `The commit builds on ${parentCommit.slice(0, 40)}, and the branch stands at ${current}. Look at what came between, and commit on that.`,
      )
    await repository.deletePushFiles(trx, pushId, change.deletedPaths)
    await repository.upsertPushFiles(trx, pushId, change.files)
    const head = nameTree(await repository.listPushFiles(trx, pushId))
    await repository.updatePush(trx, pushId, { head })
    return head
  })

const nameTree = (files: readonly PushFile[]): string =>
  nameCommit('push', ...files.map(({ path, sha256 }) => `${path} ${sha256}`))

/** The tree is whole: an ordinary import reads it. The same tree pushed twice is one import. */
export const finishPush = (db: Database, push: Push, actor: Principal | 'program', requestId?: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    const current = await repository.lockPush(trx, push.id)
    if (current?.state !== 'open' || current.head === null) return
    const files = await repository.listPushFiles(trx, push.id)
    const queue = (idempotencyKey: string) =>
      createImportFromBlobs(
        trx,
        {
          orgId: push.org_id,
          projectId: push.project_id,
          slug: push.slug,
          title: push.branch === null ? null : `${push.branch_of} (${push.branch})`,
          sourceKind: 'lerobot',
          files,
          createdBy: current.created_by,
          idempotencyKey,
        },
        actor,
        requestId,
      )
    const key = `hub-push:${push.slug}:${current.head}`
    const first = await queue(key)
    const { row } = first.replayed && (await isSpent(trx, push, first.row)) ? await queue(`${key}:${push.id}`) : first
    await repository.updatePush(trx, push.id, { state: 'imported', import_id: row.id })
  })

/** An import of the same tree that failed, or that something newer has replaced, is not what this push asks for. */
async function isSpent(trx: Transaction, push: Push, { id, state }: { id: string; state: JobState }): Promise<boolean> {
  if (state === 'queued' || state === 'running') return false
  const dataset = await findDatasetBySlug(trx, push.project_id, push.slug)
  return dataset?.revision.import_id !== id
}
