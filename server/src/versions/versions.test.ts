import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder, publishRecording } from '../../test/published-dataset.ts'
import type { User } from '../identity/users/service.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const camera = 'observation.images.top'
let program: TestProgram
let bearer: string
let org: { id: string }
let project: { id: string }
let datasetId: string
let admin: User

beforeAll(async () => {
  program = await startProgram()
  admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const { db } = program.context
  org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await createProject(db, 'operator', { orgId: org.id, slug: 'default', name: 'Default' })
  const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
  datasetId = (await publishRecording(program.context, place, [8, 6, 7, 5])).datasetId
}, 60_000)
afterAll(() => program.close())

const call = (method: string, path: string, body?: unknown, who = bearer) =>
  program.call(method, path, { bearer: who, ...(body === undefined ? {} : { body }) })

const asked = (recipe: object = {}, more: object = {}) => ({
  slug: 'curated',
  name: 'Curated',
  source: { dataset_kind: 'catalog', dataset_id: datasetId },
  recipe,
  ...more,
})

const create = async (recipe: object = {}, more: object = {}) => {
  const answer = await call('POST', versionsPath, asked(recipe, more))
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.item
}

describe('a version', () => {
  test('has every key, is pinned, numbered per slug, and keeps its number after a deletion', async () => {
    const slug = 'numbered'
    const first = await create({ selected_episode_indices: [2, 0, 2] }, { slug })
    expect(first).toMatchObject({
      org_slug: 'acme',
      project_slug: 'lab',
      slug,
      version: 1,
      status: 'materialization_required',
      kind: 'derived_dataset_version_manifest',
      lerobot_version: 'v3',
      viewer_route: `/orgs/acme/versions/${first.id}`,
      episode_count: 2,
      frame_count: 15,
      recipe: {
        selected_episode_indices: [2, 0, 2],
        excluded_episode_indices: null,
        first_n_episodes: null,
        camera_keys: null,
        crop: null,
        resize: null,
        action: null,
        annotation_set_id: null,
        annotation_set_version: null,
        notes: null,
      },
    })
    expect(first.source.source_revision).toBe(first.checksums.source_read_model_sha256)
    expect(first.provenance).toMatchObject({ created_by: admin.id, program_version: '0.1.0' })
    const statuses = first.export_artifacts.map(({ key, status }: Record<string, string>) => [key, status])
    expect(statuses).toEqual([
      ['manifest', 'ready'],
      ['lerobot', 'planned'],
    ])
    const second = await create({ selected_episode_indices: [0, 2] }, { slug })
    expect(second.version).toBe(2)
    expect(second.checksums.recipe_sha256).toBe(first.checksums.recipe_sha256)
    expect((await call('DELETE', `${versionsPath}/${second.id}`)).status).toBe(200)
    expect((await create({}, { slug })).version).toBe(3)
  })

  test('two that are made at once get two numbers', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create({}, { slug: 'at-once' })))
    expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('is made once under one idempotency key, however often and however many at once', async () => {
    const slug = 'once'
    const send = (more: object, headers: Record<string, string> = {}) =>
      program.call('POST', versionsPath, { bearer, body: asked({ notes: 'lost answer' }, { slug, ...more }), headers })
    const answers = await Promise.all(Array.from({ length: 5 }, () => send({ idempotency_key: 'k' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.item.id)).size).toBe(1)
    for (const { status, headers } of answers)
      expect(headers.get('idempotency-replayed')).toBe(status === 200 ? 'true' : null)
    const byHeader = await send({}, { 'idempotency-key': 'k' })
    expect([byHeader.status, byHeader.body.item.version]).toEqual([200, 1])
    const other = await send({ name: 'Another', idempotency_key: 'k' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reuse'])
    const two = await send({ idempotency_key: 'k' }, { 'idempotency-key': 'other' })
    expect([two.status, two.body.detail[0].loc]).toEqual([422, ['header', 'idempotency-key']])
    expect((await send({})).body.item.version).toBe(2)
    const fingerprint = 'a'.repeat(64)
    const own = { idempotency_key: 'mine', idempotency_fingerprint: fingerprint }
    const { body: made } = await send(own)
    expect((await send({ ...own, name: 'Renamed' })).body.item.id).toBe(made.item.id)
  })

  test('takes no name of a dataset, and goes to `default` where the source is not to be written to', async () => {
    const taken = await call('POST', versionsPath, asked({}, { slug: 'recording' }))
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken'])
    const viewer = await addMember('viewer', project.id)
    const refused = await call('POST', versionsPath, asked({}, { project_slug: 'lab' }), viewer.bearer)
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role'])
    expect((await call('POST', versionsPath, asked(), viewer.bearer)).status).toBe(404)
    const { body } = await call('GET', '/api/v1/orgs/acme/projects/default')
    await putProjectMember(
      program.context.db,
      'operator',
      { orgId: org.id, projectId: body.item.id },
      viewer.id,
      'editor',
    )
    const own = await call('POST', versionsPath, asked(), viewer.bearer)
    expect([own.status, own.body.item?.project_slug]).toEqual([201, 'default'])
  })

  test('is renamed and nothing else; what another project holds is not there', async () => {
    const version = await create({ notes: 'kept' })
    const path = `${versionsPath}/${version.id}`
    const renamed = await call('PATCH', path, { name: 'Better', recipe: { notes: 'changed' } })
    expect(renamed.body.item).toMatchObject({ name: 'Better', recipe: { notes: 'kept' } })
    const stranger = await addMember('viewer', undefined)
    expect((await call('GET', path, undefined, stranger.bearer)).status).toBe(404)
    expect((await call('GET', versionsPath, undefined, stranger.bearer)).body.items).toEqual([])
  })
})

describe('a recipe is refused at its place, with a sentence', () => {
  const whole = { left_pct: 0, top_pct: 0, width_pct: 100, height_pct: 100 }
  const box = { width: 64, height: 64, mode: 'fit' }
  test.each<[object, (string | number)[], string]>([
    [{ selected_episode_indices: [0, 4] }, ['selected_episode_indices', 1], 'there is no episode 4: the dataset has 4'],
    [{ excluded_episode_indices: [99] }, ['excluded_episode_indices', 0], 'there is no episode 99'],
    [{ selected_episode_indices: [-1] }, ['selected_episode_indices', 0], 'greater than or equal to 0'],
    [{ selected_episode_indices: [0.5] }, ['selected_episode_indices', 0], 'integer'],
    [{ selected_episode_indices: [1], excluded_episode_indices: [1] }, [], 'no episode is left'],
    [{ excluded_episode_indices: [3, 2, 1, 0], first_n_episodes: 1 }, [], 'no episode is left'],
    [
      { where: { splits_any: ['train', 'val'] } },
      ['where', 'splits_any', 1],
      'there is no split val: the dataset has train',
    ],
    [{ where: { splits_any: [''] } }, ['where', 'splits_any', 0], 'at least 1 character'],
    [{ where: { splits: ['train'] } }, ['where', 'splits'], 'not permitted'],
    [{ first_n_episodes: 0 }, ['first_n_episodes'], 'greater than or equal to 1'],
    [{ camera_keys: [camera, 'nope'] }, ['camera_keys', 1], `there is no camera nope: the dataset has ${camera}`],
    [{ camera_keys: [''] }, ['camera_keys', 0], 'at least 1 character'],
    [{ crop: { ...whole, left_pct: 1 } }, ['crop', 'width_pct'], 'the crop leaves the frame'],
    [{ crop: { ...whole, top_pct: 0.5 } }, ['crop', 'height_pct'], 'the crop leaves the frame'],
    [{ crop: { ...whole, top_pct: -1 } }, ['crop', 'top_pct'], 'greater than or equal to 0'],
    [{ crop: { ...whole, height_pct: 0 } }, ['crop', 'height_pct'], 'greater than 0'],
    [{ crop: { left_pct: 0, top_pct: 0, width_pct: 50 } }, ['crop', 'height_pct'], 'Field required'],
    [{ resize: { ...box, width: 62 } }, ['resize', 'width'], 'greater than or equal to 64'],
    [{ resize: { ...box, width: 65 } }, ['resize', 'width'], 'multiple of 2'],
    [{ resize: { ...box, height: 99 } }, ['resize', 'height'], 'multiple of 2'],
    [{ resize: { ...box, height: 4098 } }, ['resize', 'height'], 'less than or equal to 4096'],
    [{ resize: { ...box, mode: 'zoom' } }, ['resize', 'mode'], "'fit', 'fill' or 'stretch'"],
    [{ action: { smoothing_window: 4 } }, ['action', 'smoothing_window'], 'an odd number of frames'],
    [{ action: { smoothing_window: 0 } }, ['action', 'smoothing_window'], 'greater than or equal to 1'],
    [{ action: { smoothing_window: 103 } }, ['action', 'smoothing_window'], 'less than or equal to 101'],
    [{ action: { smoothing_mode: 'kalman' } }, ['action', 'smoothing_mode'], "'mean', 'median' or 'gaussian'"],
    [{ action: { clip_min: 1, clip_max: 0 } }, ['action', 'clip_min'], 'clip_min is above clip_max, which is 0'],
    [{ action: { scale: 1e39 } }, ['action', 'scale'], 'beyond 3.4e38'],
    [{ action: { clip_max: -1e39 } }, ['action', 'clip_max'], 'beyond 3.4e38'],
    [{ action: { scale: 2 } }, ['action'], 'no numeric feature called action'],
    [{ annotation_set_id: 'ann_unknown' }, ['annotation_set_id'], 'no annotation set ann_unknown'],
    [{ annotation_set_version: 1 }, ['annotation_set_version'], 'needs an annotation_set_id'],
    [{ notes: 'x'.repeat(10_001) }, ['notes'], 'at most 10000 characters'],
    [{ selected_episodes: [1] }, ['selected_episodes'], 'not permitted'],
  ])('%j', async (recipe, place, words) => {
    for (const path of [versionsPath, `${versionsPath}/preview`]) {
      const { status, body } = await call('POST', path, asked(recipe))
      expect(status, JSON.stringify(body)).toBe(422)
      expect(body.detail[0].loc).toEqual(['body', 'recipe', ...place])
      expect(body.detail[0].msg).toContain(words)
    }
  })

  test.each(['1e999', '-1e999', 'NaN', 'Infinity'])('a number that is none: %s', async (word) => {
    const text = JSON.stringify(asked({ action: { scale: 12345 } })).replace('12345', word)
    const { status, body } = await call('POST', versionsPath, text)
    expect(status, JSON.stringify(body)).toBe(422)
  })
})

describe('the list', () => {
  test('filters, pages, and leaves out long index lists', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => index % 4)
    const long = await create({ selected_episode_indices: many }, { slug: 'long-list', name: 'Long 100% list' })
    expect(long.recipe.selected_episode_indices).toHaveLength(1001)
    const { body } = await call('GET', `${versionsPath}?q=${encodeURIComponent('100%')}`)
    expect(body.items).toHaveLength(1)
    expect(body.items[0]).toMatchObject({
      id: long.id,
      recipe: { selected_episode_indices: null },
      recipe_counts: { selected_episode_indices: 1001 },
    })
    const list = async (query: string) => (await call('GET', `${versionsPath}?${query}`)).body
    expect((await list('status=materialized')).items).toEqual([])
    expect((await list('project_slug=nope')).items).toEqual([])
    expect((await list('source=ds_other')).items).toEqual([])
    const all = (await list(`source=${datasetId}`)).items.map(({ id }: { id: string }) => id)
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const page = await list(`source=${datasetId}&limit=3${cursor}`)
      paged.push(...page.items.map(({ id }: { id: string }) => id))
      if (!page.next_cursor) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(paged).toEqual(all)
    expect(all[0]).toBe(long.id)
  })
})

const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')

describe('a preview', () => {
  test('shows what would be copied and what encoded, a frame and the actions before and after, and writes nothing', async () => {
    const place = { orgId: org.id, projectId: project.id, slug: 'two-cameras' }
    const { datasetId: id } = await publishFolder(program.context, fixture, place)
    const source = { dataset_kind: 'project', dataset_id: id }
    const preview = (body: object) => call('POST', `${versionsPath}/preview`, { source, ...body })
    const before = (await call('GET', versionsPath)).body.items.length
    const recipe = {
      excluded_episode_indices: [1],
      resize: { width: 192, height: 144, mode: 'fit' },
      action: { scale: 2, clip_max: 0.5 },
    }
    const { status, body } = await preview({ recipe, episode_index: 2 })
    expect(status, JSON.stringify(body)).toBe(200)
    const { item } = body
    expect(item).toMatchObject({ episode_count: 5, source_episode_count: 6, statistics: { exact: true } })
    const treatments = item.cameras.map(({ key, treatment }: Record<string, string>) => [key, treatment])
    expect(treatments).toEqual([
      ['observation.images.top', 'copy'],
      ['observation.images.wrist', 'encode'],
    ])
    expect(item.frame).toMatchObject({ camera_key: 'observation.images.wrist', after: { width: 192, height: 144 } })
    expect(item.frame.after.url).toMatch(/^data:image\/jpeg;base64,/)
    expect((await fetch(item.frame.before.url)).status).toBe(200)
    expect(item.action.episode_index).toBe(2)
    for (const [dimension, values] of item.action.before.entries())
      for (const [at, value] of values.entries())
        expect(item.action.after[dimension][at]).toBeCloseTo(Math.min(0.5, 2 * value), 5)
    const smoothing = { smoothing_window: 9, smoothing_dimensions: ['joint_2.pos'] }
    const smoothed = (await preview({ recipe: { action: smoothing } })).body.item.action
    const changed = smoothed.names.filter(
      (_: string, at: number) => `${smoothed.after[at]}` !== `${smoothed.before[at]}`,
    )
    expect(changed).toEqual(['joint_2.pos'])
    expect((await preview({ recipe: { action: { ...smoothing, smoothing_dimensions: [] } } })).status).toBe(422)
    const elsewhere = await preview({ recipe, episode_index: 1 })
    expect(elsewhere.body.detail[0].loc).toEqual(['body', 'episode_index'])
    const copied = (await preview({ recipe: {} })).body.item
    expect(copied.estimated_bytes).toBeGreaterThan(item.estimated_bytes / 2)
    expect((await call('GET', versionsPath)).body.items).toHaveLength(before)
  })
})

test('an action that training in float32 cannot hold is refused, unless it is clipped', async () => {
  const place = { orgId: org.id, projectId: project.id, slug: 'overflow' }
  const { datasetId: id } = await publishFolder(program.context, fixture, place)
  const source = { dataset_kind: 'project', dataset_id: id }
  const send = (action: object, path = versionsPath) =>
    call('POST', path, { ...asked({ action }, { slug: 'scaled' }), source })
  for (const path of [versionsPath, `${versionsPath}/preview`]) {
    const { status, body } = await send({ scale: 3.4e38, smoothing_window: 3 }, path)
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.detail[0]).toMatchObject({ loc: ['body', 'recipe', 'action', 'scale'], input: 3.4e38 })
    expect(body.detail[0].msg).toContain('beyond 3.4e38')
  }
  expect((await send({ scale: 3.4e38, clip_min: -1, clip_max: 1 })).status).toBe(201)
  expect((await send({ scale: 1e30 })).status).toBe(201)
})

describe('annotations', () => {
  test('are copied when the version is made: what is edited later changes nothing', async () => {
    const sets = '/api/v1/orgs/acme/projects/lab/datasets/recording/annotation-sets'
    const episodes = [{ episode_index: 0, task: 'place the cup', tags: ['good'] }]
    const set = await call('POST', sets, { name: 'Reviewed', episodes })
    expect(set.status, JSON.stringify(set.body)).toBe(201)
    const id = set.body.item.id
    const version = await create({ annotation_set_id: id })
    expect(version.recipe).toMatchObject({ annotation_set_id: id, annotation_set_version: 1 })
    const later = await call('POST', versionsPath, asked({ annotation_set_id: id, annotation_set_version: 9 }))
    expect(later.body.detail[0].loc).toEqual(['body', 'recipe', 'annotation_set_version'])
    const preview = await call('POST', `${versionsPath}/preview`, asked({ annotation_set_id: id }))
    const tasks = preview.body.item.tasks.items.map(({ task }: { task: string }) => task)
    expect(tasks).toContain('place the cup')
  })
})

async function addMember(role: 'viewer' | 'editor', projectId: string | undefined) {
  const user = await program.addUser(`${Math.random().toString(36).slice(2)}@example.org`)
  const { db } = program.context
  await addOrgMember(db, org.id, user.id, 'member')
  if (projectId) await putProjectMember(db, 'operator', { orgId: org.id, projectId }, user.id, role)
  return { id: user.id, bearer: await program.signIn(user) }
}
