import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { invalidValue } from '../errors.ts'
import { describePasswordProblem, hashPassword, isHashOutdated, verifyPassword } from './passwords.ts'
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

/** Replaces the password. Sessions go on: see `endSessions`. */
export const setPassword = async (db: Database, userId: string, password: string): Promise<void> =>
  upsertAccount(db, userId, await hashAcceptable(password))

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

export { deleteExpiredSignIns } from './repository.ts'

export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

async function hashAcceptable(password: string): Promise<string> {
  const problem = describePasswordProblem(password)
  if (problem) throw invalidValue(['body', 'password'], problem, null)
  return hashPassword(password)
}
