import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callProgram, startProgram, type TestProgram } from './program.ts'
import { publishRecording } from './published-dataset.ts'
import { openSecondProgram } from './second-program.ts'
import { waitUntil } from './wait-until.ts'

/** What one API has been told holds at the other. Sign-in, mails, tokens and sessions: pages.test.ts, person-limits.test.ts, fleet.test.ts. */
let program: TestProgram
let other: { url: string; close(): Promise<void> }
let bearer: string
let orgId: string
let projectId: string

beforeAll(async () => {
  program = await startProgram()
  other = await openSecondProgram(program)
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  const place = await program.context.db
    .selectFrom('projects')
    .innerJoin('organizations', 'organizations.id', 'projects.org_id')
    .select(['organizations.id as orgId', 'projects.id as projectId'])
    .where('organizations.slug', '=', 'ada')
    .executeTakeFirstOrThrow()
  ;({ orgId, projectId } = place)
})
afterAll(async () => {
  await other?.close()
  await program?.close()
})

const imports = '/api/v1/orgs/ada/projects/default/imports'
const newImport = {
  source_kind: 'huggingface',
  hf_repo_id: 'lerobot/pusht',
  dataset_slug: 'asked-for',
  idempotency_key: 'once',
}

test('an event stream of one tells what is asked of the other, and an idempotency key holds at both', async () => {
  const gone = new AbortController()
  const stream = await fetch(`${other.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${bearer}` },
    signal: gone.signal,
  })
  let seen = ''
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  await waitUntil(async () => seen.includes('event: ready') || undefined)
  const made = await program.call('POST', imports, { bearer, body: newImport })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await waitUntil(async () => seen.includes(made.body.item.id) || undefined)
  gone.abort()
  await reading
  const again = await callProgram(other.url, 'POST', imports, { bearer, body: newImport })
  expect([again.status, again.body.item.id]).toEqual([200, made.body.item.id])
})

test('a dataset that is withdrawn at one is gone at the other a second later, also for who has it open', async () => {
  const { datasetId } = await publishRecording(program.context, { orgId, projectId, slug: 'shown' }, [3])
  const change = (visibility: string) =>
    program.call('PATCH', '/api/v1/orgs/ada/projects/default/datasets/shown', { bearer, body: { visibility } })
  const look = async () => (await callProgram(other.url, 'GET', `/api/v1/catalog/datasets/${datasetId}`)).status
  expect(await look()).toBe(404)
  await change('public')
  expect(await look()).toBe(200)
  await change('private')
  await waitUntil(async () => (await look()) === 404 || undefined)
})

test('bad credentials of an address are counted together, and who was let in before goes on', async () => {
  const ask = (url: string, token: string) => callProgram(url, 'GET', '/api/v1/users/me', { bearer: token })
  for (const url of [program.url, other.url]) expect((await ask(url, bearer)).status).toBe(200)
  const bad = await Promise.all(
    Array.from({ length: 140 }, (_, at) =>
      ask(at % 2 ? program.url : other.url, `nmp_${String(at).padStart(36, 'x')}`),
    ),
  )
  expect(bad.filter(({ status }) => status === 401)).toHaveLength(100)
  const refused = bad.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(40)
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  for (const url of [program.url, other.url]) expect((await ask(url, bearer)).status).toBe(200)
})

test('event streams of a person are counted together, and those of an API that was killed for ten seconds more', async () => {
  const gone = new AbortController()
  const open = async (url: string, query = '') => {
    const headers = { authorization: `Bearer ${bearer}` }
    const signal = query ? AbortSignal.timeout(60_000) : gone.signal
    const { status } = await fetch(`${url}/api/v1/events${query}`, { headers, signal })
    return status
  }
  // Ends at once, where it is let in.
  const isLetIn = async (url: string) => (await open(url, '?seconds=0')) === 200
  const opened = Array.from({ length: 20 }, (_, at) => open(at % 2 ? program.url : other.url))
  expect(await Promise.all(opened)).toEqual(Array(20).fill(200))
  for (const url of [program.url, other.url]) await waitUntil(async () => !(await isLetIn(url)) || undefined)
  gone.abort()
  for (const url of [program.url, other.url]) await waitUntil(async () => (await isLetIn(url)) || undefined)

  const { db } = program.context
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'ada@example.org')
    .executeTakeFirstOrThrow()
  // All that is left of one: what it said last.
  for (const word of ['killed api\nhere', `killed streams\n20 ${id}`])
    await sql`select pg_notify('nmp_apis', ${word})`.execute(db)
  await waitUntil(async () => !(await isLetIn(other.url)) || undefined)
  for (const url of [program.url, other.url]) await waitUntil(async () => (await isLetIn(url)) || undefined)
})

test('a client that asks two APIs without a pause gets what one would give it, and a second more', async () => {
  const limit = 40
  const first = await startProgram({ NMP_RATE_LIMIT: String(limit) })
  const second = await openSecondProgram(first)
  const session = await first.signIn(await first.addUser('bob@example.org'))
  const ask = (url: string) => callProgram(url, 'GET', '/api/v1/users/me', { bearer: session })
  // Until both know of each other: until then each gives the whole of it.
  await waitUntil(async () => (first.context.peers.hasOthers() ? true : undefined))
  const began = performance.now()
  let seconds = 0
  let answered = 0
  const askOn = async (url: string) => {
    while (seconds < 6) {
      if ((await ask(url)).status === 200) answered += 1
      seconds = (performance.now() - began) / 1000
    }
  }
  await Promise.all([first.url, first.url, second.url, second.url].map(askOn))
  await second.close()
  await first.close()
  // The budgets that both begin with, and what is not told: a sixteenth. Alone, each would have given limit * (seconds + 1).
  expect(answered).toBeLessThan(limit * (seconds * (1 + 1 / 8) + 3))
  expect(answered).toBeGreaterThan(limit * 2)
})
