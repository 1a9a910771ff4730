import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor } from '../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { openSecondProgram } from '../../test/second-program.ts'

let program: TestProgram
let other: { url: string; close(): Promise<void> }
let ada: { session: string; token: string }
let eve: { session: string; token: string }

const quota = 100_000

beforeAll(async () => {
  program = await startProgram({ NMP_ORG_QUOTA_BYTES: String(quota), NMP_PERSON_ORGS: '3', NMP_MAILS_PER_HOUR: '6' })
  other = await openSecondProgram(program)
  ;[ada, eve] = [await addPerson('ada'), await addPerson('eve')]
})
afterAll(async () => {
  await other?.close()
  await program?.close()
})

async function addPerson(name: string) {
  const user = await program.addUser(`${name}@example.org`)
  const token = await program.makeToken(user, ['workspace:read', 'imports:write'])
  return { session: await program.signIn(user), token }
}

const createOrg = (bearer: string, slug: string) => program.call('POST', '/api/v1/orgs', { bearer, body: { slug } })

describe('a person who makes organizations', () => {
  test('makes as many as are allowed, also at once; one that is gone makes room for none before its time', async () => {
    const answers = await Promise.all(['one', 'two', 'three'].map((name) => createOrg(ada.session, `ada-${name}`)))
    // The personal one is the first of three.
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({
      code: 'organization_limit',
      detail: expect.stringContaining('NMP_PERSON_ORGS'),
    })
    expect((await createOrg(eve.session, 'eve-one')).status).toBe(201)
  })

  test('gets no more room by it: pushes and uploads into all of them count together', async () => {
    const slugs = (await program.call('GET', '/api/v1/orgs', { bearer: ada.session })).body.items.map(
      ({ slug }: { slug: string }) => slug,
    )
    const door = openDoor(program, ada.token)
    await program.call('POST', `/api/v1/orgs/${slugs[1]}/projects`, { bearer: ada.session, body: { slug: 'default' } })
    const push = (org: string, size: number) =>
      door.commit(`${org}/${randomUUID().slice(0, 8)}`, { 'a.txt': randomBytes(size / 2).toString('hex') })
    expect((await push(slugs[0], 60_000)).status).toBe(200)
    const refused = await push(slugs[1], 60_000)
    expect([refused.status, refused.body.error]).toEqual([413, expect.stringContaining('NMP_PERSON_QUOTA_BYTES')])
    expect((await push(slugs[1], 20_000)).status).toBe(200)
    expect(await announce(ada.token, slugs[1], 15_000)).toBe(201)
    expect(await announce(ada.token, slugs[0], 15_000)).toBe(413)
    expect(await announce(ada.token, undefined, 30_000)).toBe(413)
    // Nobody else's.
    expect(await announce(eve.token, 'eve-one', 90_000)).toBe(201)
  })
})

const encode = (text: string) => Buffer.from(text).toString('base64')
async function announce(bearer: string, org: string | undefined, size: number): Promise<number> {
  const metadata = `filename ${encode('a.hdf5')}${org ? `,org_slug ${encode(org)}` : ''}`
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(size), 'upload-metadata': metadata }
  return (await program.call('POST', '/api/v1/uploads', { bearer, headers })).status
}

describe('mails that people cause', () => {
  const invite = (bearer: string, org: string, email: string, url = program.url) =>
    fetch(`${url}/api/v1/orgs/${org}/invites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
  const someone = () => `${randomUUID()}@example.org`

  test('are limited by their sender, over all processes and organizations, and say when to try again', async () => {
    const ways = [
      { org: 'eve', url: program.url },
      { org: 'eve-one', url: other.url },
    ]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const { org, url } = ways[at % 2] ?? ways[0] ?? { org: '', url: '' }
        return invite(eve.session, org, someone(), url)
      }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(201), ...Array(6).fill(429)])
    const refused = answers.find(({ status }) => status === 429)
    const wait = Number(refused?.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(3600)
    expect(await refused?.json()).toMatchObject({ code: 'too_many_requests' })
  })

  test('and by their organization and their receiver, whoever sends them', async () => {
    const { context } = program
    const { id: orgId } = await context.db
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'ada')
      .executeTakeFirstOrThrow()
    const receiver = someone()
    const digest = createHash('sha256').update(receiver).digest()
    const cause = (row: { org_id: string | null; receiver_sha256: Buffer }, count: number) =>
      context.db
        .insertInto('caused_mails')
        .values(Array.from({ length: count }, () => ({ sender_id: null, ...row })))
        .execute()
    await cause({ org_id: null, receiver_sha256: digest }, 10)
    const toReceiver = await invite(ada.session, 'ada', receiver)
    expect([toReceiver.status, ((await toReceiver.json()) as { detail: string }).detail]).toEqual([
      429,
      expect.stringContaining('this address'),
    ])
    expect((await invite(ada.session, 'ada', someone())).status).toBe(201)
    await cause({ org_id: orgId, receiver_sha256: randomBytes(32) }, 12)
    const inOrg = await invite(ada.session, 'ada', someone())
    expect([inOrg.status, ((await inOrg.json()) as { detail: string }).detail]).toEqual([
      429,
      expect.stringContaining('this organization'),
    ])
  })
})
