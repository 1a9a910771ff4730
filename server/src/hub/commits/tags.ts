import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { isModelSlug } from '../models/names.ts'
import type { PushPlace } from '../push/pushes.ts'
import { listBranches } from '../repository.ts'
import { deleteTag, insertTag } from './repository.ts'

/** Names that follow from the content, or mean something else. */
const reserved = /^(main|HEAD|(revision|version)-\d+|[0-9a-f]{40}|refs\/.*)$/
const codebaseTag = /^v\d+\.\d+$/

/** False when there is a tag of that name. */
export const addTag = (
  db: Database,
  caller: Caller,
  { org, project, slug }: PushPlace,
  { name, commitId, message }: { name: string; commitId: string; message: string },
): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const isBranch = (await listBranches(trx, project.id, slug)).some(({ branch }) => branch === name)
    const isReserved = reserved.test(name) || (codebaseTag.test(name) && !isModelSlug(slug))
    if (!/^[\w][\w./-]{0,99}$/.test(name) || isReserved || isBranch)
      throw new ServiceError(
        'malformed_request',
        `${JSON.stringify(name.slice(0, 100))} is not a valid tag name: use letters, digits, hyphens, dots and slashes, and not the name of a branch, revision or commit.`,
      )
    const isNew = await insertTag(trx, {
      projectId: project.id,
      slug,
      name,
      commitId,
      message: message.toWellFormed().replaceAll('\0', '').slice(0, 10_000),
      createdBy: caller.userId,
    })
    if (isNew)
      await recordAudit(trx, caller, {
        action: 'repository.tag',
        resource: { kind: 'project', id: project.id },
        orgId: org.id,
        detail: { slug, tag: name, commit: commitId },
      })
    return isNew
  })

/** False when there is none. */
export const removeTag = (
  db: Database,
  caller: Caller,
  { org, project, slug }: PushPlace,
  name: string,
): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const isGone = await deleteTag(trx, project.id, slug, name)
    if (isGone)
      await recordAudit(trx, caller, {
        action: 'repository.untag',
        resource: { kind: 'project', id: project.id },
        orgId: org.id,
        detail: { slug, tag: name },
      })
    return isGone
  })
