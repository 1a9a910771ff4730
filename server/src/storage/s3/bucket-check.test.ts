import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { checkBucket } from './bucket-check.ts'

const log = pino({ level: 'silent' })
const servers: { close(): void; closeAllConnections(): void }[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that speaks as much S3 as a start asks of it, and refuses what `refuse` says. */
async function openBucket(
  refuse: (method: string, isListing: boolean) => [status: number, code: string] | undefined,
): Promise<{ endpoint: string; objects: Map<string, Buffer> }> {
  const objects = new Map<string, Buffer>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    const path = url.split('?')[0] ?? ''
    const body = Buffer.concat(await request.toArray())
    const refused = refuse(method, url.includes('list-type'))
    const say = (status: number, text: string | Buffer = ''): void => {
      response.writeHead(status, { etag: '"1"', 'content-length': Buffer.byteLength(text) }).end(text)
    }
    if (refused) return say(refused[0], method === 'HEAD' ? '' : `<Error><Code>${refused[1]}</Code></Error>`)
    if (url.includes('list-type')) return say(200, '<ListBucketResult></ListBucketResult>')
    if (method === 'PUT') objects.set(path, body)
    if (method === 'DELETE') objects.delete(path)
    if (method === 'DELETE') return say(204)
    const found = objects.get(path)
    if (!found) return say(404, method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>')
    say(200, method === 'GET' ? found : '')
  }
  const server = createServer((request, response) => void answer(request, response))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, objects }
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
