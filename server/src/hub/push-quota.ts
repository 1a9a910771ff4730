import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { getOrgUsage } from '../storage/blobs.ts'
import type { Quota } from '../storage/quota.ts'

/** Asked before bytes are taken: a file that cannot be kept, alone or with those announced beside it, is not worth sending. */
export async function requireQuota(
  { db, config }: Context,
  orgId: string,
  sizeBytes: number,
  announcedBytes = sizeBytes,
): Promise<void> {
  const most = config.NMP_MAX_UPLOAD_BYTES
  if (sizeBytes > most)
    throw new ServiceError(
      'upload_too_large',
      `A file has at most ${most} bytes (NMP_MAX_UPLOAD_BYTES); this one has ${sizeBytes}.`,
    )
  const quota = config.NMP_ORG_QUOTA_BYTES
  if (quota === 0) return
  const free = Math.max(0, quota - (await getOrgUsage(db, orgId)).sizeBytes)
  if (announcedBytes > free)
    throw tooMuch(`The organization has ${free} of ${quota} bytes left; this push needs ${announcedBytes}.`)
}

/** For what has arrived: of pushes side by side, each of which would fit, those that came too late do not. */
export const quotaOfPush = ({ NMP_ORG_QUOTA_BYTES: quotaBytes }: Config, orgId: string): Quota => ({
  orgId,
  quotaBytes,
  refuse: (sizeBytes) =>
    tooMuch(`With this push the organization would have ${sizeBytes} bytes, of ${quotaBytes} that it may have.`),
})

const tooMuch = (sentence: string): ServiceError =>
  new ServiceError('quota_exceeded', `${sentence} Delete datasets, or ask the operator for more (NMP_ORG_QUOTA_BYTES).`)
