import type { Transaction } from '../db/database.ts'
import type { ServiceError } from '../errors.ts'
import { lockUsage, sumOrgUsage } from './repository.ts'

export { lockUsage }

export interface Quota {
  orgId: string
  /** 0: none. */
  quotaBytes: number
  /** What to say when the organization would have so many bytes. */
  refuse(sizeBytes: number): ServiceError
}

/** Adds to what an organization has, one transaction at a time; where that is too much, nothing is added. Contents it had already count once. */
export async function addWithinQuota(
  trx: Transaction,
  { orgId, quotaBytes, refuse }: Quota,
  add: () => Promise<unknown>,
): Promise<void> {
  if (quotaBytes > 0) await lockUsage(trx, orgId)
  await add()
  if (quotaBytes === 0) return
  const { sizeBytes } = await sumOrgUsage(trx, orgId)
  if (sizeBytes > quotaBytes) throw refuse(sizeBytes)
}
