import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { type Quota, requireRoom } from '../storage/quota.ts'

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
  return requireRoom(db, quotaOfPush(config, orgId), announcedBytes)
}

/** Asked again of what has arrived: of pushes side by side, each of which would fit, those that came too late do not. */
export const quotaOfPush = ({ NMP_ORG_QUOTA_BYTES: quotaBytes }: Config, orgId: string): Quota => ({
  orgId,
  quotaBytes,
  what: 'this push',
  remedy: 'Delete datasets',
})
