import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { quotaOf, requireRoom } from '../../storage/quota.ts'

/**
 * Asked before bytes are taken: a file that cannot be kept, alone or with those announced beside it, is not worth sending. What has
 * arrived is asked again (`addWithinQuota`): of pushes side by side, each of which would fit, those that came too late do not.
 */
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
  return requireRoom(db, quotaOf(config, orgId, 'push'), announcedBytes)
}
