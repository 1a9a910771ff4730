import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const base = '/api/v1/orgs/annotated-lab/projects/lab/datasets/looks'

let program: TestProgram
let bearer: string
let datasetId: string
let place: { orgId: string; projectId: string; slug: string }

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('annotated-admin@example.org')
  const org = await createOrg(db, 'operator', { slug: 'annotated-lab', name: 'Lab', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  bearer = await program.signIn(admin)
  place = { orgId: org.id, projectId: project.id, slug: 'looks' }
  ;({ datasetId } = await publishRecording(program.context, place, [6, 5]))
  await program.call('PATCH', base, { bearer, body: { visibility: 'public' } })
}, 120_000)
afterAll(() => program.close())

/** As a visitor of the catalog sees it, whose rows are kept for a second. */
const look = async (etag?: string) => {
  const { status, body, headers } = await program.call('GET', `/api/v1/catalog/datasets/${datasetId}`, {
    ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
  })
  return { status, annotation: body?.item?.annotation, etag: headers.get('etag') ?? '' }
}

test('what is annotated stands in the manifest, which changes with it', async () => {
  const before = await look()
  expect(before.annotation).toEqual({ available: false, keys: [] })
  expect((await look(before.etag)).status).toBe(304)

  const empty = await program.call('POST', `${base}/annotation-sets`, { bearer, body: { name: 'empty' } })
  expect(empty.status).toBe(201)
  expect((await look(before.etag)).status).toBe(304)

  const review = { name: 'review', episodes: [{ episode_index: 1, success: true, note: 'slow' }] }
  const { body } = await program.call('POST', `${base}/annotation-sets`, { bearer, body: review })
  const made = await look(before.etag)
  expect(made.status).toBe(200)
  expect(made.annotation).toEqual({ available: true, keys: ['review/success', 'review/note'] })
  const inProject = await program.call('GET', `${base}/manifest`, { bearer })
  expect(inProject.body.item.annotation).toEqual(made.annotation)

  const segments = [{ label: 'reach', start_frame: 0, end_frame: 3 }]
  await program.call('PUT', `${base}/annotation-sets/${body.item.id}`, {
    bearer,
    body: { episodes: [{ episode_index: 0, task: 'Look left', tags: ['calm'], segments }] },
  })
  const changed = await look(made.etag)
  expect(changed.annotation.keys).toEqual(['review/task', 'review/tags', 'review/segments'])

  await publishRecording(program.context, place, [6, 5, 4])
  // What everybody may read is kept for a second.
  await expect.poll(async () => (await look(changed.etag)).status).toBe(200)
  const ofRevision = await look(changed.etag)
  expect(ofRevision.annotation).toEqual({ available: false, keys: [] })
  await program.call('POST', `${base}/annotation-sets/${body.item.id}/copy`, { bearer, body: { name: 'again' } })
  const copied = await look(ofRevision.etag)
  expect(copied.annotation.keys).toEqual(['again/task', 'again/tags', 'again/segments'])

  const sets = await program.call('GET', `${base}/annotation-sets`, { bearer })
  await program.call('DELETE', `${base}/annotation-sets/${sets.body.items[0].id}`, { bearer })
  const taken = await look(copied.etag)
  expect([taken.status, taken.annotation]).toEqual([200, { available: false, keys: [] }])
}, 120_000)
