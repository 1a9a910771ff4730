import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RefusingBucket {
  endpoint: string
  /** By the path of their addresses. */
  objects: Map<string, Buffer>
  close(): void
}

/** A server that speaks as much S3 as a start asks of it, and refuses what `refuse` says. */
export async function openRefusingBucket(
  refuse: (method: string, isListing: boolean) => [status: number, code: string] | undefined,
): Promise<RefusingBucket> {
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
