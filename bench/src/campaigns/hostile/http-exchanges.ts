import { connect } from 'node:net'
import type { HostileGround } from './ground.ts'
import { type Family, judge, judgeSeveral } from './verdict.ts'

interface Exchange {
  name: string
  /** Sent one after the other, with a pause between. */
  bytes: readonly (string | Buffer)[]
  /** Statuses that an answer may have, of every answer on the connection; none at all is a closed connection. */
  may: readonly number[]
  /** The client goes away without reading. */
  leaves?: boolean
}

const host = 'host: x\r\n'
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${host}${more}connection: close\r\n\r\n`
const post = (more: string, body: string | Buffer): (string | Buffer)[] => [
  `POST /api/v1/users/me/tokens HTTP/1.1\r\n${host}content-type: application/json\r\n${more}\r\n`,
  body,
]
const version = '/api/v1/version'
const smuggled = get('/api/v1/users/me')
const refused = [400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 422, 426, 431, 501, 505]
const answered = [200, ...refused]

/** What no client sends: requests that two readers would read differently, and what is no request at all. */
const exchanges: Exchange[] = [
  {
    name: 'a length and chunks',
    bytes: post('content-length: 6\r\ntransfer-encoding: chunked\r\n', `0\r\n\r\n${smuggled}`),
    may: [400],
  },
  {
    name: 'chunks and a length',
    bytes: post('transfer-encoding: chunked\r\ncontent-length: 6\r\n', `0\r\n\r\n${smuggled}`),
    may: [400],
  },
  { name: 'two lengths', bytes: post('content-length: 5\r\ncontent-length: 6\r\n', 'abcdef'), may: [400] },
  { name: 'two lengths in one header', bytes: post('content-length: 5, 6\r\n', 'abcdef'), may: [400] },
  { name: 'a length with a sign', bytes: post('content-length: +5\r\n', 'abcde'), may: [400] },
  { name: 'a negative length', bytes: post('content-length: -1\r\n', ''), may: [400] },
  { name: 'a length in hexadecimal', bytes: post('content-length: 0x5\r\n', 'abcde'), may: [400] },
  { name: 'a length past 2^64', bytes: post('content-length: 18446744073709551617\r\n', 'a'), may: [400, 401, 413] },
  {
    name: 'chunks twice',
    bytes: post('transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n'),
    may: [400],
  },
  { name: 'chunks that are not last', bytes: post('transfer-encoding: chunked, identity\r\n', smuggled), may: [400] },
  { name: 'chunks misspelled', bytes: post('transfer-encoding: xchunked\r\n', smuggled), may: [400] },
  { name: 'chunks with a tab', bytes: post('transfer-encoding:\x0bchunked\r\n', smuggled), may: [400] },
  { name: 'a space before the colon', bytes: post('transfer-encoding : chunked\r\n', '0\r\n\r\n'), may: [400] },
  { name: 'a folded header', bytes: [get(version, 'x: a\r\n b\r\n')], may: [200, 400] },
  { name: 'a first header that is folded', bytes: [`GET ${version} HTTP/1.1\r\n ${host}\r\n\r\n`], may: [400] },
  { name: 'bare line feeds', bytes: [`GET ${version} HTTP/1.1\nhost: x\nconnection: close\n\n`], may: [200, 400] },
  { name: 'bare carriage returns', bytes: [`GET ${version} HTTP/1.1\rhost: x\r\r`, '\r\n\r\n'], may: [400] },
  { name: 'a header of a megabyte', bytes: [get(version, `x: ${'a'.repeat(1 << 20)}\r\n`)], may: [431] },
  { name: 'three thousand headers', bytes: [get(version, 'a: b\r\n'.repeat(3000))], may: [400, 431] },
  { name: 'an address of a megabyte', bytes: [get(`/${'a'.repeat(1 << 20)}`)], may: [414, 431] },
  {
    name: 'a chunk of a size that overflows',
    bytes: post('transfer-encoding: chunked\r\n', 'ffffffffffffffffff\r\nx'),
    may: [400, 401],
  },
  { name: 'a chunk of a negative size', bytes: post('transfer-encoding: chunked\r\n', '-5\r\nx'), may: [400, 401] },
  {
    name: 'a chunk with an extension of a megabyte',
    bytes: post('transfer-encoding: chunked\r\n', `1;${'x'.repeat(1 << 20)}\r\na\r\n0\r\n\r\n`),
    may: [400, 401, 413, 431],
  },
  {
    name: 'trailers of a megabyte',
    bytes: post('transfer-encoding: chunked\r\n', `1\r\na\r\n0\r\n${'t: v\r\n'.repeat(170_000)}\r\n`),
    may: [400, 401, 431],
  },
  { name: 'a NUL in a header', bytes: [get(version, 'x: a\0b\r\n')], may: [400] },
  { name: 'a NUL in the address', bytes: [get('/api/v1/\0')], may: [400] },
  { name: 'an address of another host', bytes: [get('http://169.254.169.254/latest/meta-data')], may: [400, 404] },
  { name: 'an address with a user', bytes: [get('http://a@b/api/v1/version')], may: [200, 400, 404] },
  { name: 'CONNECT', bytes: ['CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1:22\r\n\r\n'], may: refused },
  { name: 'TRACE', bytes: [get(version, 'x-secret: 1\r\n').replace('GET', 'TRACE')], may: [405] },
  { name: 'HTTP/0.9', bytes: ['GET /\r\n\r\n'], may: [200, 400, 505] },
  { name: 'HTTP/9.9', bytes: [get(version).replace('1.1', '9.9')], may: [400, 505] },
  { name: 'the preface of HTTP/2', bytes: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.alloc(9)], may: [400, 405, 505] },
  { name: 'the beginning of TLS', bytes: [Buffer.from('1603010200010001fc0303', 'hex')], may: [400] },
  { name: 'no host', bytes: [`GET ${version} HTTP/1.1\r\nconnection: close\r\n\r\n`], may: [400] },
  { name: 'two hosts', bytes: [get(version, 'host: y\r\n')], may: [200, 400] },
  {
    name: 'a hundred requests at once',
    bytes: [`GET ${version} HTTP/1.1\r\n${host}\r\n`.repeat(99) + get(version)],
    may: [200],
  },
  { name: 'a body for GET', bytes: [get(version, `content-length: ${smuggled.length}\r\n`), smuggled], may: answered },
  {
    name: 'an upgrade to nothing',
    bytes: [get(version, 'upgrade: websocket\r\nsec-websocket-key: x\r\n')],
    may: answered,
  },
  { name: 'an expectation that nobody meets', bytes: [get(version, 'expect: 200-maybe\r\n')], may: [200, 417] },
  { name: 'half a request, and gone', bytes: [`GET ${version} HT`], may: [], leaves: true },
  { name: 'half a body, and gone', bytes: post('content-length: 100000\r\n', '{"name":'), may: [], leaves: true },
  { name: 'a large answer, and gone', bytes: [get('/openapi.json')], may: [], leaves: true },
]

const pauseMs = 30
const patienceMs = 15_000

/** All that comes back until the other side closes, or is silent for a while after an answer. */
const send = ({ program }: HostileGround, { bytes, leaves = false }: Exchange): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(program.url)
    const socket = connect(Number(port), hostname)
    let heard = ''
    let silence: NodeJS.Timeout | undefined
    const finish = (): void => {
      clearTimeout(silence)
      clearTimeout(limit)
      socket.destroy()
      resolve(heard)
    }
    const limit = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer within ${patienceMs / 1000} s`))
    }, patienceMs)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      clearTimeout(silence)
      silence = setTimeout(finish, 1000)
    })
    socket.on('error', finish)
    socket.on('close', finish)
    bytes.forEach((piece, index) => {
      setTimeout(() => socket.write(piece), index * pauseMs)
    })
    if (leaves) setTimeout(finish, bytes.length * pauseMs + 50)
  })

export const httpExchanges: Family = {
  name: 'http',
  title: 'malformed HTTP exchanges',
  bar: 'refused or answered as one request, never a 500; nothing smuggled is answered',
  run: (ground) =>
    judgeSeveral(exchanges, 4, (exchange) =>
      judge(exchange.name, async () => {
        const heard = await send(ground, exchange)
        const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
        const held = exchange.leaves || statuses.every((status) => exchange.may.includes(status))
        const isSmuggled =
          !exchange.leaves && exchange.bytes.some((piece) => piece.includes(smuggled)) && statuses.length > 1
        const words = statuses.length > 3 ? `${statuses.length} answers` : statuses.join(', ') || 'closed'
        return { held: held && !isSmuggled, words }
      }),
    ),
}
