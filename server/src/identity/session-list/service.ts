import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import { cursorsOf, type ListRequest, readList } from '../../cursor.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import type { RequestClient } from '../../http/route.ts'
import { createId } from '../../ids.ts'
import { operatorClientId } from '../client-ids.ts'
import { revokeSession, type SessionClaims } from '../sessions.ts'
import * as repository from './repository.ts'

export type ListedSession = repository.ListedSession

const noticeMs = 60_000
/** Issuers elsewhere do not tell when a session ends: this long after it was seen last it is taken for over. */
const foreignDays = 30
/** Longer than the session of another issuer is refreshed, which cannot be stopped there. */
const foreignRevocationDays = 90

/** Somebody has signed in with this browser. */
export const noteBrowser = (db: Database, userId: string, uid: string, from: RequestClient): Promise<void> =>
  repository.upsertSession(db, {
    id: createId('ses'),
    sessionId: uid,
    userId,
    kind: 'browser',
    clientId: null,
    browserUid: uid,
    expiresAt: null,
    ...bound(from),
  })

interface IssuedGrant {
  grantId: string
  userId: string
  clientId: string | null
  /** Of the browser that it ends with. */
  browserUid: string | null
}

/** A program was given a token by the embedded provider. */
export const noteGrant = (db: Database, grant: IssuedGrant, from: RequestClient): Promise<void> =>
  repository.upsertSession(db, {
    id: createId('ses'),
    sessionId: grant.grantId,
    userId: grant.userId,
    kind: 'grant',
    clientId: grant.clientId,
    browserUid: grant.browserUid,
    expiresAt: null,
    ...bound(from),
  })

/** Writes down where sessions are seen at the API, each once a minute. Those whose issuer gives them no name are one per token, and not listed. */
export function createSessionNotes(db: Database) {
  const notedAt = new BoundedMap<string, number>(10_000)
  return async (claims: SessionClaims, userId: string, from: RequestClient): Promise<void> => {
    const { sessionId, isNamed, issuer, clientId, expiresAt } = claims
    if (!isNamed || Date.now() - (notedAt.get(sessionId) ?? 0) < noticeMs) return
    notedAt.set(sessionId, Date.now())
    const isOperator = clientId === operatorClientId
    const isForeign = isOperator || issuer !== 'local'
    const end = isOperator ? expiresAt : new Date(Date.now() + foreignDays * 86_400_000)
    await repository.upsertSession(db, {
      id: createId('ses'),
      sessionId,
      userId,
      kind: isForeign ? 'foreign' : 'grant',
      clientId: clientId ?? null,
      browserUid: null,
      expiresAt: isForeign ? end : null,
      ...bound(from),
    })
  }
}

export const listSessions = (db: Database, userId: string, request: ListRequest) =>
  readList(
    cursorsOf('sessions', userId),
    request,
    (limit, before) => repository.listSessions(db, userId, limit, before),
    (row) => row.id,
  )

/** Which of a person's sessions asks: by the id in its token, or of a browser at the account's pages by its sign-in. */
export const isCurrent = (session: ListedSession, asking: { sessionId: string } | { browserUid: string }): boolean =>
  'sessionId' in asking ? session.sessionId === asking.sessionId : session.browserUid === asking.browserUid

export const endSession = (db: Database, caller: Caller, id: string): Promise<ListedSession> =>
  inTransaction(db, async (trx) => {
    const session = await repository.findSession(trx, caller.userId, id)
    if (!session) throw notFound()
    await end(trx, caller, session)
    return session
  })

/** Every session but the one that asks; how many there were. */
export const endOtherSessions = (
  db: Database,
  caller: Caller,
  asking: { sessionId: string } | { browserUid: string },
): Promise<number> =>
  inTransaction(db, async (trx) => {
    const all = await repository.listAllSessions(trx, caller.userId)
    const others = all.filter((session) => !isCurrent(session, asking))
    for (const session of others) await end(trx, caller, session)
    await recordAudit(trx, caller, {
      action: 'session.end_others',
      resource: { kind: 'user', id: caller.userId },
      detail: { ended: others.length },
    })
    return others.length
  })

async function end(trx: Transaction, caller: Caller, session: ListedSession): Promise<void> {
  if (session.kind === 'browser') await repository.deleteBrowserSession(trx, caller.userId, session.sessionId)
  else {
    const days = session.kind === 'foreign' ? foreignRevocationDays : 0
    await revokeSession(trx, session.sessionId, new Date(Date.now() + days * 86_400_000))
    // The console's browser has nothing left to sign in with either.
    if (session.browserUid) await repository.deleteBrowserSession(trx, caller.userId, session.browserUid)
  }
  await repository.deleteSessionRow(trx, session.id)
  await recordAudit(trx, caller, {
    action: 'session.end',
    resource: { kind: 'user', id: caller.userId },
    detail: { session: session.id },
  })
}

const bound = ({ address, userAgent }: RequestClient): RequestClient => ({
  address: address.slice(0, 100),
  userAgent: userAgent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200),
})
