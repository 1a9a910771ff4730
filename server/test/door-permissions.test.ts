import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hubRoutes } from '../src/hub/hub-routes.ts'
import { routes } from '../src/routes.ts'
import { openDoor } from './hub-door.ts'
import { addPeople, type People } from './permission-people.ts'
import { doorIdentities, doorRows, identities, rows } from './permission-table.ts'
import { startProgram, type TestProgram } from './program.ts'
import { publishRecording } from './published-dataset.ts'

let program: TestProgram
let people: People
/** As the organization's admin, with a token of every scope. */
let admin: ReturnType<typeof openDoor>

beforeAll(async () => {
  program = await startProgram({ NMP_TRUST_PROXY: '1' })
  people = await addPeople(program)
  admin = openDoor(program, people.bearers.pat ?? '')
  const { org, project } = people
  await publishRecording(program.context, { orgId: org.id, projectId: project.id, slug: 'recording' }, [4, 3])
})
afterAll(() => program?.close())

interface Asked {
  method?: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

const repo = (name = 'recording') => `${people.org.slug}/lab.${name}`
const ofRepo = (rest: string, body?: unknown) => async (): Promise<Asked> => ({
  path: `/hf/api/datasets/${repo()}${rest}`,
  body,
})

/** A repository of its own for each request: what the first changes, the second would not find. */
async function addRepository(): Promise<string> {
  const name = `made-${randomUUID().slice(0, 8)}`
  const { status } = await admin.commit(repo(name), { 'a.txt': 'a' })
  if (status !== 200) throw new Error(`a commit was answered by ${status}`)
  return name
}
const ofNew = (rest: string, body?: unknown) => async (): Promise<Asked> => ({
  path: `/hf/api/datasets/${repo(await addRepository())}${rest}`,
  body,
})

const content = (size = 10) => {
  const bytes = Buffer.alloc(size, randomUUID())
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex') }
}

/** The links that a push gets for one object of that size. */
async function planObject(oid: string, size: number, transfers = ['basic', 'multipart']) {
  const name = await addRepository()
  const body = { operation: 'upload', transfers, objects: [{ oid, size }] }
  return (await admin.ask('POST', `/datasets/${repo(name)}.git/info/lfs/objects/batch`, body)).body.objects[0].actions
}

/** The address, for somebody who has the link; without what is signed for anybody else. */
const linked = (href: string, who: string): string => {
  const url = new URL(href)
  return url.pathname + (who === 'link' ? url.search : '')
}
const largeSize = 128 * 1024 * 1024

async function openStore(who: string) {
  const path = `/api/datasets/${repo(await addRepository())}/xet-write-token/main`
  const { casUrl, accessToken } = (await admin.ask('GET', path)).body
  const headers = who === 'link' ? { authorization: `Bearer ${accessToken}` } : {}
  return { store: new URL(casUrl).pathname, headers }
}

const tus = { 'tus-resumable': '1.0.0' }
const bearerOf = (who: string): Record<string, string> => {
  const bearer = people.bearers[who]
  return bearer ? { authorization: `Bearer ${bearer}` } : {}
}
async function addUpload(): Promise<string> {
  const answer = await fetch(`${program.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { ...tus, ...bearerOf('pat'), ...uploadHeaders() },
  })
  return new URL(answer.headers.get('location') ?? '').pathname
}
const uploadHeaders = () => ({
  'upload-length': '4',
  'upload-metadata': `filename ${Buffer.from('a.hdf5').toString('base64')},org_id ${Buffer.from(people.org.id).toString('base64')}`,
})

async function addObject(): Promise<string> {
  const { storage } = program.context
  const key = `staging/permissions/1/${randomUUID()}`
  await storage.putObject(key, Readable.from([Buffer.from('x')]))
  return (await storage.signGet(key, { expiresInSeconds: 60 })).url
}

/** A request of each route that would succeed, made just before it is sent. */
const requests: Record<string, (who: string) => Promise<Asked>> = {
  'hub.whoami': async () => ({ path: '/hf/api/whoami-v2' }),
  'hub.listDatasets': async () => ({ path: '/hf/api/datasets' }),
  'hub.listModels': async () => ({ path: '/hf/api/models' }),
  'hub.getRepository': ofRepo(''),
  'hub.getRevision': ofRepo('/revision/main'),
  'hub.listRefs': ofRepo('/refs'),
  'hub.listTree': ofRepo('/tree/main'),
  'hub.getPaths': ofRepo('/paths-info/main', { paths: ['meta/info.json'] }),
  'hub.listCommits': ofRepo('/commits/main'),
  'hub.checkAccess': ofRepo('/auth-check'),
  'hub.getFile': async () => ({ path: `/hf/datasets/${repo()}/resolve/main/meta/info.json` }),
  'hub.checkCard': async () => ({ path: '/hf/api/validate-yaml', body: { content: '' } }),
  'hub.createRepository': async () => ({
    path: '/hf/api/repos/create',
    body: { name: repo(`made-${randomUUID().slice(0, 8)}`), type: 'dataset' },
  }),
  'hub.duplicate': async () => ({
    path: `/hf/api/datasets/${repo()}/duplicate`,
    body: { repository: repo(`copy-${randomUUID().slice(0, 8)}`) },
  }),
  'hub.deleteRepository': async () => ({
    path: '/hf/api/repos/delete',
    body: { name: repo(await addRepository()), type: 'dataset' },
  }),
  'hub.move': async () => ({
    path: '/hf/api/repos/move',
    body: { fromRepo: repo(await addRepository()), toRepo: repo(`to-${randomUUID().slice(0, 8)}`), type: 'dataset' },
  }),
  'hub.changeSettings': async () => {
    const slug = `open-${randomUUID().slice(0, 8)}`
    await publishRecording(program.context, { orgId: people.org.id, projectId: people.project.id, slug }, [1])
    return { path: `/hf/api/datasets/${repo(slug)}/settings`, body: { visibility: 'public' } }
  },
  'hub.deleteBranch': async () => {
    const name = await addRepository()
    await admin.ask('POST', `/api/datasets/${repo(name)}/branch/side`, {})
    return { path: `/hf/api/datasets/${repo(name)}/branch/side` }
  },
  'hub.planUpload': ofNew('/preupload/main', { files: [{ path: 'b.txt', size: 1, sample: '' }] }),
  'hub.commit': ofNew('/commit/main', '{"key":"file","value":{"path":"b.txt","content":"YQ==","encoding":"base64"}}'),
  'hub.createBranch': ofNew('/branch/side', {}),
  'hub.createTag': ofNew('/tag/main', { tag: 'mine' }),
  'hub.deleteTag': async () => {
    const name = await addRepository()
    await admin.tag(repo(name), 'mine')
    return { path: `/hf/api/datasets/${repo(name)}/tag/mine` }
  },
  'hub.planTransfers': async () => ({
    path: `/hf/datasets/${repo(await addRepository())}.git/info/lfs/objects/batch`,
    body: { operation: 'upload', objects: [{ oid: content().oid, size: 10 }] },
  }),
  'hub.putObject': async (who) => {
    const { bytes, oid } = content()
    const { upload } = await planObject(oid, bytes.length)
    return { path: linked(upload.href, who), body: bytes }
  },
  'hub.verifyObject': async (who) => {
    const { bytes, oid } = content()
    const { upload, verify } = await planObject(oid, bytes.length)
    await fetch(upload.href, { method: 'PUT', body: bytes })
    return { path: linked(verify.href, who), body: {} }
  },
  'hub.putPart': async (who) => {
    const { upload } = await planObject(content().oid, largeSize)
    return { path: linked(upload.header['00001'], who), body: Buffer.from('less than a part') }
  },
  'hub.completeObject': async (who) => {
    const { upload } = await planObject(content().oid, largeSize)
    return { path: linked(upload.href, who), body: { parts: [] } }
  },
  'hub.giveXetToken': ofNew('/xet-write-token/main'),
  'hub.putXorb': async (who) => {
    const { store, headers } = await openStore(who)
    return { path: `${store}/v1/xorbs/default/${content().oid}`, body: Buffer.from('no xorb'), headers }
  },
  'hub.putShard': async (who) => {
    const { store, headers } = await openStore(who)
    return { path: `${store}/v1/shards`, body: Buffer.from('no shard'), headers }
  },
  'hub.refuseModel': async () => ({ method: 'GET', path: '/hf/api/models/bert' }),
  'hub.refuseModelFile': async () => ({ method: 'GET', path: '/hf/bert/resolve/main/config.json' }),
  'hub.refuseSpace': async () => ({ method: 'GET', path: `/hf/api/spaces/${repo()}` }),
  'hub.refuseSpaceFile': async () => ({ method: 'GET', path: `/hf/spaces/${repo()}/resolve/main/app.py` }),
  'hub.refuseBareName': async () => ({ method: 'GET', path: '/hf/api/datasets/recording' }),
  'hub.refuseBareFile': async () => ({ method: 'GET', path: '/hf/datasets/recording/resolve/main/README.md' }),
  'tus.create': async () => ({ method: 'POST', path: '/api/v1/uploads', headers: { ...tus, ...uploadHeaders() } }),
  'tus.getOffset': async () => ({ method: 'HEAD', path: await addUpload(), headers: tus }),
  'tus.append': async () => ({
    method: 'PATCH',
    path: await addUpload(),
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: Buffer.from('data'),
  }),
  'tus.delete': async () => ({ method: 'DELETE', path: await addUpload(), headers: tus }),
  'objects.get': async (who) => ({ method: 'GET', path: linked(await addObject(), who) }),
}

const encode = (body: unknown): string | Uint8Array<ArrayBuffer> | undefined => {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body)
}

test('every route of the Hub door is in the table, and has a scope where it writes', () => {
  const named = doorRows.map(({ id }) => id).filter((id) => id.startsWith('hub.'))
  expect(named.sort()).toEqual(hubRoutes.map(({ id }) => id).sort())
  const free = hubRoutes.filter(({ credentials, method }) => credentials === 'optional' && method !== 'GET')
  expect(free.filter(({ method }) => method !== 'any').map(({ id }) => id)).toEqual(['hub.getPaths', 'hub.checkCard'])
})

const isGiven = (status: string | number | undefined): boolean => /^2/.test(String(status))

/** The one departure: clients ask first of all who they are, and a token without workspace:read learns its own name and nothing more. */
const departures = new Set(['hub.whoami weak'])

test.each(doorRows.filter(({ twin }) => twin !== '-'))(
  '$id gives nobody what $twin refuses them',
  ({ id, statuses, twin }) => {
    const other = rows.find((row) => row.id === twin)
    if (!other) throw new Error(`no route ${twin}`)
    const route = hubRoutes.find((candidate) => candidate.id === id)
    const asked = routes.find((candidate) => candidate.id === twin)?.credentials
    if (Array.isArray(asked) && Array.isArray(route?.credentials))
      expect(route.credentials).toEqual(expect.arrayContaining(asked))
    for (const who of identities) {
      const isAllowed = isGiven(other.statuses[identities.indexOf(who)]) || departures.has(`${id} ${who}`)
      expect({ who, excess: isGiven(statuses[doorIdentities.indexOf(who)]) && !isAllowed }).toEqual({
        who,
        excess: false,
      })
    }
  },
)

describe.each(doorRows)('$id', ({ id, statuses }) => {
  test('answers everybody as written', async () => {
    const route = hubRoutes.find((candidate) => candidate.id === id)
    const seen: string[] = []
    let refused: Asked | undefined
    for (const [index, who] of doorIdentities.entries()) {
      if (statuses[index] === '-') {
        seen.push('-')
        continue
      }
      // Who is refused changes nothing: one request serves them all.
      const isOwn = isGiven(statuses[index]) || who === 'link' || !refused
      const asked = isOwn ? await requests[id]?.(who) : refused
      if (!isGiven(statuses[index])) refused = asked
      if (!asked) throw new Error(`no request for ${id}`)
      const body = encode(asked.body)
      const answer = await fetch(program.url + asked.path, {
        method: asked.method ?? route?.method ?? 'GET',
        // Bad credentials are counted by address.
        headers: {
          ...bearerOf(who),
          ...asked.headers,
          'x-forwarded-for': `10.1.${doorRows.findIndex((row) => row.id === id)}.1`,
        },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
      })
      await answer.arrayBuffer()
      seen.push(String(answer.status))
    }
    const show = (list: readonly string[]) => Object.fromEntries(doorIdentities.map((who, index) => [who, list[index]]))
    expect(show(seen)).toEqual(show(statuses))
  })
})

test('lists and whoami tell a token what its scopes say, and no more', async () => {
  const ask = async (who: string, path: string) =>
    (await openDoor(program, people.bearers[who] ?? '').ask('GET', path)).body
  for (const who of ['read', 'pat', 'view', 'oadm', 'anon', 'weak', 'push', 'other']) {
    const isReader = ['read', 'pat', 'view', 'oadm'].includes(who)
    const listed = (await ask(who, '/api/datasets')) as { id: string }[]
    expect({ who, lists: listed.some(({ id }) => id === repo()) }).toEqual({ who, lists: isReader })
  }
  for (const [who, count] of Object.entries({ read: 1, pat: 1, weak: 0, push: 0 })) {
    const { email, orgs } = (await ask(who, '/api/whoami-v2')) as { email?: string; orgs: { name: string }[] }
    const ours = orgs.filter(({ name }) => name === people.org.slug).length
    expect({ who, email, ours }).toEqual({ who, email: count ? people.admin.email : undefined, ours: count })
  }
})

test('a token for imports alone learns nothing of what a repository holds, nor which organizations there are', async () => {
  const known = { files: [{ path: 'meta/info.json', size: 1, sample: '' }] }
  const plan = async (who: string) =>
    (await openDoor(program, people.bearers[who] ?? '').ask('POST', `/api/datasets/${repo()}/preupload/main`, known))
      .body
  expect((await plan('pat')).files[0].oid).toMatch(/^[0-9a-f]{40}$/)
  expect((await plan('push')).files[0]).not.toHaveProperty('oid')
  const push = openDoor(program, people.bearers.push ?? '')
  const made = await push.ask('POST', '/api/repos/create', { name: 'nowhere', type: 'dataset' })
  expect([made.status, made.body.error]).toEqual([403, expect.stringContaining('ORG/NAME')])
})

test('a link opens its own object of its own push, until its time', async () => {
  const { bytes, oid } = content()
  const [{ upload }, elsewhere] = [await planObject(oid, bytes.length), await planObject(oid, bytes.length)]
  const put = async (href: string) => (await fetch(href, { method: 'PUT', body: bytes })).status
  const [ours, theirs] = [new URL(upload.href), new URL(elsewhere.upload.href)]
  const alter = (name: string, value: string) => {
    const url = new URL(ours)
    url.searchParams.set(name, value)
    return url.href
  }
  expect(await put(`${theirs.origin}${theirs.pathname}${ours.search}`)).toBe(403)
  expect(await put(upload.href.replace(oid, content().oid))).toBe(403)
  expect(await put(alter('size', '11'))).toBe(403)
  expect(await put(alter('expires', String(Number(ours.searchParams.get('expires')) + 1)))).toBe(403)
  expect(await put(alter('expires', '1'))).toBe(403)
  expect(await put(upload.href)).toBe(200)
})
