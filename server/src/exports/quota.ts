import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { getOrgUsage } from '../storage/blobs.ts'
import type { Quota } from '../storage/quota.ts'

/** Before any work: an export whose tar alone would not fit is not begun. */
export async function requireRoom(db: Database, config: Config, orgId: string, estimatedBytes: number): Promise<void> {
  const quotaBytes = config.NMP_ORG_QUOTA_BYTES
  if (quotaBytes === 0) return
  const free = Math.max(0, quotaBytes - (await getOrgUsage(db, orgId)).sizeBytes)
  if (estimatedBytes > free)
    throw tooMuch(`The organization has ${free} of ${quotaBytes} bytes left; the export needs about ${estimatedBytes}.`)
}

/** For the publication: whole files of the source, which the organization had already, cost nothing. */
export const quotaOfExport = ({ NMP_ORG_QUOTA_BYTES: quotaBytes }: Config, orgId: string): Quota => ({
  orgId,
  quotaBytes,
  refuse: (sizeBytes) =>
    tooMuch(`With the export the organization would have ${sizeBytes} bytes, of ${quotaBytes} that it may have.`),
})

const tooMuch = (sentence: string): ServiceError =>
  new ServiceError(
    'quota_exceeded',
    `${sentence} Delete datasets or versions, export less, or ask the operator for more (NMP_ORG_QUOTA_BYTES).`,
  )
