import type { Caller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { findDatasetBySlug, listRevisionFiles } from '../../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { createImportFromBlobs } from '../../imports/service.ts'
import type { TreeFile as PlacedFile } from '../../storage/local-tree.ts'
import { isModelSlug } from '../models/names.ts'
import { findMissingFile } from '../push/missing-files.ts'
import { listPushedObjects, type Push, type PushFile } from '../push/pushes.ts'
import { findPushOfImport, listUnfinishedImports, lockPush, updatePush } from '../repository.ts'
import { listTreeFiles } from './repository.ts'

const infoPath = 'meta/info.json'

/** What the newest tree of a push lacks of the files that its metadata names; undefined when it is whole. Each tree is looked at once. */
export async function judgePush({ db, storage }: Context, push: Push): Promise<string | undefined> {
  const { id, headNumber: number } = push
  if (push.wholeNumber === number) return undefined
  if (push.judgedNumber === number && push.lacks !== null) return push.lacks
  const files: PlacedFile[] = []
  const objects = await listPushedObjects(db, push)
  for (const { path, sha256 } of await listTreeFiles(db, id, number)) {
    const blob = objects.get(sha256)
    if (blob) files.push({ path, storeKey: blob.storeKey })
  }
  const lacks = isModelSlug(push.slug) ? infoPath : await findMissingFile(storage, files)
  await inTransaction(db, async (trx) => {
    const current = await lockPush(trx, id)
    if (current?.state !== 'open' || current.headNumber < number) return
    await updatePush(trx, id, {
      judgedNumber: number,
      lacks: lacks ?? null,
      ...(lacks === undefined ? { wholeNumber: number } : {}),
    })
  })
  return lacks
}

/**
 * The newest tree is whole: an ordinary import reads it. One at a time for a name, so that they end in the order of the commits: while
 * another runs the push stays open, and its newest whole tree follows. A tree that the dataset was made from already is no new import.
 */
export const finishPush = (db: Database, push: Push, actor: Caller | 'program'): Promise<void> =>
  inTransaction(db, async (trx) => {
    const current = await lockPush(trx, push.id)
    if (current?.state !== 'open' || current.head === null || current.wholeNumber !== current.headNumber) return
    if ((await listUnfinishedImports(trx, push.projectId, push.slug)).length > 0) return
    const files = await listTreeFiles(trx, push.id, current.headNumber)
    const importId = (await findSameImport(trx, current, files)) ?? (await queueImport(trx, current, files, actor))
    await updatePush(trx, push.id, { state: 'imported', importId })
  })

/**
 * The import that the dataset was made by, when the same folder is pushed again: every file of that push is there as it was then, and
 * beside them nothing but files of the revision it became, which a client that only adds leaves in place.
 */
async function findSameImport(trx: Transaction, push: Push, files: readonly PushFile[]): Promise<string | undefined> {
  const dataset = await findDatasetBySlug(trx, push.projectId, push.slug)
  const importId = dataset?.revision.importId
  const made = importId ? await findPushOfImport(trx, importId) : undefined
  if (!dataset || !importId || !made) return undefined
  const pushed = await listTreeFiles(trx, made.id, made.headNumber)
  const given = new Map(files.map(({ path, sha256 }) => [path, sha256]))
  if (!pushed.every(({ path, sha256 }) => given.get(path) === sha256)) return undefined
  for (const { path } of pushed) given.delete(path)
  for await (const { path, sha256 } of listRevisionFiles(trx, dataset.revision.id, push.orgId))
    if (given.get(path) === sha256) given.delete(path)
  return given.size === 0 ? importId : undefined
}

async function queueImport(
  trx: Transaction,
  push: Push,
  files: readonly PushFile[],
  actor: Caller | 'program',
): Promise<string> {
  const { row } = await createImportFromBlobs(
    trx,
    {
      orgId: push.orgId,
      projectId: push.projectId,
      slug: push.slug,
      title: push.branch === null ? null : `${push.branchOf} (${push.branch})`,
      sourceKind: 'lerobot',
      files,
      createdBy: push.createdBy,
      idempotencyKey: `hub-push:${push.slug}:${push.head}`,
    },
    actor,
  )
  return row.id
}
