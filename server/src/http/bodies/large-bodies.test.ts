import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { waitUntil } from '../../../test/wait-until.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

let program: TestProgram
let bearer: string
let datasetId: string

const versions = '/api/v1/orgs/large-lab/derived-dataset-versions'
const preview = (recipe: string, headers: Record<string, string> = {}): Promise<Answer> =>
  program.call('POST', `${versions}/preview`, {
    bearer,
    body: `{"source":{"dataset_kind":"catalog","dataset_id":"${datasetId}"},"recipe":${recipe}}`,
    headers: { 'content-type': 'application/json', ...headers },
  })
const numbers = (count: number): string => Array.from({ length: count }, (_, index) => index % 3).join(',')

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('large@example.org')
  bearer = await program.signIn(user)
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'large-lab', name: 'Large', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const place = { orgId: org.id, projectId: project.id, slug: 'small' }
  datasetId = (await publishRecording(program.context, place, [4, 4, 4])).datasetId
})
afterAll(() => program.close())

test('a large body is answered as a small one is, with the request id that was sent', async () => {
  const small = await preview('{"selected_episode_indices":[0,1,2]}')
  const large = await preview(`{"selected_episode_indices":[${numbers(100_000)}]}`, { 'x-request-id': 'large-1' })
  expect([small.status, large.status]).toEqual([200, 200])
  expect(large.body.item.total_frames).toBe(small.body.item.total_frames)
  expect(large.headers.get('x-request-id')).toBe('large-1')
  expect(large.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const wrong = await preview(`{"selected_episode_indices":[${numbers(100_000)},"x"]}`)
  expect([wrong.status, wrong.body.detail[0].loc.at(-1)]).toEqual([422, 100_000])
})

test('more keys and values than a route can need are refused before they are parsed', async () => {
  const many = `{"name":[${Array.from({ length: 5000 }, () => '[]').join(',')}]}`
  const { status, body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: many })
  expect([status, body.detail[0].type, body.detail[0].ctx.error]).toEqual([
    422,
    'json_invalid',
    'More than 4000 keys and values',
  ])
  const commit = await fetch(`${program.url}/hf/api/datasets/large-lab/lab.pushed/commit/main`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: `${'['.repeat(100)}${']'.repeat(100)}`,
  })
  expect([commit.status, await commit.json()]).toEqual([400, { error: expect.stringContaining('Nesting deeper') }])
})

test('one person has at most 32 large bodies on the way, and room again when they are gone', async () => {
  const { hostname, port } = new URL(program.url)
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      `POST ${versions}/preview HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bearer}\r\ncontent-type: application/json\r\ncontent-length: 999999\r\n\r\n`,
    )
    socket.write(' '.repeat(200_000))
    return socket
  })
  const ask = async (): Promise<number> => (await preview(`{"selected_episode_indices":[${numbers(100_000)}]}`)).status
  await waitUntil(async () => (await ask()) === 429 || undefined)
  for (const socket of sockets) socket.destroy()
  await waitUntil(async () => (await ask()) === 200 || undefined)
})

test('clients who have gone leave their turn to the next: what they sent is not worked through', async () => {
  const { db } = program.context
  const create = (slug: string): string =>
    `{"slug":"${slug}","name":"x","source":{"dataset_kind":"catalog","dataset_id":"${datasetId}"},"recipe":{"selected_episode_indices":[${numbers(100_000)}]}}`
  const sockets: Socket[] = []
  const onRequest = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    if (request.headers['x-test'] === 'gone') sockets.push(socket)
  }
  subscribe('http.server.request.start', onRequest)
  const first = await db.transaction().execute(async (trx) => {
    // The first has its turn until this ends.
    await sql`lock table versions in exclusive mode`.execute(trx)
    const created = program.call('POST', versions, { bearer, body: create('stays') })
    const waiting = sql`select 1 from pg_locks where relation = 'versions'::regclass and not granted`
    await waitUntil(async () => (await waiting.execute(db)).rows.length > 0 || undefined)
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'x-test': 'gone' }
    const gone = [0, 1, 2, 3].map((index) => {
      const body = create(`gone-${index}`)
      const sent = request(program.url + versions, { method: 'POST', headers, agent: false }).on('error', () => {})
      return new Promise<ClientRequest>((resolve) => sent.end(body, () => resolve(sent)))
    })
    for (const sent of await Promise.all(gone)) sent.destroy()
    await waitUntil(async () => (sockets.length === 4 && sockets.every(({ closed }) => closed)) || undefined)
    return { created }
  })
  unsubscribe('http.server.request.start', onRequest)
  expect((await first.created).status).toBe(201)
  expect((await program.call('POST', versions, { bearer, body: create('last') })).status).toBe(201)
  const { items } = (await program.call('GET', versions, { bearer })).body as { items: { slug: string }[] }
  expect(items.map(({ slug }) => slug).toSorted()).toEqual(['last', 'stays'])
})

test('the Hub door stops an address that sends bad credentials, and nobody whose credential was good before', async () => {
  const whoAmI = (token: string): Promise<number> =>
    fetch(`${program.url}/hf/api/whoami-v2`, { headers: { authorization: `Bearer ${token}` } }).then(
      ({ status }) => status,
    )
  expect(await whoAmI(bearer)).toBe(200)
  const statuses = await Promise.all(Array.from({ length: 130 }, (_, index) => whoAmI(`nmp_bad${index}`)))
  expect(new Set(statuses)).toEqual(new Set([401, 429].filter((status) => statuses.includes(status))))
  expect(await whoAmI('nmp_another')).toBe(429)
  expect(await whoAmI(bearer)).toBe(200)
})
