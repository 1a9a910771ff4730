import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/database.ts'
import { notify } from '../../notifications/service.ts'
import { dropBlobs } from '../../storage/blobs.ts'
import type { BlobOwner } from '../../storage/repository.ts'
import { finishPush, judgePush } from '../commits/finish-push.ts'
import { isModelSlug } from '../models/names.ts'
import {
  dropUncommitted,
  expireOrphanedPushes,
  findPlaceNames,
  hasOtherState,
  listIdlePushes,
  listPartOwners,
  listRipePushes,
  listSpentPushes,
  lockPush,
  updatePush,
} from '../repository.ts'
import { type Push, partOwnerKind } from './pushes.ts'

/** No commit for so long, and no large file under way: the client may be done. */
const ripe = { quietSeconds: 10, transferSeconds: 600, perOrg: 10, limit: 100 }
/** Nobody goes on with a tree that lacks something, or with a push that has no commit. */
const idle = { keepSeconds: 3600, emptySeconds: 24 * 3600, limit: 100 }
/** Who was reading a pushed tree when its import ended goes on reading the same bytes; one that failed can be looked at for a week. */
const spent = { graceSeconds: 3600, failedSeconds: 7 * 24 * 3600, limit: 100 }

/** Every few seconds: heads that are whole become imports, and pushes that nobody goes on with are closed. */
export async function closePushes(context: Context): Promise<void> {
  const { db } = context
  for (const push of await listRipePushes(db, ripe))
    if ((await judgePush(context, push)) === undefined) await finishPush(db, push, 'program')
  for (const push of await listIdlePushes(db, idle)) await closePush(context, push)
}

/** Every minute, since it looks at all pushes that there ever were: after that, what nobody needs any more goes. */
export async function sweepPushes(context: Context): Promise<void> {
  const { db, config } = context
  await closePushes(context)
  await expireOrphanedPushes(db)
  const rule = { ...spent, keepsRaw: config.NMP_KEEP_RAW }
  for (const id of await listSpentPushes(db, 'xet', rule)) await drop(context, [{ kind: 'xet', id }])
  for (const id of await listSpentPushes(db, partOwnerKind, rule))
    await drop(
      context,
      (await listPartOwners(db, id)).map((owner) => ({ kind: partOwnerKind, id: owner })),
    )
  for (const id of await listSpentPushes(db, 'push', rule)) await drop(context, [{ kind: 'push', id }])
}

/**
 * What was committed stays, as plain files that can be read and built on; whoever pushed it is told what it lacks to be a dataset. A
 * push without a commit leaves nothing, unless it is all there is of a repository or branch that somebody has made.
 */
const closePush = ({ db }: Context, { id }: Push): Promise<void> =>
  inTransaction(db, async (trx) => {
    const push = await lockPush(trx, id)
    if (push?.state !== 'open') return
    const isKept = push.head !== null || push.branch !== null || !(await hasOtherState(trx, push))
    await updatePush(trx, id, { state: isKept ? 'kept' : 'expired' })
    await dropUncommitted(trx, id)
    await recordAudit(trx, 'program', {
      action: isKept ? 'push.keep' : 'push.expire',
      resource: { kind: 'push', id },
      orgId: push.orgId,
      detail: { slug: push.slug, ...(push.lacks === null ? {} : { lacks: push.lacks }) },
    })
    if (push.head === null || push.createdBy === null || isModelSlug(push.slug)) return
    const { org, project } = await findPlaceNames(trx, push.projectId)
    await notify(trx, {
      kind: 'import_fail',
      severity: 'warning',
      userIds: [push.createdBy],
      orgId: push.orgId,
      projectId: push.projectId,
      resourceKind: 'push',
      resourceId: id,
      title: `What was pushed to ${org}/${project}.${push.slug} is kept as plain files: without ${push.lacks} it is not a dataset.`,
      path: `/orgs/${org}/projects/${project}`,
      detail: 'Push what is missing to make it a dataset. Until then the files can be read through the Hub door.',
    })
  })

/** What an import took over has owners of its own by now. */
const drop = ({ db }: Context, owners: readonly BlobOwner[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    for (const owner of owners) await dropBlobs(trx, owner)
  })
