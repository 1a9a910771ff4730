import { once } from 'node:events'
import { type ClientRequest, createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What becomes of one request to S3. */
export type S3Fate = 'passes' | 'is refused' | 'breaks' | 'is cut'

export interface S3Proxy {
  url: string
  /** Decides about each request, counted from 0. */
  setFate(decide: (index: number) => S3Fate): void
  /** How many requests did not pass. */
  readonly faults: number
  close(): Promise<void>
}

/** Between the program and its S3 server: answers 503 as S3 does when it is busy, breaks connections, cuts answers. */
export async function startS3Proxy(target: string): Promise<S3Proxy> {
  let decide: (index: number) => S3Fate = () => 'passes'
  let count = 0
  let faults = 0
  const server = createServer((incoming, outgoing) => {
    const fate = decide(count++)
    if (fate !== 'passes') faults += 1
    outgoing.on('error', () => undefined)
    if (fate === 'breaks') {
      incoming.socket.resetAndDestroy()
      return
    }
    if (fate === 'is refused') {
      const body =
        '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>'
      incoming.resume()
      incoming.on('end', () => outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(body))
      return
    }
    // The signature covers the host that the client named, so the headers go on as they are.
    const { method, url, rawHeaders } = incoming
    const onward: ClientRequest = forward(target + url, { method, headers: toPairs(rawHeaders), setHost: false })
    onward.on('error', () => outgoing.destroy())
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      if (fate === 'passes') return void answer.pipe(outgoing)
      answer.once('data', (chunk: Buffer) => {
        outgoing.write(chunk.subarray(0, chunk.length >> 1), () => incoming.socket.destroy())
      })
      answer.once('end', () => incoming.socket.destroy())
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFate(next) {
      decide = next
    },
    get faults() {
      return faults
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const toPairs = (raw: readonly string[]): Record<string, string> =>
  Object.fromEntries(raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [])))
