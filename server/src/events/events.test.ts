import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { inTransaction } from '../db/database.ts'
import type { User } from '../identity/users/service.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { notify } from '../notifications/service.ts'

let program: TestProgram
let ada: User
let bearer: string

beforeAll(async () => {
  program = await startProgram()
  ada = await program.addUser('ada@example.org')
  bearer = await program.signIn(ada)
})
afterAll(() => program.close())

interface SeenEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
  data: any
}

/** A client as simple as one can be. */
async function follow(as: string, query = '', headers: Record<string, string> = {}) {
  const gone = new AbortController()
  const response = await fetch(`${program.url}/api/v1/events${query}`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
    signal: gone.signal,
  })
  const events: SeenEvent[] = []
  let isOver = false
  const read = async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
        if (field('data')) events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) })
      }
    }
  }
  const reading = read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const waitFor = async (what: string, found: () => boolean) => {
    for (let tries = 0; !found(); tries += 1) {
      if (tries > 1200 || isOver) throw new Error(`${what} never came; seen: ${JSON.stringify(events).slice(0, 2000)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await waitFor('ready', () => events.length > 0)
  return { status: response.status, headers: response.headers, events, reading, waitFor, leave: () => gone.abort() }
}

const dataset = getFixture('lerobot/recorded-v2.1')

test('an import is followed from queued to succeeded, and by nobody who may not see it', async () => {
  const stranger = await follow(await program.signIn(await program.addUser('eve@example.org')))
  const stream = await follow(bearer, '?org_slug=ada&project_slug=default')
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  program.startWorker()
  const job = await importFixture(program, bearer, {
    org: 'ada',
    project: 'default',
    slug: 'seen',
    folder: dataset,
  })
  const statuses = () => stream.events.filter(({ event }) => event === 'import').map(({ data }) => data.status)
  await stream.waitFor('succeeded', () => statuses().includes('succeeded'))
  // An event tells what is, so a status that lasted a moment may be missed; none comes out of order.
  expect(statuses().filter((status) => status !== 'queued')).toContain('succeeded')
  expect(new Set([...statuses(), ...order])).toEqual(new Set(order))
  expect(statuses()).toEqual(statuses().toSorted((one, other) => order.indexOf(one) - order.indexOf(other)))
  expect(stream.events.at(-1)?.data.id).toBe(job.id)
  expect(stranger.events.map(({ event }) => event)).toEqual(['ready'])
  stream.leave()
  stranger.leave()

  // Who left before the end hears of it when they come back, and who was there to the end hears little twice.
  const firstId = stream.events[0]?.id ?? ''
  const back = await follow(bearer, '?seconds=0', { 'last-event-id': firstId })
  await back.reading
  expect(back.events.slice(1)).toMatchObject([{ event: 'import', data: { id: job.id, status: 'succeeded' } }])
  const late = await follow(bearer, `?seconds=0&last_event_id=${Number(back.events[0]?.id) + 3_600_000}`)
  await late.reading
  expect(late.events.map(({ event }) => event)).toEqual(['ready'])
}, 120_000)

const order = ['queued', 'running', 'succeeded']

test('a run of the checks is followed to its end, and by nobody who may not see it', async () => {
  const stranger = await follow(await program.signIn(await program.addUser('mallory@example.org')))
  const stream = await follow(bearer, '?org_slug=ada&project_slug=default')
  const path = '/api/v1/orgs/ada/projects/default/datasets/seen/checks'
  const started = await program.call('POST', path, { bearer, body: { pictures: false, again: true } })
  const { dataset_id, revision_id, signals } = started.body.item
  const told = () => stream.events.filter(({ event }) => event === 'check').map(({ data }) => data)
  await stream.waitFor('the end of the run', () => told().some(({ status }) => status === 'succeeded'))
  const place = { org_slug: 'ada', project_slug: 'default', dataset_id, revision_id, parts: ['signals'] }
  for (const data of told()) expect(data).toMatchObject({ id: signals.job_id, ...place, total: signals.total })
  expect(told().at(-1)).toMatchObject({ status: 'succeeded', done: signals.total })
  const statuses = told().map(({ status }) => status)
  expect(statuses).toEqual(statuses.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)))
  expect(stranger.events.map(({ event }) => event)).toEqual(['ready'])
  stream.leave()
  stranger.leave()
})

const tell = (title: string) =>
  inTransaction(program.context.db, (trx) =>
    notify(trx, {
      kind: 'team_invite',
      userIds: [ada.id],
      orgId: null,
      resourceKind: 'x',
      resourceId: 'x',
      title,
      path: '/x',
    }),
  )

test('notifications come to whom they are for, and after the listening connection was lost', async () => {
  const stream = await follow(bearer)
  const titles = () => stream.events.filter(({ event }) => event === 'notification').map(({ data }) => data.title)
  await tell('one')
  await stream.waitFor('one', () => titles().includes('one'))
  const { default: pg } = await import('pg')
  const client = new pg.Client(program.context.connection)
  await client.connect()
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen nmp_events%'`)
  await client.end()
  await tell('two')
  await stream.waitFor('two', () => titles().includes('two'))
  expect(stream.events.at(-1)?.data.url).toBe(`${program.url}/x`)
  stream.leave()
})

test('a role that is taken away is heard of at once; too many streams are refused', async () => {
  const { db } = program.context
  const bob = await program.addUser('bob@example.org')
  const org = await db.selectFrom('organizations').where('slug', '=', 'ada').select('id').executeTakeFirstOrThrow()
  await db.insertInto('org_members').values({ org_id: org.id, user_id: bob.id, role: 'admin' }).execute()
  const stream = await follow(await program.signIn(bob))
  await db.deleteFrom('org_members').where('user_id', '=', bob.id).where('org_id', '=', org.id).execute()
  const watcher = await follow(bearer)
  const project = await db.selectFrom('projects').where('org_id', '=', org.id).select('id').executeTakeFirstOrThrow()
  await inTransaction(db, async (trx) => {
    await createJob(trx, { id: 'imp_x', orgId: org.id, kind: 'import' })
    await trx
      .insertInto('imports')
      .values({
        id: 'imp_x',
        project_id: project.id,
        dataset_slug: 'x',
        title: 'x',
        source_kind: 'hdf5',
        fingerprint: 'a'.repeat(64),
        options: '{}',
        upload_ids: [],
      })
      .execute()
  })
  await watcher.waitFor('imp_x', () => watcher.events.some(({ data }) => data.id === 'imp_x'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(stream.events.map(({ event }) => event)).toEqual(['ready'])
  stream.leave()
  watcher.leave()

  const eve = await program.signIn(bob)
  const many = await Promise.all(Array.from({ length: 20 }, () => follow(eve)))
  const refused = await program.call('GET', '/api/v1/events', { bearer: eve })
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
  for (const one of many) one.leave()
})

test('who leaves before the first word leaves no stream behind', async () => {
  const dan = await program.addUser('dan@example.org')
  const session = await program.signIn(dan)
  const { hostname, port } = new URL(program.url)
  const request = `GET /api/v1/events HTTP/1.1\r\nhost: nmp\r\nauthorization: Bearer ${session}\r\n\r\n`
  for (let left = 0; left < 60; left++) {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    await new Promise<void>((resolve) => socket.write(request, () => resolve()))
    if (left % 3 > 0) await new Promise((resolve) => setTimeout(resolve, left % 7))
    socket.destroy()
  }
  await expect
    .poll(async () => (await program.call('GET', '/api/v1/events?seconds=0', { bearer: session })).status)
    .toBe(200)
})

test('a last id beyond every date is no reason to end', async () => {
  const stream = await follow(bearer, '', { 'last-event-id': '9007199254740991' })
  await tell('three')
  await stream.waitFor('a notification', () => stream.events.some(({ event }) => event === 'notification'))
  stream.leave()
})

test('ids ascend, also when a client has come back from an API whose clock is ahead', async () => {
  const stream = await follow(bearer)
  const titles = Array.from({ length: 40 }, (_, index) => `many ${index}`)
  const hasAll = (events: readonly SeenEvent[]) =>
    titles.every((title) => events.some(({ event, data }) => event === 'notification' && data.title === title))
  await Promise.all(titles.map(tell))
  await stream.waitFor('all', () => hasAll(stream.events))
  stream.leave()
  const last = Number(stream.events.at(-1)?.id) + 5_000
  const again = await follow(bearer, '', { 'last-event-id': String(last) })
  await again.waitFor('all once more', () => hasAll(again.events))
  again.leave()
  const ids = [...stream.events.map(({ id }) => Number(id)), last, ...again.events.map(({ id }) => Number(id))]
  expect(ids.filter((id, index) => id <= (ids[index - 1] ?? 0))).toEqual([])
})
