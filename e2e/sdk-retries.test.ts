import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ApiError, ConnectionError, createClient } from '@nmp/sdk/client'
import { readEvents } from '@nmp/sdk/events'
import { afterEach, expect, test, vi } from 'vitest'

/** A service that answers by a script: the answers in order, the last one for ever. */
interface Scripted {
  url: string
  seen: { method: string; path: string; body: string; at: number }[]
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function script(...answers: Answer[]): Promise<Scripted> {
  const seen: Scripted['seen'] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    seen.push({ method: request.method ?? '', path: request.url ?? '', body, at: Date.now() })
    const answer = answers[Math.min(seen.length, answers.length) - 1]
    answer?.(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, seen }
}

const say =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const breakOff: Answer = (response) => void response.destroy()
const breakInside: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"item"', () => response.destroy())
}
const version = say(200, { item: { name: 'nmp' } })
const busy = say(503, { detail: 'busy', code: 'unavailable' })
const place = { org_slug: 'a', project_slug: 'b' }
const hub = { source_kind: 'huggingface' as const, dataset_slug: 'x', hf_repo_id: 'a/b' }

test('a read is repeated after 502, 503, 504, a broken connection and a broken answer', async () => {
  for (const fault of [busy, say(502, {}), say(504, {}), breakOff, breakInside]) {
    const { url, seen } = await script(fault, version)
    expect(await createClient({ baseUrl: url }).platform.getVersion()).toEqual({ item: { name: 'nmp' } })
    expect(seen).toHaveLength(2)
  }
})

test('a service that was there is waited for longer than one that never answered', async () => {
  const noPauses = vi.spyOn(Math, 'random').mockReturnValue(0)
  try {
    const stranger = await script(breakOff)
    await expect(createClient({ baseUrl: stranger.url }).platform.getVersion()).rejects.toThrow(ConnectionError)
    expect(stranger.seen).toHaveLength(5)
    const known = await script(version, breakOff)
    const client = createClient({ baseUrl: known.url })
    await client.platform.getVersion()
    await expect(client.platform.getVersion()).rejects.toThrow(ConnectionError)
    expect(known.seen).toHaveLength(1 + 9)
  } finally {
    noPauses.mockRestore()
  }
})

test('not for ever, and not after a refusal that repeating cannot change', async () => {
  const down = await script(busy)
  const client = createClient({ baseUrl: down.url, attempts: 3 })
  await expect(client.platform.getVersion()).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  expect(down.seen).toHaveLength(3)
  const refusing = await script(say(404, { detail: 'Nothing here.', code: 'not_found', request_id: 'r1' }))
  const refused = createClient({ baseUrl: refusing.url }).catalog.getStatistics({ dataset_id: 'ds_x' })
  await expect(refused).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
    requestId: 'r1',
    message: 'Nothing here.',
  })
  expect(refusing.seen).toHaveLength(1)
})

test('never before Retry-After; a 429 was not carried out, so any call comes again', async () => {
  const { url, seen } = await script(
    say(429, { detail: 'slow down', code: 'too_many_requests' }, { 'retry-after': '1' }),
    version,
  )
  await createClient({ baseUrl: url }).projects.createOrganization({ body: { slug: 's', name: 'n' } })
  expect(seen).toHaveLength(2)
  expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThanOrEqual(995)
})

test('what cannot be repeated is not: a broken connection may have carried it out', async () => {
  const { url, seen } = await script(breakOff, version)
  const call = createClient({ baseUrl: url }).projects.createOrganization({ body: { slug: 's', name: 'n' } })
  await expect(call).rejects.toBeInstanceOf(ConnectionError)
  expect(seen).toHaveLength(1)
})

test('an import carries a key of its own, the same on every attempt, and a given one is kept', async () => {
  const { url, seen } = await script(breakOff, busy, version)
  const client = createClient({ baseUrl: url })
  await client.imports.createImport({ ...place, body: hub })
  const keys = seen.map(({ body }) => JSON.parse(body).idempotency_key)
  expect(keys).toEqual([keys[0], keys[0], keys[0]])
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  await client.imports.createImport({ ...place, body: { ...hub, idempotency_key: 'mine' } })
  expect(JSON.parse(seen.at(-1)?.body ?? '').idempotency_key).toBe('mine')
  await client.imports.createImport({ ...place, 'idempotency-key': 'header', body: hub })
  expect(JSON.parse(seen.at(-1)?.body ?? '')).not.toHaveProperty('idempotency_key')
})

test('an answer that stops in its middle is given up after the time-out', async () => {
  const { url, seen } = await script((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"item"')
  })
  const call = createClient({ baseUrl: url, attempts: 1 }).platform.getVersion(undefined, { timeoutMs: 300 })
  await expect(call).rejects.toThrow('did not answer within 0.3 s')
  expect(seen).toHaveLength(1)
})

test('a 422 lists its places', async () => {
  const detail = [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]
  const { url } = await script(say(422, { detail }))
  const error = await createClient({ baseUrl: url })
    .platform.getVersion()
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 422,
    code: 'validation_failed',
    issues: detail,
    message: 'name: Field required',
  })
})

test('an abort ends the call at once, also between attempts; names in paths are escaped', async () => {
  const { url, seen } = await script(say(503, {}, { 'retry-after': '60' }))
  const stop = new AbortController()
  const call = createClient({ baseUrl: url }).catalog.getStatistics({ dataset_id: '../a b' }, { signal: stop.signal })
  setTimeout(() => stop.abort(), 200)
  await expect(call).rejects.toThrow('abort')
  expect(seen.map(({ path }) => path)).toEqual(['/api/v1/catalog/datasets/..%2Fa%20b/statistics'])
})

test('events are read by the rules, however the bytes are cut', async () => {
  const stream = 'id: 1\nevent: import\ndata: {"a":\ndata: 1}\n\n: comment\n\ndata:x\r\n\r\nid: 3\n\nevent: gone'
  for (const size of [1, 2, 3, 7, 100]) {
    const pieces = stream.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
    const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)))
    const events = []
    for await (const event of readEvents(new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>)))
      events.push(event)
    expect(events).toEqual([
      { id: '1', event: 'import', data: '{"a":\n1}' },
      { id: undefined, event: 'message', data: 'x' },
    ])
  }
})

test('several forms in one request: all are waited for, then the first that failed is thrown', async () => {
  const job = (id: string, status: string) => ({ id, status, org_slug: 'a', version_id: 'v', error_message: 'no room' })
  const queued = say(200, { jobs: [job('exp_1', 'failed'), job('exp_2', 'queued')] })
  const { url, seen } = await script(queued, say(200, { item: job('exp_2', 'succeeded') }))
  const options = { zarr: { container: 'folder' } }
  const artifact_keys: ('rlds' | 'zarr')[] = ['rlds', 'zarr']
  const waited: string[] = []
  const made = createClient({ baseUrl: url }).exports.createSeveralAndWait(
    { org_slug: 'a', version_id: 'v', artifact_keys, options },
    { events: false, pollMs: 1, onProgress: ({ id, status }) => waited.push(`${id} ${status}`) },
  )
  await expect(made).rejects.toThrow('The export exp_1 failed: no room')
  expect(waited).toEqual(['exp_1 failed', 'exp_2 queued', 'exp_2 succeeded'])
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ artifact_keys: ['rlds', 'zarr'], options })
})
