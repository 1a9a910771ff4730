import { describeError, ServiceError } from '../../errors.ts'
import type { Blob } from '../repository.ts'
import { hashBody } from '../serving/file-body.ts'
import { type ObjectStorage, withoutGuard } from '../storage.ts'
import type { BlobFault } from '../tables.ts'

/** `presence`: there, with the recorded size. `content`: every byte is read and hashed. */
export type CheckLevel = 'presence' | 'content'

export interface BlobFinding {
  fault: BlobFault
  sha256: string
  storeKey: string
  /** What was there instead, or why it could not be looked at. */
  sentence: string
}

interface InspectOptions {
  level?: CheckLevel
  signal?: AbortSignal
}

/** What is wrong with a content's object; undefined when nothing is. One that is known to be bad is read whatever the level. */
export const inspectBlob = async (
  storage: ObjectStorage,
  blob: Blob & { fault?: BlobFault | null },
  { level = 'presence', signal }: InspectOptions,
): Promise<BlobFinding | undefined> => {
  signal?.throwIfAborted()
  const bare = withoutGuard(storage)
  const finding = (fault: BlobFault, sentence: string): BlobFinding => ({
    fault,
    sha256: blob.sha256,
    storeKey: blob.storeKey,
    sentence,
  })
  try {
    const head = await bare.findObject(blob.storeKey)
    if (!head) return finding('missing', 'There is no object with its key.')
    if (head.sizeBytes !== blob.sizeBytes) {
      return finding('mismatch', `The object has ${head.sizeBytes} bytes instead of ${blob.sizeBytes}.`)
    }
    if (level === 'presence' && !blob.fault) return undefined
    const { body } = await bare.getObject(blob.storeKey, signal ? { signal } : {})
    const sha256 = await hashBody(body)
    return sha256 === blob.sha256 ? undefined : finding('mismatch', `The bytes have the sha256 ${sha256}.`)
  } catch (error) {
    signal?.throwIfAborted()
    const isGone = error instanceof ServiceError && error.code === 'not_found'
    return isGone ? finding('missing', 'The object went away.') : finding('unreadable', describeError(error))
  }
}
