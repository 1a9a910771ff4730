import { setTimeout as sleep } from 'node:timers/promises'
import type { Lock, Locker } from '@tus/server'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { releaseLock, renewLock, takeLock } from './repository.ts'
import { getUploadRequest } from './upload-request.ts'

/** A process that is killed keeps an upload locked for this long. */
export const lockSeconds = 8
const renewMilliseconds = 1_000
const pollMilliseconds = 150
const waitMilliseconds = 15_000

/**
 * One request at a time works on an upload, across processes: the lock is a lease in the upload's row. Whoever finds it taken leaves
 * word, and the holder's request is ended at its next renewal: it is most likely one whose client has gone without a word. The lease
 * is about politeness only; what keeps bytes right is that every write names the token (`advanceUpload`).
 */
export const createUploadLocker = (db: Database): Locker => ({ newLock: (id) => createLock(db, id) })

const createLock = (db: Database, id: string): Lock => {
  const { lockToken, stopping } = getUploadRequest()
  let renewal: NodeJS.Timeout | undefined
  return {
    lock: async (signal, cancelRequest) => {
      const deadline = performance.now() + waitMilliseconds
      for (;;) {
        // Absent: it is being created under this token.
        if ((await takeLock(db, id, lockToken, lockSeconds)) !== 'busy') break
        if (signal.aborted || performance.now() > deadline) throw lockedError()
        await sleep(pollMilliseconds)
      }
      renewal = setInterval(() => {
        renewLock(db, id, lockToken, lockSeconds).then(
          (answer) => {
            if (answer === 'held') return
            stopping.abort()
            cancelRequest()
          },
          () => undefined, // the next renewal is soon; without any the lease runs out, and writes are refused by the token
        )
      }, renewMilliseconds)
    },
    unlock: async () => {
      clearInterval(renewal)
      await releaseLock(db, id, lockToken)
    },
  }
}

export const lockedError = (): ServiceError =>
  new ServiceError(
    'upload_locked',
    'Another request is working on this upload. Get its offset with HEAD in a second and continue from there.',
    { retryAfterSeconds: 1 },
  )
