import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateEpisodes, generateModel, publishModel } from '../../test/generated-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import type { User } from '../identity/users/service.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'
import { findBlob } from '../storage/blobs.ts'
import { deleteDatasetsPastGrace } from './service.ts'

let program: TestProgram
let place: { orgId: string; projectId: string }
let people: Record<'admin' | 'editor' | 'viewer' | 'outsider', User>
const sessions: Record<string, string> = {}
let datasetId = ''
let slug = ''
let count = 0

const projectPath = (rest = '') => `/api/v1/orgs/lab/projects/arm/datasets/${slug}${rest}`
const catalogPath = (rest = '') => `/api/v1/catalog/datasets/${datasetId}${rest}`
const call = (who: string, method: string, path: string, body?: unknown) =>
  program.call(method, path, {
    ...(sessions[who] ? { bearer: sessions[who] } : {}),
    ...(body === undefined ? {} : { body }),
  })

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const add = (who: string) => program.addUser(`${who}@example.org`)
  people = {
    admin: await add('admin'),
    editor: await add('editor'),
    viewer: await add('viewer'),
    outsider: await add('outsider'),
  }
  const org = await createOrg(db, 'operator', { slug: 'lab', name: 'Lab', adminUserId: people.admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'arm', name: 'Arm' })
  place = { orgId: org.id, projectId: project.id }
  for (const role of ['editor', 'viewer'] as const) {
    await addOrgMember(db, org.id, people[role].id, 'member')
    await putProjectMember(db, 'operator', place, people[role].id, role)
  }
  for (const [who, user] of Object.entries(people)) sessions[who] = await program.signIn(user)
  sessions.reader = await program.makeToken(people.admin, ['workspace:read'])
  sessions.writer = await program.makeToken(people.admin, ['workspace:read', 'datasets:write'])
  sessions.blind = await program.makeToken(people.admin, ['exports:write'])
  sessions.bad = 'nmp_rubbish'
})
afterAll(() => program.close())

beforeEach(async () => {
  slug = `set-${count++}`
  datasetId = (await publishModel(program.context, { ...place, slug }, generateEpisodes(5))).datasetId
})

const reads = [
  '',
  '/episodes',
  '/episodes/0/navigation',
  '/frames',
  '/statistics',
  '/filtering',
  '/thumbnails',
  '/feature-statistics',
  '/insights',
  '/files',
]

test('a private dataset is there for its project, and for nobody else as if it did not exist', async () => {
  const absent = await program.call('GET', '/api/v1/catalog/datasets/ds_nothing')
  for (const rest of reads) {
    for (const who of ['nobody', 'outsider', 'bad', 'blind']) {
      const answer = await call(who, 'GET', catalogPath(rest))
      expect(answer.status, `${who} ${rest}`).toBe(404)
      expect({ ...answer.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' })
    }
    for (const who of ['admin', 'editor', 'viewer', 'reader'])
      expect((await call(who, 'GET', catalogPath(rest))).status, `${who} ${rest}`).toBe(200)
  }
})

test('published, it is there for everybody, with a bad credential as without one; withdrawn, it is gone at once', async () => {
  const hrefOf = async (who: string) => (await call(who, 'GET', catalogPath())).body.item.export_artifacts[0].href
  const whilePrivate = await hrefOf('viewer')
  expect((await fetch(whilePrivate)).status).toBe(200)
  expect((await call('admin', 'PATCH', projectPath(), { visibility: 'public' })).body.item).toMatchObject({
    visibility: 'public',
    published_at: expect.any(String),
  })
  for (const who of ['nobody', 'outsider', 'bad', 'blind', 'viewer'])
    for (const rest of reads) expect((await call(who, 'GET', catalogPath(rest))).status, `${who} ${rest}`).toBe(200)
  expect((await call('nobody', 'GET', catalogPath())).body.item.role).toBeNull()
  expect((await call('viewer', 'GET', catalogPath())).body.item.role).toBe('viewer')
  const whilePublic = await hrefOf('nobody')
  expect((await fetch(whilePublic)).status).toBe(200)
  const etag = (await call('nobody', 'GET', catalogPath())).headers.get('etag') ?? ''
  const listed = (await call('nobody', 'GET', '/api/v1/catalog/datasets')).body.items
  expect(listed.map(({ id }: { id: string }) => id)).toContain(datasetId)

  expect((await call('admin', 'PATCH', projectPath(), { visibility: 'private' })).status).toBe(200)
  const known = await program.call('GET', catalogPath(), { headers: { 'if-none-match': etag } })
  expect(known.status).toBe(404)
  expect((await call('viewer', 'GET', catalogPath())).status).toBe(200)
  const after = (await call('nobody', 'GET', '/api/v1/catalog/datasets')).body.items
  expect(after.map(({ id }: { id: string }) => id)).not.toContain(datasetId)
  expect((await fetch(whilePublic)).status).toBe(404)
  expect((await fetch(whilePrivate)).status).toBe(200)
  await call('admin', 'DELETE', projectPath(`?confirm=${slug}`))
  expect((await fetch(whilePrivate)).status).toBe(404)
})

test('title, text and tags are for editors and tokens with the scope; visibility for a session of an admin', async () => {
  const texts = {
    title: 'Cans',
    description: 'Many cans.',
    tags: ['can', 'bin', 'can'],
    licence: 'MIT',
    citation: '@x',
  }
  const changed = await call('editor', 'PATCH', projectPath(), { ...texts, card_markdown: '# Cans' })
  expect(changed.body.item).toMatchObject({ ...texts, tags: ['can', 'bin'], card_markdown: '# Cans' })
  expect((await call('viewer', 'GET', catalogPath())).body.item).toMatchObject({ title: 'Cans', licence: 'MIT' })
  const cases: [string, object, number, string?][] = [
    ['writer', { title: 'By a script' }, 200],
    ['writer', { visibility: 'public' }, 403, 'session_required'],
    ['reader', { title: 'x' }, 403, 'insufficient_scope'],
    ['viewer', { title: 'x' }, 403, 'insufficient_role'],
    ['editor', { visibility: 'public' }, 403, 'insufficient_role'],
    ['outsider', { title: 'x' }, 404, 'not_found'],
    ['nobody', { title: 'x' }, 401],
    ['editor', { title: '' }, 422],
    ['editor', { tags: [''] }, 422],
    ['editor', { visibility: 'secret' }, 422],
    ['editor', { description: 'bell \u0007' }, 422],
  ]
  for (const [who, body, status, code] of cases) {
    const answer = await call(who, 'PATCH', projectPath(), body)
    expect([answer.status, code && answer.body.code], `${who} ${JSON.stringify(body)}`).toEqual([status, code])
  }
  expect((await call('admin', 'PATCH', '/api/v1/orgs/lab/projects/arm/datasets/nope', { title: 'x' })).status).toBe(404)
})

test('a new import of the slug is a new revision; an older one can be shown again', async () => {
  await call('admin', 'PATCH', projectPath(), { title: 'Kept title', visibility: 'public' })
  const second = await publishModel(program.context, { ...place, slug }, generateEpisodes(9))
  expect(second).toMatchObject({ datasetId, revisionNumber: 2 })
  expect((await call('nobody', 'GET', catalogPath())).body.item).toMatchObject({
    title: 'Kept title',
    revision_number: 2,
    metrics: { total_episodes: 9 },
  })
  const { items } = (await call('viewer', 'GET', projectPath('/revisions'))).body
  expect(items.map((one: { number: number; is_current: boolean }) => [one.number, one.is_current])).toEqual([
    [2, true],
    [1, false],
  ])
  const paged = await call('viewer', 'GET', projectPath('/revisions?limit=1'))
  const next = await call('viewer', 'GET', projectPath(`/revisions?limit=1&cursor=${paged.body.next_cursor}`))
  expect(next.body).toMatchObject({ items: [{ number: 1 }], next_cursor: null })
  expect((await call('viewer', 'POST', projectPath('/revisions/1/restore'))).status).toBe(403)
  expect((await call('editor', 'POST', projectPath('/revisions/3/restore'))).status).toBe(404)
  expect((await call('editor', 'POST', projectPath('/revisions/1/restore'))).body.item.revision_number).toBe(1)
  expect((await call('nobody', 'GET', catalogPath())).body.item.metrics.total_episodes).toBe(5)
})

test('deleting asks for the slug, hides it from strangers, can be taken back, and after the grace period nothing is left', async () => {
  await call('admin', 'PATCH', projectPath(), { visibility: 'public' })
  expect((await call('admin', 'DELETE', projectPath('?confirm=other'))).body.code).toBe('confirmation_mismatch')
  expect((await call('admin', 'DELETE', projectPath())).status).toBe(422)
  expect((await call('editor', 'DELETE', projectPath(`?confirm=${slug}`))).status).toBe(403)
  expect((await call('writer', 'DELETE', projectPath(`?confirm=${slug}`))).body.code).toBe('insufficient_scope')
  const deleted = await call('admin', 'DELETE', projectPath(`?confirm=${slug}`))
  expect(deleted.body.item.deletion_at).toEqual(expect.any(String))
  expect((await call('nobody', 'GET', catalogPath())).status).toBe(404)
  expect((await call('viewer', 'GET', catalogPath())).status).toBe(200)
  await expect(publishModel(program.context, { ...place, slug }, generateEpisodes(2))).rejects.toThrow(
    /about to be deleted/,
  )
  expect((await call('admin', 'PATCH', projectPath(), { visibility: 'public' })).status).toBe(409)
  expect((await call('admin', 'POST', projectPath('/restore'))).body.item.deletion_at).toBeNull()
  expect((await call('nobody', 'GET', catalogPath())).status).toBe(200)

  await call('admin', 'DELETE', projectPath(`?confirm=${slug}`))
  const { db } = program.context
  const { items } = (await call('admin', 'GET', projectPath('/revisions'))).body
  const owner = { kind: 'revision', id: items[0].id, orgId: place.orgId }
  await deleteDatasetsPastGrace(db)
  expect(await findBlob(db, owner, 'read-model/manifest.json')).toBeDefined()
  await db
    .updateTable('datasets')
    .set({ deletion_requested_at: new Date(Date.now() - 8 * 86_400_000) })
    .where('id', '=', datasetId)
    .execute()
  await deleteDatasetsPastGrace(db)
  expect((await call('admin', 'GET', projectPath())).status).toBe(404)
  expect(await findBlob(db, owner, 'read-model/manifest.json')).toBeUndefined()
})

test('a version holds its name, and keeps the dataset it was derived from until it is gone', async () => {
  const versions = '/api/v1/orgs/lab/derived-dataset-versions'
  const source = { dataset_kind: 'project', dataset_id: datasetId }
  const name = `${slug}-cut`
  const created = await call('admin', 'POST', versions, {
    slug: name,
    name: 'Cut',
    source,
    recipe: { first_n_episodes: 2 },
  })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const taken = publishModel(program.context, { ...place, slug: name }, generateEpisodes(2))
  await expect(taken).rejects.toMatchObject({ code: 'slug_taken' })
  await call('admin', 'DELETE', projectPath(`?confirm=${slug}`))
  const { db } = program.context
  const longAgo = new Date(Date.now() - 30 * 86_400_000)
  await db.updateTable('datasets').set({ deletion_requested_at: longAgo }).where('id', '=', datasetId).execute()
  await deleteDatasetsPastGrace(db)
  expect((await call('admin', 'GET', projectPath())).status).toBe(200)
  expect((await call('admin', 'DELETE', `${versions}/${created.body.item.id}`)).status).toBe(200)
  await deleteDatasetsPastGrace(db)
  expect((await call('admin', 'GET', projectPath())).status).toBe(404)
})

test('the list of a project pages through every dataset once', async () => {
  const all = (await call('viewer', 'GET', '/api/v1/orgs/lab/projects/arm/datasets')).body.items
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await call('viewer', 'GET', `/api/v1/orgs/lab/projects/arm/datasets?limit=2${cursor}`)
    seen.push(...body.items.map((one: { slug: string }) => one.slug))
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(seen).toEqual(all.map((one: { slug: string }) => one.slug))
  expect(seen).toContain(slug)
})

describe('browsing', () => {
  const browse = async (query: string) => {
    const answer = await program.call('GET', `/api/v1/catalog/datasets?${query}`)
    expect(answer.status, query).toBe(200)
    return answer.body
  }

  test('finds by words, tag, task and size, counts what is left, pages newest first', async () => {
    const made: string[] = []
    for (const [index, task] of ['pour café', 'pour water', 'stack blocks'].entries()) {
      slug = `browse-${index}`
      const lengths = Array.from({ length: index === 2 ? 150 : 3 }, () => 10)
      const model = generateModel(lengths, () => [0], [task])
      made.push((await publishModel(program.context, { ...place, slug }, model)).datasetId)
      await call('admin', 'PATCH', projectPath(), {
        visibility: 'public',
        title: `Zebra ${index}`,
        tags: ['zebra', index < 2 ? 'liquid' : 'solid'],
      })
    }
    const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)
    expect(ids(await browse('q=zebra'))).toEqual(made.toReversed())
    expect(ids(await browse('q=zeb%20POUR'))).toEqual([made[1], made[0]])
    expect(ids(await browse(`q=${encodeURIComponent('CAFÉ')}`))).toEqual([made[0]])
    expect(ids(await browse('q=ebra'))).toEqual([])
    expect(ids(await browse(`q=${encodeURIComponent("' | & ! \\ :*")}&tag=zebra`))).toHaveLength(3)
    expect(ids(await browse('tag=solid'))).toEqual([made[2]])
    expect(ids(await browse('q=zebra&task=pour%20water'))).toEqual([made[1]])
    expect(ids(await browse('q=zebra&size=100-to-1k'))).toEqual([made[2]])
    expect(ids(await browse('q=zebra&robot_type=so101'))).toHaveLength(3)
    const narrowed = await browse('q=zebra&tag=liquid')
    expect(narrowed.total).toBe(2)
    expect(narrowed.facets.tag).toEqual([
      { value: 'zebra', count: 3 },
      { value: 'liquid', count: 2 },
      { value: 'solid', count: 1 },
    ])
    expect(narrowed.facets.size).toEqual([{ value: 'under-100', count: 2 }])
    expect(narrowed.items[0]).toMatchObject({ total_episodes: 3, camera_keys: expect.any(Array) })

    const first = await browse('q=zebra&limit=2')
    const second = await browse(`q=zebra&limit=2&cursor=${first.next_cursor}`)
    expect([...ids(first), ...ids(second)]).toEqual(made.toReversed())
    expect(second).toMatchObject({ next_cursor: null, facets: null, total: null })
    const uncounted = await browse('q=zebra&counts=false')
    expect(uncounted).toMatchObject({ total: null, totals: null, facets: null, histograms: null })
    expect(ids(uncounted)).toEqual(made.toReversed())
    for (const query of [
      'limit=0',
      'limit=201',
      'q=',
      'size=big',
      'cursor=eA',
      'sort=best',
      'cameras=9',
      'min_bytes=-1',
      'max_bytes=0.5',
    ])
      expect((await program.call('GET', `/api/v1/catalog/datasets?${query}`)).status, query).toBe(422)

    // The longest has fifty times the others' episodes; each order pages to its end and a place of another order is refused.
    const few = [made[0], made[1]]
    expect(ids(await browse('q=zebra&min_episodes=100&min_seconds=0.5'))).toEqual([made[2]])
    expect(ids(await browse('q=zebra&max_seconds=60&cameras=1')).sort()).toEqual([])
    expect(ids(await browse(`q=zebra&max_episodes=3&source_kind=lerobot`)).sort()).toEqual(few.toSorted())
    const ranged = await browse('q=zebra&max_episodes=3')
    expect(ranged.totals.episodes).toBe(6)
    expect(ranged.histograms.episodes).toEqual([
      { low: 0, high: 3.16228, count: 2 },
      { low: 100, high: 316.228, count: 1 },
    ])
    expect(sumCounts(ranged.histograms.seconds)).toBe(2)
    for (const sort of ['name', 'recorded', 'episodes', 'size']) {
      const all = await browse(`q=zebra&sort=${sort}`)
      const pages: string[] = []
      for (let cursor = ''; pages.length < 3; ) {
        const page = await browse(`q=zebra&sort=${sort}&limit=1${cursor}`)
        pages.push(...ids(page))
        if (page.next_cursor === null) break
        cursor = `&cursor=${page.next_cursor}`
      }
      expect(pages, sort).toEqual(ids(all))
      expect(pages[sort === 'name' ? 2 : 0], sort).toBe(made[2])
    }
    const { next_cursor } = await browse('q=zebra&sort=name&limit=1')
    for (const sort of ['newest', 'recorded', 'size'])
      expect((await program.call('GET', `/api/v1/catalog/datasets?sort=${sort}&cursor=${next_cursor}`)).status).toBe(
        422,
      )
  })
})

const sumCounts = (bins: { count: number }[]): number => bins.reduce((sum, { count }) => sum + count, 0)
