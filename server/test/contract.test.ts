import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from '../src/organizations/projects/service.ts'
import { createOrg } from '../src/organizations/service.ts'
import { generateEpisodes, publishModel } from './generated-dataset.ts'
import { startProgram, type TestProgram } from './program.ts'

/** Sentences of the spec that belong to no single noun. */
let program: TestProgram
let bearer: string
let place: { orgId: string; projectId: string }
const datasets: string[] = []

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('ada@example.org')
  bearer = await program.signIn(user)
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'lab', name: 'Lab', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'arm', name: 'Arm' })
  place = { orgId: org.id, projectId: project.id }
  for (let number = 0; number < 206; number++)
    await createProject(db, 'operator', { orgId: org.id, slug: `p${number}`, name: `P ${number}` })
  const model = generateEpisodes(20)
  for (const slug of ['one', 'two', 'three']) {
    const { datasetId } = await publishModel(program.context, { ...place, slug }, model)
    datasets.push(datasetId)
  }
})
afterAll(() => program.close())

const get = async (path: string) => {
  const answer = await program.call('GET', `/api/v1${path}`, { bearer })
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body
}

describe('lists that take no parameter', () => {
  const readPages = async (path: string, key: string) => {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const page: { items: Record<string, string>[]; next_cursor: string | null } = await get(
        `${path}?limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(page.items.length).toBeLessThanOrEqual(2)
      for (const item of page.items) found.push(item[key] ?? '')
      cursor = page.next_cursor
    } while (cursor !== null)
    return found
  }
  const list = async (path: string, key: string) => {
    const { items, next_cursor } = await get(path)
    expect(next_cursor).toBeNull()
    return items.map((item: Record<string, string>) => item[key])
  }

  test('207 projects are 207 projects, and come in pages where a limit is sent', async () => {
    const all = await list('/orgs/lab/projects', 'project_slug')
    expect(all).toHaveLength(207)
    const page = await get('/orgs/lab/projects?limit=200')
    expect(page.items).toHaveLength(200)
    expect(page.next_cursor).not.toBeNull()
    const rest = await get(`/orgs/lab/projects?cursor=${encodeURIComponent(page.next_cursor)}`)
    expect([...page.items, ...rest.items].map(({ project_slug }) => project_slug)).toEqual(all)
    expect(rest.next_cursor).toBeNull()
  })

  test('tokens, datasets and versions as well', async () => {
    for (let number = 0; number < 5; number++) {
      const made = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: `t${number}` } })
      expect(made.status).toBe(200)
      const source = { dataset_kind: 'project', dataset_id: datasets[0] }
      const body = { slug: `v${number}`, name: `V ${number}`, project_slug: 'arm', source, recipe: {} }
      const version = await program.call('POST', '/api/v1/orgs/lab/derived-dataset-versions', { bearer, body })
      expect(version.status, JSON.stringify(version.body)).toBe(201)
    }
    for (const [path, key, count] of [
      ['/users/me/tokens', 'id', 5],
      ['/orgs/lab/projects/arm/datasets', 'slug', 3],
      ['/orgs/lab/derived-dataset-versions', 'id', 5],
    ] as const) {
      const all = await list(path, key)
      expect(all, path).toHaveLength(count)
      expect(await readPages(path, key)).toEqual(all)
    }
  })
})

describe('no limits that the spec does not have', () => {
  test('a search of any length is a search', async () => {
    const { item } = await get(`/catalog/datasets/${datasets[0]}/episodes?q=${'x'.repeat(5000)}`)
    expect(item).toMatchObject({ total: 0, items: [] })
  })

  test('beyond the end is an empty page, however far', async () => {
    for (const offset of ['20', '9007199254740993', '99999999999999999999'])
      for (const path of ['/episodes', '/frames']) {
        const { item } = await get(`/catalog/datasets/${datasets[0]}${path}?offset=${offset}`)
        expect(item, offset).toMatchObject({ total: 20, items: [] })
      }
    const manifest = await get(`/catalog/datasets/${datasets[0]}?offset=99999999999999999999`)
    expect(manifest.item.episode_page).toMatchObject({ total: 20, items: [] })
    const below = await program.call('GET', `/api/v1/catalog/datasets/${datasets[0]}/episodes?offset=-1`, { bearer })
    expect(below.status).toBe(422)
  })
})

describe('the artifact manifest of a version', () => {
  test('is the whole record as it was made, and its checksum holds', async () => {
    const source = { dataset_kind: 'project', dataset_id: datasets[1] }
    const body = {
      slug: 'whole',
      name: 'The whole record',
      project_slug: 'arm',
      source,
      recipe: { first_n_episodes: 3 },
    }
    const made = await program.call('POST', '/api/v1/orgs/lab/derived-dataset-versions', { bearer, body })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { item } = made.body
    const path = `/orgs/lab/derived-dataset-versions/${item.id}`
    const { url } = await get(`${path}/artifacts/manifest/download-url`)
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
    const document = JSON.parse(bytes.toString())
    const [own, other] = item.export_artifacts
    expect(Object.keys(document).sort()).toEqual(Object.keys(item).sort())
    const { manifest_sha256, ...checksums } = item.checksums
    expect(document).toEqual({
      ...item,
      checksums,
      export_artifacts: [{ ...own, checksum_sha256: null, size_bytes: null }, other],
      updated_at: item.created_at,
    })
    expect(document).toMatchObject({ name: 'The whole record', status: 'materialization_required' })
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect([digest, bytes.length, digest]).toEqual([own.checksum_sha256, own.size_bytes, manifest_sha256])
    await program.call('PATCH', `/api/v1${path}`, { bearer, body: { name: 'Renamed' } })
    const again = await get(`${path}/artifacts/manifest/download-url`)
    expect(Buffer.from(await (await fetch(again.url)).arrayBuffer()).equals(bytes)).toBe(true)
  })
})

describe('values', () => {
  test('the default project of a profile is the one that sign-up made, until another is chosen', async () => {
    const { item } = await get('/users/me/profile')
    expect(item).toMatchObject({ default_project_org_slug: 'ada', default_project_slug: 'default' })
    const change = (body: object) => program.call('PATCH', '/api/v1/users/me/profile', { bearer, body })
    const chosen = { default_project_org_slug: 'lab', default_project_slug: 'arm' }
    expect((await change(chosen)).body.item).toMatchObject(chosen)
    expect((await get('/users/me/profile')).item).toMatchObject(chosen)
  })

  test('nothing was changed before it was made', async () => {
    const records = [
      ...(await get('/orgs/lab/derived-dataset-versions')).items,
      ...(await get('/orgs/lab/projects')).items,
      ...(await get('/orgs/lab/projects/arm/datasets')).items,
    ]
    expect(records.length).toBeGreaterThan(210)
    for (const { id, created_at, updated_at } of records) expect(updated_at >= created_at, id).toBe(true)
  })
})
