import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import { dropBlobs } from '../storage/blobs.ts'
import type { TreeFile } from '../storage/local-tree.ts'
import type { BlobOwner } from '../storage/repository.ts'
import { finishPush, listPushedObjects, listPushFiles, type Push, partOwnerKind } from './pushes.ts'
import { listPartOwners, listQuietPushes, listSettledPushes, lockPush, updatePush } from './repository.ts'
import { findMissingFile } from './wholeness.ts'

const quietSeconds = 10
const expirySeconds = 24 * 3600
/** Who was reading a pushed tree when its import ended goes on reading the same bytes. */
const graceSeconds = 3600
const mostRemembered = 1000

/** Trees that lack something, by push: they are looked at again when a commit has changed them. */
const lacking = new Map<string, string>()

/** Every few seconds: pushes that are whole and quiet become imports, those nobody went on with expire. */
export async function sweepPushes(context: Context): Promise<void> {
  const { db } = context
  for (const push of await listQuietPushes(db, quietSeconds, 100)) {
    if (push.head !== null && (await isWhole(context, push))) await finishPush(db, push, 'program')
    else if (push.age > expirySeconds) await expirePush(context, push)
  }
  for (const id of await listSettledPushes(db, 'xet', 0, 100)) await drop(context, [{ kind: 'xet', id }])
  for (const id of await listSettledPushes(db, partOwnerKind, 0, 100))
    await drop(
      context,
      (await listPartOwners(db, id)).map((owner) => ({ kind: partOwnerKind, id: owner })),
    )
  for (const id of await listSettledPushes(db, 'push', graceSeconds, 100)) await drop(context, [{ kind: 'push', id }])
}

async function isWhole({ db, storage }: Context, push: Push): Promise<boolean> {
  const head = push.head ?? ''
  if (lacking.get(push.id) === head) return false
  const files: TreeFile[] = []
  const objects = await listPushedObjects(db, push)
  for (const { path, sha256 } of await listPushFiles(db, push.id)) {
    const blob = objects.get(sha256)
    if (blob) files.push({ path, storeKey: blob.storeKey })
  }
  if ((await findMissingFile(storage, files)) === undefined) return true
  if (lacking.size >= mostRemembered) lacking.clear()
  lacking.set(push.id, head)
  return false
}

const expirePush = ({ db }: Context, { id }: Push): Promise<void> =>
  inTransaction(db, async (trx) => {
    const push = await lockPush(trx, id)
    if (push?.state !== 'open') return
    await updatePush(trx, id, { state: 'expired' })
    await recordAudit(trx, 'program', {
      action: 'push.expire',
      resource: { kind: 'push', id },
      orgId: push.org_id,
      detail: { slug: push.slug },
    })
  })

/** What an import took over has owners of its own by now. */
const drop = ({ db }: Context, owners: readonly BlobOwner[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    for (const owner of owners) await dropBlobs(trx, owner)
  })
