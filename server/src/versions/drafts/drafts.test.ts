import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'

let program: TestProgram
let bearers: { ada: string; bo: string; eve: string }
let path: string

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const [ada, bo, eve] = await Promise.all(['ada', 'bo', 'eve'].map((name) => program.addUser(`${name}@example.org`)))
  if (!ada || !bo || !eve) throw new Error('three people')
  const org = await createOrg(db, 'operator', { slug: 'draft-lab', name: 'Lab', adminUserId: ada.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await addOrgMember(db, org.id, bo.id, 'admin')
  const place = { orgId: org.id, projectId: project.id, slug: 'cubes' }
  const { datasetId } = await publishRecording(program.context, place, [4, 3])
  path = `/api/v1/users/me/recipe-drafts/${datasetId}`
  bearers = { ada: await program.signIn(ada), bo: await program.signIn(bo), eve: await program.signIn(eve) }
}, 60_000)
afterAll(() => program.close())

const put = (body: object, bearer = bearers.ada) =>
  program.call('PUT', path, { bearer, body: { slug: '', name: '', ...body } })

test('a draft is one per person and dataset, and an older one overwrites nothing', async () => {
  expect((await program.call('GET', path, { bearer: bearers.ada })).body).toEqual({ item: null })
  const first = await put({ revision: 0, slug: 'short', recipe: { first_n_episodes: 1 } })
  expect(first.body.item).toMatchObject({ revision: 1, slug: 'short', recipe: { first_n_episodes: 1 } })
  const second = await put({ revision: 1, recipe: { excluded_episode_indices: [0] } })
  expect([second.body.item.id, second.body.item.revision]).toEqual([first.body.item.id, 2])
  const late = await put({ revision: 1, recipe: {} })
  expect([late.status, late.body.code]).toEqual([409, 'conflict'])
  const mine = (await program.call('GET', path, { bearer: bearers.ada })).body.item
  expect(mine.recipe).toEqual({ excluded_episode_indices: [0] })
  expect((await program.call('GET', path, { bearer: bearers.bo })).body).toEqual({ item: null })
})

test('its link shows it to who may read the dataset, with whose it is, and to nobody else', async () => {
  const { id } = (await program.call('GET', path, { bearer: bearers.ada })).body.item
  const shared = await program.call('GET', `/api/v1/recipe-drafts/${id}`, { bearer: bearers.bo })
  expect(shared.body.item).toMatchObject({ user_name: expect.stringContaining('ada'), revision: 2 })
  expect((await program.call('GET', `/api/v1/recipe-drafts/${id}`, { bearer: bearers.eve })).status).toBe(404)
  expect((await put({ revision: 0, recipe: {} }, bearers.eve)).status).toBe(404)
})

test('drafts go with what they are of', async () => {
  const count = async () => (await program.context.db.selectFrom('recipe_drafts').select('id').execute()).length
  expect(await count()).toBe(1)
  await program.context.db
    .deleteFrom('datasets')
    .where('id', '=', path.split('/').at(-1) ?? '')
    .execute()
  expect(await count()).toBe(0)
})
