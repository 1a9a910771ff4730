import { createHash, randomBytes } from 'node:crypto'
import { recordAudit } from '../../audit/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import type { SecretBox } from '../../secrets/box.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { callerOf } from '../local-accounts.ts'
import type { LocalAccount } from '../repository.ts'
import * as repository from './repository.ts'
import { createTotpSecret, encodeBase32, findTotpStep } from './totp.ts'

interface Parts {
  db: Database
  secrets: Secrets
}

const placeOf = (userId: string): string => `totp ${userId}`
const offerPlaceOf = (userId: string): string => `totp offer ${userId}`
const recoveryCodes = 10

export const findProofs = ({ db }: Pick<Parts, 'db'>, userId: string): Promise<repository.Proofs> =>
  repository.findProofs(db, userId)

/** Whether the password of this person is not enough: they have an app of codes, or a passkey. */
export const hasSecondStep = async (parts: Pick<Parts, 'db'>, userId: string): Promise<boolean> => {
  const { hasApp, passkeyCount } = await findProofs(parts, userId)
  return hasApp || passkeyCount > 0
}

export const countRecoveryCodes = ({ db }: Pick<Parts, 'db'>, userId: string): Promise<number> =>
  repository.countRecoveryCodes(db, userId)

/** A new secret for an app, and what brings it back with the first code: nothing is stored until that shows that the app has it. */
export async function offerTotp({ secrets }: Parts, userId: string): Promise<{ secret: Buffer; offer: string }> {
  const secret = createTotpSecret()
  return { secret, offer: await secrets.seal(secret.toString('base64url'), offerPlaceOf(userId)) }
}

export const openOffer = async ({ secrets }: Parts, userId: string, offer: string): Promise<Buffer | undefined> => {
  const text = await secrets.open(offer, offerPlaceOf(userId)).catch(() => undefined)
  return text === undefined ? undefined : Buffer.from(text, 'base64url')
}

/**
 * Adds a proof to those of a person. The first one brings recovery codes, which are shown this once; none where there were proofs before,
 * whose codes stay. Undefined where `add` says that nothing was added.
 */
export const addProof = (
  { db }: Pick<Parts, 'db'>,
  account: LocalAccount,
  { action, requestId }: { action: string; requestId: string },
  add: (trx: Transaction) => Promise<boolean>,
): Promise<string[] | undefined> =>
  inTransaction(db, async (trx) => {
    await repository.lockProofs(trx, account.userId)
    const isFirst = !(await hasSecondStep({ db: trx }, account.userId))
    if (!(await add(trx))) return undefined
    await recordDeed(trx, account, action, requestId)
    return isFirst ? giveRecoveryCodes(trx, account.userId) : []
  })

/** Takes a proof away; with the last one the recovery codes go as well. Whatever `remove` found is what it returns. */
export const removeProof = <T extends string | boolean | undefined>(
  { db }: Pick<Parts, 'db'>,
  account: LocalAccount,
  { action, requestId }: { action: string; requestId: string },
  remove: (trx: Transaction) => Promise<T>,
): Promise<T> =>
  inTransaction(db, async (trx) => {
    await repository.lockProofs(trx, account.userId)
    const removed = await remove(trx)
    if (!removed) return removed
    await repository.deleteIdleRecoveryCodes(trx, account.userId)
    await recordDeed(trx, account, action, requestId)
    return removed
  })

/** The recovery codes where it is the first proof; undefined where the code is not of that secret now. */
export async function enableTotp(
  { db, secrets }: Parts,
  account: LocalAccount,
  { secret, code, requestId }: { secret: Buffer; code: string; requestId: string },
): Promise<string[] | undefined> {
  const lastStep = findTotpStep(secret, normalize(code))
  if (lastStep === undefined) return undefined
  const sealed = await secrets.seal(secret.toString('base64url'), placeOf(account.userId))
  return addProof({ db }, account, { action: 'second_step.enable', requestId }, async (trx) => {
    await repository.putTotpSecret(trx, { userId: account.userId, sealed, lastStep })
    return true
  })
}

export const renewRecoveryCodes = ({ db }: Pick<Parts, 'db'>, account: LocalAccount, requestId: string) =>
  inTransaction(db, async (trx) => {
    await recordDeed(trx, account, 'second_step.renew_codes', requestId)
    return giveRecoveryCodes(trx, account.userId)
  })

export const disableTotp = ({ db }: Pick<Parts, 'db'>, account: LocalAccount, requestId: string): Promise<boolean> =>
  removeProof({ db }, account, { action: 'second_step.disable', requestId }, (trx) =>
    repository.deleteTotpSecret(trx, account.userId),
  )

/** By the operator, for who has lost the app, the passkeys and the codes: all of them go. */
export const resetSecondStep = (db: Database, userId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await repository.deleteSecondStep(trx, userId)
    await recordAudit(trx, 'operator', { action: 'second_step.reset', resource: { kind: 'user', id: userId } })
  })

/** Whether this is a code of the app that was not used yet, or a recovery code, which is used up by it. */
export async function takeSecondStepCode({ db, secrets }: Parts, userId: string, given: string): Promise<boolean> {
  const code = normalize(given)
  if (!/^\d{6}$/.test(code)) return repository.takeRecoveryCode(db, userId, digest(code))
  const sealed = await repository.findTotpSecret(db, userId)
  if (sealed === undefined) return false
  const secret = Buffer.from(await secrets.open(sealed, placeOf(userId)), 'base64url')
  const step = findTotpStep(secret, code)
  return step !== undefined && repository.takeTotpStep(db, userId, step)
}

/** With another key, in the caller's transaction. */
export async function resealTotpSecrets(trx: Transaction, from: SecretBox, to: SecretBox): Promise<void> {
  for (const { userId, sealed } of await repository.listTotpSecrets(trx))
    await repository.resealTotpSecret(trx, userId, to.seal(from.open(sealed, placeOf(userId)), placeOf(userId)))
}

/** For a database whose key is lost: apps cannot be checked any more. */
export const forgetTotpSecrets = (db: Database): Promise<void> => repository.deleteAllTotpSecrets(db)

/** Of 80 random bits each, so that a plain hash of them is enough. */
async function giveRecoveryCodes(trx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => encodeBase32(randomBytes(10)))
  await repository.replaceRecoveryCodes(trx, userId, codes.map(digest))
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'))
}

const normalize = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase()
const digest = (code: string): Buffer => createHash('sha256').update(code).digest()

const recordDeed = (trx: Transaction, account: LocalAccount, action: string, requestId: string): Promise<void> =>
  recordAudit(trx, callerOf(account, requestId), { action, resource: { kind: 'user', id: account.userId } })
