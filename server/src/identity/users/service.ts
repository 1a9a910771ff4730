import type { Caller, SessionPrincipal } from '../../access/principal.ts'
import { type Actor, recordAudit } from '../../audit/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createPersonalOrg, deletionGraceDays, requestDeletionOfOrgsOnlyOf } from '../../organizations/service.ts'
import { endSessions } from '../provider/repository.ts'
import { revokeSession, type SessionClaims } from '../sessions.ts'
import { revokeTokensOf } from '../tokens/service.ts'
import * as repository from './repository.ts'

export type User = repository.User

/** The issuer under which people of the embedded identity provider are known, whatever address the program has today. */
const localIssuer = 'local'

export const findUserByEmail = (db: Database, email: string): Promise<repository.User | undefined> =>
  repository.findUserByEmail(db, email)

export const hasUsers = (db: Database): Promise<boolean> => repository.hasUsers(db)

/**
 * A person with their own organization and its project `default`, known to the embedded provider by their id. Who calls this knows that
 * the e-mail is theirs: by the operator's word, an issuer's, or a link from the mailbox.
 */
export async function createUser(
  trx: Transaction,
  actor: Actor,
  { email, displayName }: { email: string; displayName: string },
): Promise<User> {
  const user = await repository.insertUser(trx, {
    id: createId('usr'),
    email: email.toLowerCase(),
    displayName,
  })
  if (!user) throw new ServiceError('email_taken', `An account with the e-mail ${email} already exists.`)
  await repository.insertIdentity(trx, localIssuer, user.id, user.id)
  const org = await createPersonalOrg(trx, user)
  const project = await createProject(trx, actor, { orgId: org.id, slug: 'default', name: 'Default' })
  await repository.updateUser(trx, user.id, { defaultProjectId: project.id })
  await recordAudit(trx, actor, { action: 'user.create', resource: { kind: 'user', id: user.id }, orgId: org.id })
  return user
}

/**
 * Whose session this is. The first one makes the account, or joins an account of the same verified e-mail; a sign-in
 * after a deletion request takes the deletion back. Undefined when the session names nobody.
 */
export async function findSessionPrincipal(db: Database, claims: SessionClaims): Promise<SessionPrincipal | undefined> {
  const known = await repository.findUserByIdentity(db, claims.issuer, claims.subject)
  if (!known) return welcome(db, claims)
  if (known.deletionRequestedAt) await repository.cancelUserDeletion(db, known.id)
  return sessionOf(known, claims)
}

const sessionOf = (user: { id: string; email: string }, claims: SessionClaims): SessionPrincipal => ({
  kind: 'session',
  userId: user.id,
  email: user.email,
  hasSecondProof: claims.hasSecondProof,
  sessionId: claims.sessionId,
  ...(claims.clientId === undefined ? {} : { clientId: claims.clientId }),
  expiresAt: claims.expiresAt,
})

async function welcome(db: Database, claims: SessionClaims): Promise<SessionPrincipal | undefined> {
  const { email } = claims
  if (claims.issuer === localIssuer || !email || !claims.emailVerified) return undefined
  const user = await inTransaction(db, async (trx) => {
    // A page asks for several things at once, and each of them may be the first.
    await repository.lockEmail(trx, email)
    const existing = await repository.findUserByEmail(trx, email)
    if (existing && !existing.emailProvenAt)
      throw new ServiceError(
        'email_not_proven',
        `There is an account of ${email} whose maker has not proven that e-mail. If it is yours, ask the operator to vouch for it (admin user prove).`,
      )
    const person = existing ?? (await createUser(trx, 'program', { email, displayName: claims.name ?? '' }))
    await repository.insertIdentity(trx, claims.issuer, claims.subject, person.id)
    return person
  })
  return sessionOf(user, claims)
}

/** Tokens and sessions end at once; the account goes after the grace period, unless its owner signs in again. */
export const requestAccountDeletion = (
  db: Database,
  caller: Caller<SessionPrincipal>,
  confirmEmail: string,
): Promise<User> =>
  inTransaction(db, async (trx) => {
    if (confirmEmail.toLowerCase() !== caller.email)
      throw new ServiceError('confirmation_mismatch', `To delete the account, send its e-mail: ${caller.email}.`)
    await requestDeletionOfOrgsOnlyOf(trx, caller)
    await revokeTokensOf(trx, caller.userId)
    await revokeSession(trx, caller.sessionId, caller.expiresAt)
    await endSessions(trx, caller.userId)
    const user = await repository.requestUserDeletion(trx, caller.userId)
    await recordAudit(trx, caller, { action: 'user.delete', resource: { kind: 'user', id: user.id } })
    return user
  })

export const signOut = (db: Database, caller: Caller<SessionPrincipal>): Promise<void> =>
  inTransaction(db, async (trx) => {
    await revokeSession(trx, caller.sessionId, caller.expiresAt)
    await recordAudit(trx, caller, {
      action: 'session.end',
      resource: { kind: 'user', id: caller.userId },
    })
  })

export const deleteUsersPastGrace = (db: Database): Promise<number> =>
  inTransaction(db, async (trx) => {
    const gone = await repository.deleteUsersPastGrace(trx, deletionGraceDays)
    for (const { id } of gone)
      await recordAudit(trx, 'program', { action: 'user.purge', resource: { kind: 'user', id } })
    return gone.length
  })
