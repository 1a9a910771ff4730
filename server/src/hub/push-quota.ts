import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { getOrgUsage } from '../storage/blobs.ts'

/** Asked before bytes are taken: a file that cannot be kept is not worth sending. */
export async function requireQuota({ db, config }: Context, orgId: string, sizeBytes: number): Promise<void> {
  const most = config.NMP_MAX_UPLOAD_BYTES
  if (sizeBytes > most)
    throw new ServiceError(
      'upload_too_large',
      `A file has at most ${most} bytes (NMP_MAX_UPLOAD_BYTES); this one has ${sizeBytes}.`,
    )
  const quota = config.NMP_ORG_QUOTA_BYTES
  if (quota === 0) return
  const free = Math.max(0, quota - (await getOrgUsage(db, orgId)).sizeBytes)
  if (sizeBytes > free)
    throw new ServiceError(
      'quota_exceeded',
      `The organization has ${free} of ${quota} bytes left; this push needs ${sizeBytes}. Delete datasets, or ask the operator for more.`,
    )
}
