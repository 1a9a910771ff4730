import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { routes } from '../routes.ts'
import { needsCredential } from './route.ts'

let program: TestProgram
let bearer: string

beforeAll(async () => {
  program = await startProgram({ NMP_CORS_ORIGINS: 'https://console.example.org' })
  bearer = await program.signIn(await program.addUser('ada@example.org'))
})
afterAll(() => program.close())

const asJson = { 'content-type': 'application/json' }
const createToken = (body: string, headers: Record<string, string> = asJson) =>
  program.call('POST', '/api/v1/users/me/tokens', { bearer, body, headers })

describe('bodies', () => {
  test('broken JSON is json_invalid at its place', async () => {
    const { status, body } = await createToken('{"name": ')
    expect(status).toBe(422)
    expect(body.detail[0]).toMatchObject({ type: 'json_invalid', loc: ['body', 9] })
  })

  test.each([
    ['an absent body', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['a NUL character', '{"name": "a\\u0000b"}'],
    ['half a surrogate pair', '{"name": "\\ud800"}'],
    ['a number beyond all bounds', '{"name": "a", "expires_in_days": 1e400}'],
    ['a prototype', '{"__proto__": {"name": "a"}}'],
  ])('%s is a 422', async (_what, text) => {
    const { status, body } = await createToken(text)
    expect(status).toBe(422)
    expect(Array.isArray(body.detail)).toBe(true)
  })

  test('another content type is a 415, too large a body a 413, both in the error form', async () => {
    const type = await createToken('name=x', { 'content-type': 'text/plain' })
    expect([type.status, type.body.code]).toEqual([415, 'unsupported_media_type'])
    const size = await createToken(JSON.stringify({ name: 'x'.repeat(1 << 20) }))
    expect([size.status, size.body.code]).toEqual([413, 'body_too_large'])
  })

  test.each([
    ['API', 'POST', '/api/v1/users/me/tokens', 'application/json'],
    ['Hub door', 'POST', '/hf/api/repos/create', 'application/json'],
    ['uploads', 'PATCH', '/api/v1/uploads/upl_1', 'application/offset+octet-stream'],
  ])('a compressed body is unpacked by nobody: 415 at the %s', async (_door, method, path, type) => {
    const headers = { 'content-encoding': 'gzip', 'content-type': type, authorization: `Bearer ${bearer}` }
    // A hundred megabytes, if anybody did.
    const body = gzipSync(Buffer.alloc(100_000_000, ' '), { level: 1 })
    const answer = await fetch(`${program.url}${path}`, { method, headers, body: new Uint8Array(body) })
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(((await answer.json()) as { code: string }).code).toBe('unsupported_media_type')
    const plain = await fetch(`${program.url}${path}`, {
      method,
      headers: { ...headers, 'content-encoding': 'identity' },
      body: '{}',
    })
    expect(plain.status).not.toBe(415)
  })

  test('credentials are looked at before the body is read', async () => {
    const answer = await program.call('POST', '/api/v1/users/me/tokens', { body: '{"broken', headers: asJson })
    expect(answer.status).toBe(401)
  })

  test('path, query and body are reported together', async () => {
    const { body } = await program.call('DELETE', '/api/v1/orgs/acme?confirm=', { bearer })
    expect(body.detail[0].loc).toEqual(['query', 'confirm'])
    const page = await program.call('GET', '/api/v1/users/me/tokens?limit=0&cursor=', { bearer })
    expect(page.body.detail.map((issue: { loc: string[] }) => issue.loc[1])).toEqual(['limit', 'cursor'])
  })
})

describe('answers', () => {
  test('carry a request id: the given one when it is harmless', async () => {
    const given = await program.call('GET', '/api/v1/version', { headers: { 'x-request-id': 'trace-1' } })
    expect(given.headers.get('x-request-id')).toBe('trace-1')
    const odd = await program.call('GET', '/api/v1/nope', { headers: { 'x-request-id': '<script>' } })
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(odd.body.request_id).toBe(odd.headers.get('x-request-id'))
  })

  test('describe the API completely: server, groups and operations, and the page for people has an icon', async () => {
    const { body } = await program.call('GET', '/openapi.json')
    expect(body.servers).toEqual([{ url: '/', description: expect.any(String) }])
    const operations = Object.values(body.paths as Record<string, object>).flatMap((methods) => Object.values(methods))
    const known = body.tags.map(({ name }: { name: string }) => name)
    expect(operations.length).toBeGreaterThan(100)
    for (const { operationId, description, tags } of operations)
      expect({ operationId, description, tags }).toEqual({
        operationId: expect.stringMatching(/^[a-zA-Z]+$/),
        description: expect.stringMatching(/^.{20,}\.$/s),
        tags: [expect.toBeOneOf(known)],
      })
    for (const { description } of [body.info, ...body.tags]) expect(description).toMatch(/\.$/)
    const page = await (await fetch(`${program.url}/docs`)).text()
    expect(page).toContain('back to the console')
    expect(page).toMatch(/font-family:"Archivo";src:url/)
    const script = await fetch(`${program.url}${/<script src="([^"]+)"/.exec(page)?.[1]}`)
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/)
    const icon = /<link rel="icon" type="image\/svg\+xml" href="data:image\/svg\+xml,([^"]+)">/.exec(page)?.[1] ?? ''
    expect(decodeURIComponent(icon)).toMatch(/^<svg .*<\/svg>$/)
  })

  test('carry security headers', async () => {
    const { headers } = await program.call('GET', '/docs')
    expect(headers.get('content-security-policy')).toContain("object-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('say what is left of the rate, and when to come back', async () => {
    const strict = await startProgram({ NMP_RATE_LIMIT: '3' })
    const burst = (bearerOf: (index: number) => object) =>
      Promise.all(Array.from({ length: 60 }, (_, index) => strict.call('GET', '/api/v1/version', bearerOf(index))))
    const answers = await burst(() => ({}))
    expect(answers[0]?.headers.get('ratelimit-limit')).toBe('3')
    const refused = answers.find((answer) => answer.status === 429)
    expect(refused?.body.code).toBe('too_many_requests')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const session = await strict.signIn(await strict.addUser('bob@example.org'))
    expect((await strict.call('GET', '/api/v1/users/me', { bearer: session })).status).toBe(200)
    const madeUp = await burst((index) => ({ bearer: `bucket-${index}` }))
    expect(madeUp.map((answer) => answer.status)).toContain(429)
    await strict.close()
  })

  test('are for the configured origins only', async () => {
    const preflight = (origin: string) =>
      program.call('OPTIONS', '/api/v1/users/me', { headers: { origin, 'access-control-request-method': 'GET' } })
    const known = await preflight('https://console.example.org')
    expect(known.headers.get('access-control-allow-origin')).toBe('https://console.example.org')
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each(['PUT', 'QUERY', 'PROPFIND'])('to the wrong method %s name the right ones', async (method) => {
    const { status, headers, body } = await program.call(method, '/api/v1/version')
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'GET, HEAD', 'method_not_allowed'])
  })

  test('to a bad bearer on a public route are those without one', async () => {
    expect((await program.call('GET', '/api/v1/version', { bearer: 'garbage' })).status).toBe(200)
  })
})

test('/openapi.json describes every route, and every operation its refusals', async () => {
  const { body } = await program.call('GET', '/openapi.json')
  expect(body.openapi).toMatch(/^3\.1/)
  for (const route of routes) {
    const operation = body.paths[route.path]?.[route.method.toLowerCase()]
    expect(operation?.operationId).toBe(route.id)
    expect(Object.keys(operation.responses)).toContain('422')
    if (needsCredential(route)) expect(Object.keys(operation.responses)).toContain('401')
  }
  const ids = routes.map((route) => route.id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('/openapi.json says of an import and its HDF5 summary what the contract says', async () => {
  const { body } = await program.call('GET', '/openapi.json')
  const { schemas } = body.components
  const promised = ['id', 'org_slug', 'project_slug', 'dataset_slug', 'title', 'source_kind', 'status']
  expect(schemas.WorkspaceImportJob.required).toEqual(promised)
  const { attempt_count, max_attempts, claim_epoch, consistency_status } = schemas.WorkspaceImportJob.properties
  const defaults = [attempt_count, max_attempts, claim_epoch, consistency_status].map((field) => field.default)
  expect(defaults).toEqual([0, 3, 0, 'unknown'])
  expect(schemas.WorkspaceImportPreviewAsset.required).not.toContain('metadata')
  expect(schemas.WorkspaceImportIdempotencyLookup.required).toEqual(['idempotency_key'])
  expect(schemas.Hdf5SourceSummary.required).toEqual(['kind', 'inspected'])
  expect(schemas.Hdf5DatasetSummary).toMatchObject({
    required: ['path', 'shape', 'dtype', 'ndim', 'size'],
    properties: { ndim: { type: 'integer', minimum: 0 }, size: { type: 'integer', minimum: 0 } },
  })
  expect(schemas.Hdf5GroupSummary.required).toEqual(['path'])
  expect(schemas.Hdf5EpisodeSummary.required).toEqual(['episode_index'])
  const kinds = ['image', 'jpeg_bytes', 'padded_jpeg', 'image_path', 'numeric_tensor']
  expect(Object.keys(schemas.Hdf5PreviewCandidates.properties)).toEqual(kinds)
  for (const [path, { get }] of Object.entries(body.paths as Record<string, { get?: { security: object[] } }>))
    if (path.startsWith('/api/v1/catalog/')) expect([path, get?.security]).toEqual([path, [{}, { bearer: [] }]])
})

test('/metrics counts requests by route, not by address', async () => {
  await program.call('GET', '/api/v1/orgs/some-org/projects', { bearer })
  const { body } = await program.call('GET', '/metrics')
  expect(body).toContain('route="/api/v1/orgs/:org_slug/projects",status="404"')
  expect(body).not.toContain('some-org')
})

test('too many bad credentials from one address are told to wait; good ones go on', async () => {
  let last = 0
  for (let count = 0; count < 130 && last !== 429; count += 1) {
    last = (await program.call('GET', '/api/v1/users/me', { bearer: `nmp_${String(count).padStart(36, 'x')}` })).status
  }
  expect(last).toBe(429)
  expect((await program.call('GET', '/api/v1/users/me', { bearer })).status).toBe(200)
})
