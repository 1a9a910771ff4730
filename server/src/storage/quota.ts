import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import * as repository from './repository.ts'

/** One transaction at a time counts what somebody has and adds to it: an organization, or a person. */
export const lockUsage = (trx: Transaction, owner: string): Promise<void> => repository.lockUsage(trx, owner)

/** What adds to what an organization stores, as a sentence names it, and what people can do when it does not fit. */
const additions = {
  export: { what: 'the export', remedy: 'Delete datasets or versions, export less' },
  copy: { what: 'the copy', remedy: 'Delete datasets or versions' },
  push: { what: 'this push', remedy: 'Delete datasets' },
  source: { what: 'the source', remedy: 'Delete datasets' },
  upload: { what: 'this upload', remedy: 'Delete datasets or uploads' },
} as const

export interface Quota {
  orgId: string
  /** 0: none. */
  quotaBytes: number
  addition: keyof typeof additions
}

export const quotaOf = (config: Config, orgId: string, addition: Quota['addition']): Quota => ({
  orgId,
  quotaBytes: config.NMP_ORG_QUOTA_BYTES,
  addition,
})

/** Before any work: what cannot fit is not begun. `pendingBytes` are promised to others and not stored yet. */
export async function requireRoom(db: Database, quota: Quota, neededBytes: number, pendingBytes = 0): Promise<void> {
  if (quota.quotaBytes === 0) return
  const { sizeBytes } = await repository.sumOrgUsage(db, quota.orgId)
  refuseOver(quota, { whose: 'The organization has', usedBytes: sizeBytes + pendingBytes, neededBytes })
}

interface Room {
  /** The beginning of the sentence that refuses. */
  whose: string
  usedBytes: number
  neededBytes: number
}

/** Throws where more is needed than is left. */
export function refuseOver(quota: Omit<Quota, 'orgId'>, { whose, usedBytes, neededBytes }: Room): void {
  const { quotaBytes, addition } = quota
  const free = Math.max(0, quotaBytes - usedBytes)
  if (quotaBytes === 0 || neededBytes <= free) return
  const { what, remedy } = additions[addition]
  throw tooMuch(`${whose} ${free} of ${quotaBytes} bytes left; ${what} needs ${neededBytes}.`, remedy)
}

/** Adds to what an organization has, one transaction at a time; where that is too much, nothing is added. Contents it had already count once. */
export async function addWithinQuota(
  trx: Transaction,
  { orgId, quotaBytes, addition }: Quota,
  add: () => Promise<unknown>,
): Promise<void> {
  if (quotaBytes > 0) await lockUsage(trx, orgId)
  await add()
  if (quotaBytes === 0) return
  const { sizeBytes } = await repository.sumOrgUsage(trx, orgId)
  const { what, remedy } = additions[addition]
  if (sizeBytes > quotaBytes)
    throw tooMuch(`With ${what} the organization would have ${sizeBytes} of ${quotaBytes} bytes.`, remedy)
}

const tooMuch = (sentence: string, remedy: string): ServiceError =>
  new ServiceError('quota_exceeded', `${sentence} ${remedy}, or ask the operator for more (NMP_ORG_QUOTA_BYTES).`)
