import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'

/** Something that goes wrong with the bytes of a file, or with whatever else `on` names. */
export type HubFault = {
  /** Paths that are hit; the bytes of large files when absent. */
  on?: RegExp
  /** After so many requests it is over; never when absent. */
  times?: number
} & (
  | { kind: 'flip' } // one byte is another, so the hash is wrong
  | { kind: 'cut'; afterBytes: number } // the connection breaks
  | { kind: 'short'; bytes: number } // a well-formed answer that is too short
  | { kind: 'long'; bytes: number } // and one that is too long
  | { kind: 'ignore-range' } // 200 and everything, whatever was asked
  | { kind: 'wrong-range' } // 206 with another part
  | { kind: 'changed-on-resume' } // a part comes from other content, with another ETag
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  | { kind: 'trickle'; everyMs: number } // one byte at a time
  | { kind: 'hang' } // takes the request and says nothing
  | { kind: 'redirect'; location: string }
  | { kind: 'gzip-bomb' } // a compressed body that never ends
)

/** Answers in the faulty way when one of the faults is due; the first that fits wins. */
export const answerFaulty = (
  faults: HubFault[],
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  content: Buffer | undefined,
): boolean => {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  const isDue = (fault: HubFault): boolean => {
    if (!(fault.on ?? /^\/storage\//).test(path) || fault.times === 0) return false
    if (fault.kind === 'changed-on-resume') return Number(range?.[1] ?? 0) > 0
    if (fault.kind === 'ignore-range' || fault.kind === 'wrong-range') return range !== null
    return true
  }
  const fault = faults.find(isDue)
  if (!fault) return false
  if (fault.times !== undefined) fault.times -= 1
  const whole = content ?? Buffer.alloc(0)
  const from = Number(range?.[1] ?? 0)
  const to = Math.min(range?.[2] ? Number(range[2]) + 1 : whole.length, whole.length)

  const begin = (bytes: number, start = from, headers: Record<string, string> = {}): void => {
    response.writeHead(range ? 206 : 200, {
      'content-length': bytes,
      etag: `"${createHash('sha256').update(whole).digest('hex')}"`,
      ...(range ? { 'content-range': `bytes ${start}-${start + bytes - 1}/${whole.length}` } : {}),
      ...headers,
    })
  }
  switch (fault.kind) {
    case 'flip': {
      const part = Buffer.from(whole.subarray(from, to))
      part[part.length >> 1] = (part[part.length >> 1] ?? 0) ^ 1
      begin(part.length)
      response.end(part)
      break
    }
    case 'cut':
      begin(to - from)
      response.write(whole.subarray(from, Math.min(from + fault.afterBytes, to)), () =>
        setTimeout(() => response.destroy(), 20),
      )
      break
    case 'short':
      begin(Math.min(fault.bytes, to - from))
      response.end(whole.subarray(from, Math.min(from + fault.bytes, to)))
      break
    case 'long':
      response.writeHead(200, { 'content-length': whole.length + fault.bytes })
      response.end(Buffer.concat([whole, Buffer.alloc(fault.bytes)]))
      break
    case 'ignore-range':
      response.writeHead(200, { 'content-length': whole.length })
      response.end(whole)
      break
    case 'wrong-range':
      begin(to - from, from + 1)
      response.end(whole.subarray(from, to))
      break
    case 'changed-on-resume':
      begin(to - from, from, { etag: '"another"' })
      response.end(Buffer.alloc(to - from, 'x'))
      break
    case 'status':
      response.writeHead(fault.status, fault.headers).end()
      break
    case 'trickle':
      begin(to - from)
      trickle(response, whole.subarray(from, to), fault.everyMs)
      break
    case 'hang':
      break
    case 'redirect':
      response.writeHead(302, { location: fault.location, 'content-length': 0 }).end()
      break
    case 'gzip-bomb':
      sendBomb(response)
      break
  }
  return true
}

const trickle = (response: ServerResponse, bytes: Buffer, everyMs: number): void => {
  response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => response.write(bytes.subarray(sent, ++sent)), everyMs)
  response.on('close', () => clearInterval(timer))
}

/** Zeros without end, a thousandth of their size on the wire. */
const sendBomb = (response: ServerResponse): void => {
  const gzip = createGzip()
  const zeros = Buffer.alloc(1 << 20)
  const feed = (): void => {
    while (!response.destroyed && gzip.write(zeros));
  }
  response.writeHead(200, { 'content-encoding': 'gzip' })
  gzip.on('drain', feed)
  gzip.on('error', () => {})
  response.on('close', () => gzip.destroy())
  gzip.pipe(response)
  feed()
}
