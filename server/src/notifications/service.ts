import type { Caller } from '../access/principal.ts'
import { recordAudit } from '../audit/service.ts'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { createId } from '../ids.ts'
import { completePreferences, type NotificationKind, type NotificationSeverity } from './kinds.ts'
import * as repository from './repository.ts'

export type Notification = repository.NotificationRow

const keptDays = 90
const longestTitle = 300
const longestDetail = 1000

export interface NotificationRequest {
  kind: NotificationKind
  /** Nothing bad without it. */
  severity?: NotificationSeverity
  userIds: readonly string[]
  orgId: string | null
  projectId?: string | null
  resourceKind: string
  resourceId: string
  /** A whole sentence: the subject of the mail and the line in the list. */
  title: string
  /** What is said below it, in the list and in the mail: the first reason. */
  detail?: string
  /** Where it leads, below the public address: `/orgs/…`. */
  path: string
  /** What the mail alone says between them and the link. */
  lines?: readonly string[]
}

/**
 * Tells people, in the transaction of what happened: neither is there without the other. Each person's switches decide between the list
 * and the mail; mails leave afterwards, at least once. Answers the ids of the mails.
 */
export async function notify(trx: Transaction, request: NotificationRequest): Promise<string[]> {
  const title = cutTitle(request.title)
  const detail = request.detail?.slice(0, longestDetail) || null
  const mailIds: string[] = []
  for (const person of await repository.listRecipients(trx, [...new Set(request.userIds)])) {
    const { in_app, email } = completePreferences(person.preferences)[request.kind]
    const { kind, severity = 'info', orgId, projectId = null, resourceKind, resourceId, path, lines = [] } = request
    if (in_app)
      await repository.insertNotification(trx, {
        id: createId('ntf'),
        userId: person.id,
        kind,
        severity,
        orgId,
        projectId,
        resourceKind,
        resourceId,
        title,
        detail,
        path,
      })
    if (!email) continue
    const body = [...(detail === null ? [] : [detail]), ...lines, linkMark + path].join('\n')
    mailIds.push(await queueMail(trx, { to: person.email, subject: title, body }))
  }
  return mailIds
}

/** Stands for the public address in a mail that waits: the address is known when it is sent. */
export const linkMark = '{public_url}'

/** A mail of its own, for people who have no account. It is written with the event and sent after it. */
export async function queueMail(
  trx: Transaction,
  mail: { to: string; subject: string; body: string },
): Promise<string> {
  const id = createId('ntf')
  await repository.insertMail(trx, { id, ...mail, subject: cutTitle(mail.subject) })
  return id
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a subject
const controlCharacters = /[\u0000-\u001f\u007f]+/g
const cutTitle = (title: string): string => title.replaceAll(controlCharacters, ' ').slice(0, longestTitle) || '…'

export async function listNotifications(
  db: Database,
  reader: repository.Reader,
  { limit, cursor, onlyUnread }: { limit: number; cursor: string | undefined; onlyUnread: boolean },
) {
  const cursors = cursorsOf('notifications', reader.userId)
  const rows = await repository.listNotifications(db, reader, {
    limit: limit + 1,
    beforeId: cursors.decode(cursor),
    onlyUnread,
  })
  return { ...cursors.cut(rows, limit, (row) => row.id), unreadCount: await repository.countUnread(db, reader) }
}

export const findNotification = (
  db: Database,
  reader: repository.Reader,
  id: string,
): Promise<repository.NotificationRow | undefined> => repository.findNotification(db, reader, id)

export const listNotificationIdsSince = (db: Database, userId: string, since: Date, limit: number): Promise<string[]> =>
  repository.listNotificationIdsSince(db, userId, since, limit)

export const countUnread = (db: Database, reader: repository.Reader): Promise<number> =>
  repository.countUnread(db, reader)

export const markNotificationsRead = (
  db: Database,
  caller: Caller,
  ids: readonly string[] | undefined,
): Promise<number> =>
  inTransaction(db, async (trx) => {
    const count = await repository.markRead(trx, caller, ids)
    await recordAudit(trx, caller, {
      action: 'notification.read',
      resource: { kind: 'user', id: caller.userId },
      detail: { count },
    })
    return repository.countUnread(trx, caller)
  })

export const deleteOldNotifications = ({ db }: Context): Promise<number> =>
  repository.deleteOldNotifications(db, keptDays)
