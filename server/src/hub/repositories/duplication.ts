import { Readable } from 'node:stream'
import { inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { stageBlob } from '../../storage/blobs.ts'
import { commitPush } from '../commits/commit-push.ts'
import { finishPush, judgePush } from '../commits/finish-push.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { type HubRequest, patient } from '../hub-request.ts'
import { isModelName } from '../models/names.ts'
import { findPlace, findPush, isTaken, openPush, type PushFile, type PushPlace, takeObjects } from '../push/pushes.ts'
import { callerOf } from '../push/write-routes.ts'
import type { HubFile } from '../reading/commit-files.ts'
import { readJson } from '../request-body.ts'
import { openCommit } from './branches.ts'

/** `{"repository": "lab/copy", "visibility": "private"}`. */
export async function duplicate(call: HubRequest): Promise<HubAnswer> {
  const { context } = call
  const { repository, visibility } = await readJson(call)
  const [org, name] = String(repository ?? '').split('/', 2)
  if (isModelName(call.params.name ?? ''))
    throw new ServiceError(
      'malformed_request',
      'Models cannot be duplicated: the copy would not say what it was trained on. Upload the files under the other name.',
    )
  if (!org || !name || isModelName(name))
    throw new ServiceError('malformed_request', 'Name the new dataset as ORG/NAME in repository.')
  if (visibility !== undefined && visibility !== 'private')
    throw new ServiceError(
      'malformed_request',
      'A duplicate is private: pass private=True, or nothing. An admin of the project can publish it in the console.',
    )
  const place = await findPlace(context.db, callerOf(call), org, name)
  const full = `${org}/${place.project.slug}.${place.slug}`
  const answer = { url: `${context.publicUrl}/hf/datasets/${org}/${name}`, name: `${org}/${name}`, id: full }
  if (await duplicateRepository(call, place)) return { json: answer }
  return { status: 409, json: { ...answer, error: `There is already a dataset called ${full}.` } }
}

/**
 * What `main` of a repository shows, as the first commit of another: no byte is sent or stored again. Like every commit it becomes an
 * import, and like every import a dataset of its own, which stays when the first is deleted. False where the name is taken.
 */
async function duplicateRepository(call: HubRequest, target: PushPlace): Promise<boolean> {
  const { context } = call
  const caller = callerOf(call)
  const { repository, commit } = await openCommit(call, 'main')
  if (await isTaken(context.db, target)) return false
  await call.waitForFiles(caller, commit, patient(call))
  const files = await Promise.all((await call.listFiles(commit)).map((file) => storeFile(call, file)))
  const pushId = await inTransaction(context.db, async (trx) => {
    const inside = { ...context, db: trx }
    const push = await openPush(inside, caller, target)
    // Somebody else was faster; this transaction waited for theirs.
    if (push.head !== null) return undefined
    await takeObjects(inside, push, files)
    await commitPush(inside, caller, push.id, {
      files,
      deletedPaths: [],
      title: `Duplicate of ${repository.name}`,
      message: `Its commit ${commit.id}.`,
      parentCommit: undefined,
    })
    return push.id
  })
  const push = pushId && (await findPush(context.db, pushId))
  if (!push) return false
  if ((await judgePush(context, push)) === undefined) await finishPush(context.db, push, caller)
  return true
}

/** A card that is written for its readers is stored only now. */
async function storeFile({ context, signal }: HubRequest, file: HubFile): Promise<PushFile & { storeKey?: string }> {
  const { path, sizeBytes, sha256, bytes } = file
  if (!bytes) return { path, sizeBytes, sha256 }
  const run = { id: createId('psh'), epoch: 0 }
  return { path, ...(await stageBlob(context.storage, run, Readable.from([bytes]), { signal })) }
}
