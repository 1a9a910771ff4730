import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../access/principal.ts'
import { proveEmail } from '../access/proven-email.ts'
import { recordAudit } from '../audit/service.ts'
import { type Database, inTransaction, type Transaction } from '../db/database.ts'
import { invalidValue } from '../errors.ts'
import { describePasswordProblem, hashPassword, isHashOutdated, verifyPassword } from './passwords.ts'
import { endSessions } from './provider/repository.ts'
import * as repository from './repository.ts'
import {
  type CodePurpose,
  findAccountByEmail,
  findAccountById,
  findCode,
  insertCode,
  type LocalAccount,
  replaceHash,
  takeCode,
  upsertAccount,
} from './repository.ts'

/** Lets an existing user sign in here. Without a password they come in by a one-time link or choose one by mail. */
export const createLocalAccount = async (db: Database, userId: string, password?: string): Promise<void> =>
  upsertAccount(db, userId, password === undefined ? undefined : await hashAcceptable(password))

interface PasswordChange {
  account: LocalAccount
  password: string
  /** The browser sign-in in which it was changed: the one that stays. */
  keepUid: string
  requestId: string
}

/** Replaces the password and ends every session but the one it was changed in. */
export async function changePassword(db: Database, change: PasswordChange): Promise<void> {
  const hash = await hashAcceptable(change.password)
  await inTransaction(db, (trx) => replacePassword(trx, { ...change, hash, action: 'password.change' }))
}

/** Replaces the password by a code from a mail, and ends every session. Undefined when the code works no more. */
export async function resetPassword(
  db: Database,
  { code, password, requestId }: { code: string; password: string; requestId: string },
): Promise<LocalAccount | undefined> {
  if ((await findOneTimeCodeUser(db, 'password_reset', code)) === undefined) return undefined
  // Before the code is spent: a password that is refused, or a queue that is full, must not cost it.
  const hash = await hashAcceptable(password)
  return inTransaction(db, async (trx) => {
    const userId = await consumeOneTimeCode(trx, 'password_reset', code)
    const account = userId === undefined ? undefined : await findAccountById(trx, userId)
    if (!account) return undefined
    await replacePassword(trx, { account, hash, requestId, action: 'password.reset' })
    // The code came from the mailbox.
    await proveEmail(trx, account.userId)
    return account
  })
}

interface Replacement {
  account: LocalAccount
  hash: string
  keepUid?: string
  action: string
  requestId: string
}

async function replacePassword(trx: Transaction, replacement: Replacement): Promise<void> {
  const { account, hash, keepUid, action, requestId } = replacement
  await upsertAccount(trx, account.userId, hash)
  await endSessions(trx, account.userId, keepUid)
  await recordDeed(trx, callerOf(account, requestId), { action })
}

/** Ends every session of a person, because they asked for it. */
export const endAllSessions = (db: Database, account: LocalAccount, requestId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await endSessions(trx, account.userId)
    await recordDeed(trx, callerOf(account, requestId), { action: 'session.end_all' })
  })

export const recordSignIn = (
  db: Database,
  account: LocalAccount,
  by: 'password' | 'link' | 'second_step' | 'passkey',
  requestId: string,
): Promise<void> => recordDeed(db, callerOf(account, requestId), { action: 'session.begin', detail: { by } })

/** What a person did to their own account, outside the API. */
const recordDeed = (
  db: Database,
  caller: Caller,
  deed: { action: string; detail?: Record<string, unknown> },
): Promise<void> => recordAudit(db, caller, { ...deed, resource: { kind: 'user', id: caller.userId } })

/** A person at the pages of the sign-in, where there is no session of the API. */
export const callerOf = ({ userId, email }: LocalAccount, requestId: string): Caller => ({
  kind: 'session',
  userId,
  email,
  hasSecondProof: false,
  sessionId: '',
  expiresAt: new Date(),
  requestId,
})

/** The account whose password this is. Unknown e-mails and wrong passwords cost the same time. */
export async function checkPassword(db: Database, email: string, password: string): Promise<LocalAccount | undefined> {
  const account = await findAccountByEmail(db, normalizeEmail(email))
  const stored = account?.passwordHash ?? undefined
  if (!(await verifyPassword(password, stored)) || !account || !stored) return undefined
  if (isHashOutdated(stored)) await replaceHash(db, account.userId, stored, await hashPassword(password))
  return account
}

/** A secret for one use, to be put in a link: 256 bits, of which only the digest is stored. */
export async function createOneTimeCode(
  db: Database,
  userId: string,
  purpose: CodePurpose,
  minutes: number,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await insertCode(db, { sha256: digest(secret), purpose, userId, expiresAt: new Date(Date.now() + minutes * 60_000) })
  return secret
}

/** The user a code is for, once. */
export const consumeOneTimeCode = (db: Database, purpose: CodePurpose, secret: string): Promise<string | undefined> =>
  takeCode(db, purpose, digest(secret))

/** The user a code is for, without using it up. */
export const findOneTimeCodeUser = (db: Database, purpose: CodePurpose, secret: string): Promise<string | undefined> =>
  findCode(db, purpose, digest(secret))

export const hasPassword = async (db: Database, userId: string): Promise<boolean> =>
  (await findAccountById(db, userId))?.passwordHash != null

export const deleteExpiredSignIns = (db: Database): Promise<void> => repository.deleteExpiredSignIns(db)

export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

async function hashAcceptable(password: string): Promise<string> {
  const problem = describePasswordProblem(password)
  if (problem) throw invalidValue(['body', 'password'], problem, null)
  return hashPassword(password)
}
