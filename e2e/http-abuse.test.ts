import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type CallOptions, cleanUp, type Program, startProgram } from './program.ts'
import { type RawAnswer, sendRaw } from './raw-http.ts'

let program: Program
let bearer: string
let org: string

beforeAll(async () => {
  program = await startProgram({ env: { NMP_READER_SECONDS: '2' } })
  bearer = await program.mustAdmin('session', 'admin@localhost')
  org = (await program.call('GET', '/api/v1/users/me', { bearer })).body.user.org_slugs[0]
})
// Whatever was sent, the program is the same one and well.
afterAll(async () => {
  expect((await program.call('GET', '/readyz')).status).toBe(200)
  expect(program.output()).not.toContain('"level":50')
  expect(await program.stop()).toBe(0)
  await cleanUp()
})

const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  program.call(method, path, { bearer, ...options })

/** The error form: a sentence, a word and an id; or the list of places of a 422. */
function expectRefusal(answer: Pick<Answer, 'status' | 'body'>, ...statuses: number[]): void {
  expect(statuses, JSON.stringify(answer.body)).toContain(answer.status)
  if (answer.status === 422) {
    expect(answer.body.detail.length).toBeGreaterThan(0)
    for (const issue of answer.body.detail)
      expect(issue).toMatchObject({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) })
  } else
    expect(answer.body).toEqual({
      detail: expect.any(String),
      code: expect.any(String),
      request_id: expect.any(String),
    })
}

const json = { 'content-type': 'application/json' }
const createToken = (body: string, headers: Record<string, string> = json): Promise<Answer> =>
  call('POST', '/api/v1/users/me/tokens', { body, headers })

describe('bodies', () => {
  const unusable: [string, string][] = [
    ['a NUL', '{"name": "a\\u0000b"}'],
    ['a raw NUL', '{"name": "a\0b"}'],
    ['a lone surrogate', '{"name": "a\\ud800b"}'],
    ['a lone low surrogate', '{"name": "\\udc00"}'],
    ['a number no machine holds', '{"name": "x", "expires_in_days": 1e400}'],
    ['a number past 2^63', '{"name": "x", "expires_in_days": 99999999999999999999999}'],
    ['a long number', `{"name": "x", "expires_in_days": ${'9'.repeat(10_000)}}`],
    ['minus nought with a fraction', '{"name": "x", "expires_in_days": -0.5}'],
    ['deep arrays', `{"name": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['deep objects', `${'{"name":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a deep value nobody reads', `{"name": "x", "other": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['nothing', ''],
    ['half of it', '{"name": "x'],
    ['NaN', '{"name": "x", "expires_in_days": NaN}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a prototype for a name', '{"__proto__": {"name": "x"}}'],
    ['too long a name', `{"name": "${'x'.repeat(101)}"}`],
    ['thirty thousand scopes', `{"name": "x", "scopes": [${'"a",'.repeat(30_000)}"a"]}`],
  ]
  test.each(unusable)('with %s are a 422', async (_what, body) => expectRefusal(await createToken(body), 422))

  test('of another kind are a 415, too large ones a 413', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'nonsense',
    ])
      expectRefusal(await createToken('{"name": "x"}', { 'content-type': type }), 415)
    expectRefusal(await createToken(`{"name": "${'x'.repeat(2 << 20)}"}`), 413)
    expectRefusal(await createToken(`{"name": "x", "scopes": [${'"a",'.repeat(200_000)}"a"]}`), 413)
  })

  test('of any charset or coding are no 500', async () => {
    for (const headers of [
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json;;;=' },
      { ...json, 'content-encoding': 'gzip' },
    ])
      expect((await createToken('{"name": 5}', headers)).status).toBeLessThan(500)
  })
})

describe('addresses', () => {
  const hostile = [
    '%00',
    '%ED%A0%80',
    '%ff',
    '%',
    '%zz',
    '%e0%80%af',
    '..%2f..%2fetc%2fpasswd',
    'a'.repeat(5000),
    '%F0%9F%A4%96',
    '%0d%0aset-cookie:x',
    "'%20or%201=1--",
    '%2e%2e',
  ]
  test.each(hostile.map((part) => [part.slice(0, 40), part] as const))(
    'with %s in the path are refused',
    async (_shown, part) => {
      for (const path of [`/api/v1/orgs/${part}/projects`, `/api/v1/orgs/${org}/projects/${part}`])
        expectRefusal(await call('GET', path), 400, 404, 414, 422)
      expectRefusal(await call('DELETE', `/api/v1/users/me/tokens/${part}`), 400, 404, 405, 414, 422)
    },
  )

  const queries = [
    'limit=1&limit=2',
    'limit=%00',
    'limit=1e9',
    'limit=-1',
    `limit=${'9'.repeat(400)}`,
    'limit[]=1',
    'cursor=%00',
    'cursor=%ff',
    `cursor=${'A'.repeat(5000)}`,
    'cursor=a&cursor=b',
    '%',
    '&&&&',
    '=',
    '__proto__=1',
    'x=%ED%A0%80',
    'cursor=MA',
    `cursor=${Buffer.from('\0').toString('base64url')}`,
  ]
  test.each(queries.map((query) => [query.slice(0, 40), query] as const))(
    'with the query %s are answered or refused',
    async (_shown, query) => {
      for (const path of [
        '/api/v1/users/me/tokens',
        `/api/v1/orgs/${org}/projects`,
        `/api/v1/orgs/${org}/audit-events`,
      ]) {
        const answer = await call('GET', `${path}?${query}`)
        if (answer.status !== 200) expectRefusal(answer, 400, 422)
      }
    },
  )

  test('nobody knows are a 404, and a known one with another method a 405 that says which', async () => {
    for (const path of [
      '/api/v1/nope',
      '/api/v1',
      '/api/v1/version/',
      '/API/v1/version',
      '//api/v1/version',
      '/.git/config',
      '/api/v1/users/me/tokens/a/b',
    ])
      expectRefusal(await call('GET', path), 404)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'POST']) {
      const answer = await call(method, '/api/v1/version')
      expectRefusal(answer, 405)
      expect(answer.headers.get('allow')).toBe('GET, HEAD')
    }
    expect((await call('HEAD', '/api/v1/version')).status).toBe(200)
  })
})

describe('bytes that are hardly HTTP', () => {
  const host = 'host: x\r\n'
  const get = (path: string, headers = ''): string =>
    `GET ${path} HTTP/1.1\r\n${host}connection: close\r\n${headers}\r\n`
  const post = (headers: string, body: string): string =>
    `POST /api/v1/users/me/tokens HTTP/1.1\r\n${host}content-type: application/json\r\n${headers}\r\n${body}`
  const open = async (bytes: string | Buffer): Promise<RawAnswer> => {
    const answer = await sendRaw(program.url, bytes)
    expect(answer.status, answer.body).toBeLessThan(500)
    return answer
  }

  test('TRACE and made-up methods are refused, and echo nothing', async () => {
    const traced = await open(`TRACE /api/v1/version HTTP/1.1\r\n${host}x-secret: 12345\r\nconnection: close\r\n\r\n`)
    expectRefusal({ status: traced.status, body: JSON.parse(traced.body) }, 405)
    expect(traced.body).not.toContain('12345')
    for (const method of ['BREW', 'CONNECT', 'get'])
      expect([0, 400, 404, 405]).toContain((await open(get('/api/v1/version').replace('GET', method))).status)
  })

  test('two lengths, a length and chunks, and smuggled requests are refused', async () => {
    const inner = get('/api/v1/users/me')
    for (const bytes of [
      post('content-length: 5\r\ntransfer-encoding: chunked\r\n', `0\r\n\r\n${inner}`),
      post('transfer-encoding: chunked\r\ncontent-length: 5\r\n', `0\r\n\r\n${inner}`),
      post('content-length: 5\r\ncontent-length: 6\r\n', 'abcdef'),
      post('transfer-encoding: chunked, identity\r\n', inner),
      post('transfer-encoding: xchunked\r\n', inner),
      post('content-length: -1\r\n', ''),
      post('content-length: 1e3\r\n', ''),
      post('transfer-encoding: chunked\r\n', 'ffffffffffffffffff\r\nx'),
      post('transfer-encoding : chunked\r\n', '0\r\n\r\n'),
    ]) {
      const answer = await open(bytes)
      expect([0, 400, 413], JSON.stringify(bytes.slice(0, 160))).toContain(answer.status)
    }
  })

  test('large, odd and missing headers are refused or answered', async () => {
    expect((await open(get('/api/v1/version', `x-long: ${'a'.repeat(20_000)}\r\n`))).status).toBe(431)
    expect((await open(get('/api/v1/version', 'a: b\r\n'.repeat(3000)))).status).toBe(431)
    for (const headers of [
      'x: a\0b\r\n',
      'x y: 1\r\n',
      ' folded: 1\r\n',
      ': empty\r\n',
      'authorization: Bearer \xff\xfe\r\n',
      'x-request-id: \x1b[31m\r\n',
    ])
      await open(get('/api/v1/version', headers))
    expect((await open('GET /api/v1/version HTTP/1.1\r\nconnection: close\r\n\r\n')).status).toBe(400)
    for (const bytes of [
      '\0\0\0\0\r\n\r\n',
      'hello\r\n\r\n',
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
      'GET  HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ])
      expect([0, 400, 505]).toContain((await open(bytes)).status)
    expect((await open(get('http://evil.test/api/v1/version'))).status).toBeLessThan(500)
    expect((await open(get('*'))).status).toBeLessThan(500)
  })

  test('what is refused before it is a request still has the error form', async () => {
    for (const bytes of [
      get('/api/v1/version', `x-long: ${'a'.repeat(20_000)}\r\n`),
      post('content-length: -1\r\n', ''),
      'hello\r\n\r\n',
    ]) {
      const answer = await open(bytes)
      expectRefusal({ status: answer.status, body: JSON.parse(answer.body || '{}') }, 400, 431)
      expect(answer.headers['content-type']).toContain('application/json')
    }
  })
})

test('a client that takes nothing of its answers is disconnected after the seconds that are set', async () => {
  const { hostname, port } = new URL(program.url)
  const socket = connect(Number(port), hostname)
  const gone = once(socket, 'error')
  // Far more than the system holds for a connection; nothing of it is ever read.
  socket.write(`GET /openapi.json HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`.repeat(60))
  // Who does not read learns of the end only by writing.
  const asking = setInterval(() => socket.write('\r\n'), 200)
  await gone
  clearInterval(asking)
  expect((await call('GET', '/readyz')).status).toBe(200)
}, 20_000)
