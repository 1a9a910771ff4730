import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describeError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { newStartCheckKey, startChecksPrefix, storeIdKey } from '../keys.ts'
import type { ObjectStorage, StorageConfig } from '../storage.ts'
import { openS3Storage } from './s3.ts'
import { nameOf, statusOf } from './s3-errors.ts'

type BucketConfig = Extract<StorageConfig, { kind: 's3' }>

const bytes = 'nmp may write here'

/**
 * Refuses a bucket that is not there or lacks a right, before the database is touched: a program without them would take uploads and
 * imports and lose each at its end. One small object is written, read, listed and deleted.
 */
export async function checkBucket(config: BucketConfig, log: Log): Promise<void> {
  const storage = await openS3Storage(config)
  const key = newStartCheckKey()
  try {
    for (const [right, attempt] of Object.entries(listAttempts(storage, key))) {
      const error = await attempt().then(
        () => undefined,
        (cause) => cause,
      )
      if (error === undefined) continue
      const fault = findBucketFault(error.cause ?? error, right, config)
      if (fault !== undefined) throw new Error(fault, { cause: error })
      log.warn({ bucket: config.bucket, right, error: describeError(error) }, 'the bucket could not be tried out')
      return
    }
  } catch (error) {
    await storage.deleteObject(key).catch(() => undefined)
    throw error
  } finally {
    await storage.close()
  }
}

/** By the right that each needs. */
const listAttempts = (storage: ObjectStorage, key: string): Record<string, () => Promise<unknown>> => ({
  GetObject: () => storage.findObject(storeIdKey),
  PutObject: () => storage.putObject(key, Readable.from([Buffer.from(bytes)])),
  'GetObject of what was written': async () => text((await storage.getObject(key)).body),
  ListBucket: async () => {
    for await (const _ of storage.listObjects(startChecksPrefix)) break
  },
  DeleteObject: () => storage.deleteObject(key),
})

/** A sentence for what no waiting mends. A server that is overloaded or full answers, so reading may go on: that is no reason not to start. */
function findBucketFault(error: unknown, right: string, config: BucketConfig): string | undefined {
  const status = statusOf(error)
  const place = `The bucket ${config.bucket}${config.endpoint ? ` at ${config.endpoint}` : ''}`
  if (status === undefined)
    return `${place} does not answer: ${describeError(error)}. Check that the S3 server runs and that NMP_S3_ENDPOINT names it.`
  const said = `${status} ${nameOf(error)}`
  if (status === 404)
    return `${place} does not exist (${said}): create it, which nmp does not do, or correct NMP_S3_BUCKET.`
  if (status === 301 || status === 400)
    return `${place} refuses how it is asked (${said}): correct NMP_S3_REGION, NMP_S3_ENDPOINT or NMP_S3_FORCE_PATH_STYLE.`
  if (status === 401 || status === 403)
    return `${place} refuses ${right} (${said}): give the key of NMP_S3_ACCESS_KEY_ID the rights in docs/storage.md, or set another one.`
  return undefined
}
