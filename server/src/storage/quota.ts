import type { Database, Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { lockUsage, sumOrgUsage } from './repository.ts'

export { lockUsage }

export interface Quota {
  orgId: string
  /** 0: none. */
  quotaBytes: number
  /** What is to be added, as a sentence names it. */
  what: string
  /** What people can do about it. */
  remedy: string
}

/** Before any work: what cannot fit is not begun. */
export async function requireRoom(
  db: Database,
  { orgId, quotaBytes, what, remedy }: Quota,
  neededBytes: number,
): Promise<void> {
  if (quotaBytes === 0) return
  const free = Math.max(0, quotaBytes - (await sumOrgUsage(db, orgId)).sizeBytes)
  if (neededBytes > free)
    throw tooMuch(`The organization has ${free} of ${quotaBytes} bytes left; ${what} needs ${neededBytes}.`, remedy)
}

/** Adds to what an organization has, one transaction at a time; where that is too much, nothing is added. Contents it had already count once. */
export async function addWithinQuota(
  trx: Transaction,
  { orgId, quotaBytes, what, remedy }: Quota,
  add: () => Promise<unknown>,
): Promise<void> {
  if (quotaBytes > 0) await lockUsage(trx, orgId)
  await add()
  if (quotaBytes === 0) return
  const { sizeBytes } = await sumOrgUsage(trx, orgId)
  if (sizeBytes > quotaBytes)
    throw tooMuch(`With ${what} the organization would have ${sizeBytes} of ${quotaBytes} bytes.`, remedy)
}

const tooMuch = (sentence: string, remedy: string): ServiceError =>
  new ServiceError('quota_exceeded', `${sentence} ${remedy}, or ask the operator for more (NMP_ORG_QUOTA_BYTES).`)
