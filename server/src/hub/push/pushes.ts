import { projectEditor } from '../../access/access.ts'
import type { Caller, Principal } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { checkDatasetName, findPresentName } from '../../datasets/names/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { authorize } from '../../organizations/service.ts'
import { findBlob, findSoundBlob, iterateBlobs, type PublishedEntry, publishBlobs } from '../../storage/blobs.ts'
import { addWithinQuota, quotaOf } from '../../storage/quota.ts'
import type { Blob, BlobOwner } from '../../storage/repository.ts'
import { findHead, type Head } from '../commits/heads.ts'
import * as commits from '../commits/repository.ts'
import { readName } from '../hub-name.ts'
import * as repository from '../repository.ts'

export type Push = repository.PushRow
export type PushFile = repository.PushFile
export const findPush = (db: Database, id: string): Promise<repository.PushRow | undefined> =>
  repository.findPush(db, id)

export const noteTransfer = (db: Database, id: string): Promise<void> => repository.noteTransfer(db, id)

/** The tree as it was at a commit of the push, by path. */
export const listTreeFiles = (db: Database, pushId: string, number: number): Promise<commits.TreeFile[]> =>
  commits.listTreeFiles(db, pushId, number)

/** What a push has sent, and what it started from: `objects/<sha256>`. */
const pushOwner = ({ id, orgId }: Pick<Push, 'id' | 'orgId'>): BlobOwner => ({
  kind: 'push',
  id,
  orgId,
})

/** The parts of one large file, until they are put together. */
export const partOwnerKind = 'push_part' as const
export const partOwner = ({ id, orgId }: Push, sha256: string): BlobOwner => ({
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

const mostOpenPushes = 1000

/** Where a push to `ORG/PROJECT.SLUG` or `ORG/SLUG` goes, for those who may import there; also by the name it had before. */
export async function findPlace(db: Database, principal: Principal, orgSlug: string, name: string): Promise<PushPlace> {
  const { projectSlug = 'default', slug } = readName(name)
  const { org, project } = await authorize(db, principal, projectEditor, {
    org_slug: orgSlug,
    project_slug: projectSlug,
  })
  if (!org || !project) throw notFound()
  if (project.status === 'archived')
    throw new ServiceError('conflict', `The project ${project.slug} is archived. Reactivate it to push to it.`)
  const place = { org, project, slug }
  const present = await findPresentName(db, project.id, slug)
  return present === undefined || (await isTaken(db, place)) ? place : { ...place, slug: present }
}

/** Whether there is a dataset or version of that name, or something was pushed to it. */
export const isTaken = async (db: Database, { org, project, slug }: PushPlace): Promise<boolean> =>
  (await repository.listNamed(db, org.slug, slug, project.slug)).length > 0 ||
  (await repository.listPushedNames(db, org.slug, slug, project.slug)).length > 0

/** The open push of a name, made when there is none. It starts from the tree that the name stands at; a branch from the one it is made from. */
export async function openPush(context: Context, caller: Caller, place: PushPlace, start?: Head): Promise<Push> {
  const { db } = context
  const open = await repository.findOpenPush(db, place.project.id, place.slug)
  if (open) return open
  return inTransaction(db, async (trx) => {
    await requireFreeName(trx, place)
    const head = start ?? (await findHead(trx, place.project.id, place.slug))
    const id = createId('psh')
    const row = {
      id,
      orgId: place.org.id,
      projectId: place.project.id,
      slug: place.slug,
      createdBy: caller.userId,
      branch: place.branch?.name ?? null,
      branchOf: place.branch?.of ?? null,
    }
    if (await repository.insertPush(trx, row)) {
      await startFrom(trx, row, head)
      await recordAudit(trx, caller, {
        action: 'push.open',
        resource: { kind: 'push', id },
        orgId: place.org.id,
        detail: {
          project: place.project.slug,
          slug: place.slug,
          ...(place.branch ? { branch: place.branch.name, branch_of: place.branch.of } : {}),
        },
      })
    }
    const push = await repository.findOpenPush(trx, place.project.id, place.slug)
    if (!push) throw notFound()
    return push
  })
}

async function requireFreeName(trx: Transaction, { org, project, slug }: PushPlace): Promise<void> {
  await checkDatasetName(trx, project.id, slug)
  if ((await repository.countOpenPushes(trx, org.id)) >= mostOpenPushes)
    throw new ServiceError(
      'conflict',
      `The organization ${org.slug} has ${mostOpenPushes} unfinished pushes. Finish some, or wait: idle ones are closed within a day.`,
    )
}

/** The tree that the first commit of the push changes. */
export async function startFrom(trx: Transaction, push: Pick<Push, 'id' | 'orgId'>, head: Head): Promise<void> {
  const files = await head.listFiles()
  await commits.replaceBaseFiles(trx, push.id, files)
  await repository.updatePush(trx, push.id, { baseId: head.id, codebaseVersion: head.codebaseVersion })
  const known = await listPushedObjects(trx, push)
  await publishBlobs(
    trx,
    pushOwner(push),
    listObjects(files).filter(({ sha256 }) => !known.has(sha256)),
  )
}

const listObjects = (files: readonly PushFile[]) =>
  [...new Map(files.map((file) => [file.sha256, file])).values()].map(({ sha256, sizeBytes }) => ({
    logicalPath: objectPath(sha256),
    sha256,
    sizeBytes,
  }))

const objectPath = (sha256: string): string => `objects/${sha256}`

/** What is known to be bad has not arrived: it is to be sent again. */
export const findPushedObject = (db: Database, push: Push, sha256: string): Promise<Blob | undefined> =>
  findSoundBlob(db, pushOwner(push), objectPath(sha256))

/** Everything that has arrived, by sha256. */
export async function listPushedObjects(db: Database, push: Pick<Push, 'id' | 'orgId'>): Promise<Map<string, Blob>> {
  const objects = new Map<string, Blob>()
  for await (const blob of iterateBlobs(db, pushOwner(push))) objects.set(blob.sha256, blob)
  return objects
}

/** Content that has arrived and whose hash was checked. */
export const keepPushedObject = ({ db, config }: Context, push: Push, blob: Blob): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await repository.lockPush(trx, push.id))) throw notFound()
    await noteTransfer(trx, push.id)
    if (await findBlob(trx, pushOwner(push), objectPath(blob.sha256))) return
    const entry = { logicalPath: objectPath(blob.sha256), ...blob }
    await addWithinQuota(trx, quotaOf(config, push.orgId, 'push'), () => publishBlobs(trx, pushOwner(push), [entry]))
  })

/** Contents that are stored already, for others: what a commit of this push is to name. */
export const takeObjects = (
  { db, config }: Context,
  push: Push,
  objects: readonly Pick<PublishedEntry, 'sha256' | 'sizeBytes' | 'storeKey'>[],
): Promise<void> =>
  inTransaction(db, async (trx) => {
    const known = await listPushedObjects(trx, push)
    const missing = new Map(objects.filter(({ sha256 }) => !known.has(sha256)).map((one) => [one.sha256, one]))
    const entries = [...missing.values()].map(({ sha256, sizeBytes, storeKey }) => ({
      logicalPath: objectPath(sha256),
      sha256,
      sizeBytes,
      ...(storeKey === undefined ? {} : { storeKey }),
    }))
    await addWithinQuota(trx, quotaOf(config, push.orgId, 'copy'), () => publishBlobs(trx, pushOwner(push), entries))
  })
