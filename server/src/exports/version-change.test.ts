import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishArm } from '../../test/published-dataset.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const catalog = '/api/v1/catalog/datasets'
const top = 'observation.images.top'

let program: TestProgram
let exporter: Exporter
let bearer: string
let editor: string
let datasetId: string

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  const colleague = await program.addUser('ben@example.org')
  ;[bearer, editor] = [await program.signIn(admin), await program.signIn(colleague)]
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await addOrgMember(db, org.id, colleague.id, 'member')
  await putProjectMember(db, 'operator', { orgId: org.id, projectId: project.id }, colleague.id, 'editor')
  const place = { orgId: org.id, projectId: project.id, slug: 'secret' }
  datasetId = (await publishArm(program.context, place, [9, 6, 7, 5])).datasetId
  exporter = await openExporter(program, bearer, 'acme', 'lab')
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const anyone = (path: string) => program.call('GET', path)
const patch = (id: string, body: object, who = bearer) =>
  program.call('PATCH', `${versionsPath}/${id}`, { bearer: who, body })
const publish = async (recipe: object, slug: string, texts: object = {}) => {
  const version = await exporter.derive(datasetId, recipe, slug)
  const { status, body } = await patch(version.id, { ...texts, visibility: 'public' })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.item
}

describe('a published version', () => {
  test('is found, narrowed down to and read by everybody, its private source is not', async () => {
    const texts = { name: 'Picked cubes', description: 'Hand-picked zebrafish', tags: ['curated', 'curated'] }
    const item = await publish({ selected_episode_indices: [0, 2] }, 'picked', texts)
    expect(item).toMatchObject({ visibility: 'public', name: 'Picked cubes', tags: ['curated'] })
    expect(item.published_at).not.toBeNull()
    const lerobot = item.export_artifacts.find(({ key }: { key: string }) => key === 'lerobot')
    expect(lerobot.status).toBe('queued')
    for (const query of [
      'q=zebra',
      'q=secret',
      'tag=curated',
      'source_kind=derived',
      'task=Task%202',
      'sort=episodes',
    ]) {
      const { items, total } = (await anyone(`${catalog}?${query}`)).body
      expect([query, total, items.map(({ id }: { id: string }) => id)]).toEqual([query, 1, [item.id]])
      expect(items[0]).toMatchObject({
        slug: 'picked',
        title: 'Picked cubes',
        total_episodes: 2,
        total_frames: 16,
        tasks: ['Task 0', 'Task 2'],
        derived_from: { id: datasetId, title: 'secret' },
      })
      expect((await fetch(items[0].poster_url)).status).toBe(200)
    }
    const { facets } = (await anyone(catalog)).body
    expect(facets.source_kind).toEqual([{ value: 'derived', count: 1 }])
    for (const path of ['', '/episodes', '/frames', '/statistics', '/thumbnails', '/episodes/1/rows'])
      expect([path, (await anyone(`${catalog}/${item.id}${path}`)).status]).toEqual([path, 200])
    expect((await anyone(`${catalog}/${item.id}/episodes/2/rows`)).status).toBe(404)
    expect((await anyone(`${catalog}/${datasetId}`)).status).toBe(404)
    program.startWorker()
    await exporter.waitForEnd(item.id, lerobot.job_id)
    const hub = await anyone('/hf/api/datasets/acme/lab.picked')
    expect([hub.status, hub.body.private]).toEqual([200, false])
  })

  test('gives visitors no file of its source that holds more than it does', async () => {
    const crop = { left_pct: 0, top_pct: 0, width_pct: 50, height_pct: 100 }
    for (const [slug, recipe] of Object.entries({ some: { selected_episode_indices: [1] }, cropped: { crop } })) {
      const { id } = await publish(recipe, slug)
      const { items } = (await anyone(`${catalog}/${id}/frames?camera_key=${top}`)).body.item
      for (const { streams } of items) {
        const { pathname } = new URL(streams[0].url)
        expect([slug, pathname.endsWith('/video')]).toEqual([slug, false])
      }
    }
  })

  test('is withdrawn at once, with the addresses of its media', async () => {
    const { id } = await publish({ first_n_episodes: 1 }, 'passing')
    const [{ streams }] = (await anyone(`${catalog}/${id}/frames`)).body.item.items
    const poster = streams[0].poster_url
    expect((await fetch(poster)).status).toBe(200)
    const { body } = await patch(id, { visibility: 'private' })
    expect([body.item.visibility, body.item.published_at]).toEqual(['private', null])
    expect((await fetch(poster)).status).toBe(404)
    expect((await anyone(`${catalog}/${id}`)).status).toBe(404)
    expect((await anyone('/hf/api/datasets/acme/lab.passing')).status).toBe(401)
    expect((await anyone(`${catalog}?q=passing`)).body.items).toEqual([])
    const events = (await program.call('GET', '/api/v1/orgs/acme/audit-events', { bearer })).body.items
    const actions = events.filter((event: { resource_id: string }) => event.resource_id === id)
    expect(JSON.stringify(actions)).toMatch(/version\.withdraw.*version\.publish/)
  })

  test('leaves the catalog when it is deleted, and may be a source for others', async () => {
    const parent = await publish({}, 'gone')
    const other = await program.addUser('eve@example.org')
    const { db } = program.context
    const org = await createOrg(db, 'operator', { slug: 'else', name: 'Else', adminUserId: other.id })
    await createProject(db, 'operator', { orgId: org.id, slug: 'default', name: 'Default' })
    const eve = await program.signIn(other)
    const source = { dataset_kind: 'version', dataset_id: parent.id }
    const body = { slug: 'theirs', name: 'Theirs', source, recipe: { first_n_episodes: 2 } }
    const path = '/api/v1/orgs/else/derived-dataset-versions'
    const made = await program.call('POST', path, { bearer: eve, body })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body.item.provenance).toMatchObject({ root_dataset_id: datasetId, source_uri: null })
    const jobs = `${path}/${made.body.item.id}/export-jobs`
    const queue = () => program.call('POST', jobs, { bearer: eve, body: { artifact_keys: ['lerobot'] } })
    // Versions of others do not hold it; what it was is not copied any more.
    expect((await program.call('DELETE', `${versionsPath}/${parent.id}`, { bearer })).status).toBe(200)
    expect((await anyone(`${catalog}?q=gone`)).body.items).toEqual([])
    expect((await queue()).status).toBe(409)
  })

  test('is published by an admin with a session, and changed by editors', async () => {
    const { id } = await exporter.derive(datasetId, {}, 'asked')
    expect((await patch(id, { visibility: 'public' }, editor)).status).toBe(403)
    expect((await patch(id, { name: 'Better', tags: ['a'] }, editor)).body.item).toMatchObject({ name: 'Better' })
    const token = await program.call('POST', '/api/v1/users/me/tokens', {
      bearer,
      body: { name: 't', scopes: ['versions:write', 'workspace:read'] },
    })
    const refused = await patch(id, { visibility: 'public' }, token.body.item?.token ?? token.body.token)
    expect([refused.status, refused.body.code]).toEqual([403, 'session_required'])
  })
})
