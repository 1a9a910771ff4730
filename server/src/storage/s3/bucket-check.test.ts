import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openRefusingBucket, type RefusingBucket } from '../../../test/refusing-bucket.ts'
import { checkBucket } from './bucket-check.ts'

const log = pino({ level: 'silent' })
const buckets: RefusingBucket[] = []

afterEach(() => {
  for (const bucket of buckets.splice(0)) bucket.close()
})

const openBucket = async (...refuse: Parameters<typeof openRefusingBucket>): Promise<RefusingBucket> => {
  const bucket = await openRefusingBucket(...refuse)
  buckets.push(bucket)
  return bucket
}

const check = (endpoint: string): Promise<void> =>
  checkBucket(
    {
      kind: 's3',
      endpoint,
      region: 'us-east-1',
      bucket: 'robots',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      forcePathStyle: true,
      signingKey: '',
      publicUrl: '',
      prefix: '',
    },
    log,
  )

test('a bucket with every right is left as it was', async () => {
  const { endpoint, objects } = await openBucket(() => undefined)
  await check(endpoint)
  expect(objects.size).toBe(0)
})

test('a wrong address says which setting to correct', async () => {
  await expect(check('http://127.0.0.1:1')).rejects.toThrow(
    /^The bucket robots at http:\/\/127\.0\.0\.1:1 does not answer: .*ECONNREFUSED.*\. Check that the S3 server runs and that NMP_S3_ENDPOINT names it\.$/,
  )
})

test.each([
  ['no such bucket', 'PUT', false, 404, 'NoSuchBucket', 'does not exist (404 NoSuchBucket): create it'],
  ['an unknown key', 'HEAD', false, 403, '', 'refuses GetObject (403'],
  ['no right to write', 'PUT', false, 403, 'AccessDenied', 'refuses PutObject (403 AccessDenied): give the key of'],
  ['no right to list', 'GET', true, 403, 'AccessDenied', 'refuses ListBucket (403 AccessDenied)'],
  ['no right to delete', 'DELETE', false, 403, 'AccessDenied', 'refuses DeleteObject (403 AccessDenied)'],
  ['another region', 'PUT', false, 400, 'AuthorizationHeaderMalformed', 'correct NMP_S3_REGION'],
])('%s is one sentence that says what to do', async (_, method, isListing, status, code, words) => {
  const { endpoint, objects } = await openBucket((asked, listing) =>
    asked === method && listing === isListing ? [status, code] : undefined,
  )
  await expect(check(endpoint)).rejects.toThrow(words)
  expect(objects.size).toBe(method === 'DELETE' ? 1 : 0)
})

test('a bucket that is full keeps no program from reading', async () => {
  const { endpoint } = await openBucket((method) => (method === 'PUT' ? [507, 'InsufficientStorage'] : undefined))
  await check(endpoint)
}, 60_000)
