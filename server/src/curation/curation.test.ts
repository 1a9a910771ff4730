import { apply as selectEpisodes } from '@nmp/formats/steps/select-episodes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'
import { findAnnotationVersion } from './annotations/service.ts'

const fixtures = getFixture('lerobot')
const base = '/api/v1/orgs/curation-lab/projects/lab/datasets'

let program: TestProgram
let bearers: { editor: string; admin: string }
let place: { orgId: string; projectId: string; slug: string }

const call = async (method: string, path: string, body?: unknown, bearer = bearers.editor) => {
  const answer = await program.call(method, `${base}${path}`, { bearer, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, body: answer.body }
}
const placesOf = (body: { detail: { loc: unknown[] }[] }) => body.detail.map(({ loc }) => loc)
const inbox = async () =>
  (await program.call('GET', '/api/v1/users/me/notifications', { bearer: bearers.admin })).body.items

describe('curation', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const admin = await program.addUser('curation-admin@example.org')
    const editor = await program.addUser('curation-editor@example.org')
    const org = await createOrg(db, 'operator', { slug: 'curation-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    await addOrgMember(db, org.id, editor.id, 'member')
    await putProjectMember(db, 'operator', { orgId: org.id, projectId: project.id }, editor.id, 'editor')
    bearers = { admin: await program.signIn(admin), editor: await program.signIn(editor) }
    place = { orgId: org.id, projectId: project.id, slug: 'cubes' }
    await publishFolder(program.context, `${fixtures}/recorded-v3.0-two-cameras`, place)
  }, 120_000)
  afterAll(() => program.close())

  test('flags are put, listed, changed, taken away and put back; the other editors are told once', async () => {
    const items = [
      { episode_index: 3, reason: 'failed', note: 'drops the cube' },
      { episode_index: 1, reason: 'idle', start_frame: 5 },
      { episode_index: 1, reason: 'shaky', start_frame: 2, end_frame: 9 },
    ]
    const put = await call('PUT', '/cubes/flags', { items })
    expect(put.status).toBe(200)
    expect(put.body.created_ids).toHaveLength(3)
    const list = async (query = '') => (await call('GET', `/cubes/flags${query}`)).body
    const all = await list()
    const byReason = (one: { reason: string }, other: { reason: string }) => one.reason.localeCompare(other.reason)
    all.items = [...all.items.slice(0, 2).sort(byReason), ...all.items.slice(2)]
    expect(
      all.items.map((flag: { episode_index: number; reason: string }) => [flag.episode_index, flag.reason]),
    ).toEqual([
      [1, 'idle'],
      [1, 'shaky'],
      [3, 'failed'],
    ])
    expect(all.items[0]).toMatchObject({
      start_frame: 5,
      end_frame: 61,
      created_by_name: 'curation-editor@example.org',
    })
    expect((await list('?reason=failed')).items).toHaveLength(1)
    expect((await list('?episode_index=1')).items).toHaveLength(2)
    const first = await list('?limit=2')
    expect((await list(`?limit=2&cursor=${first.next_cursor}`)).items).toHaveLength(1)

    const [told, ...more] = await inbox()
    expect([told.kind, more.length]).toEqual(['episode_flag', 0])
    expect(told.title).toBe('curation-editor@example.org flagged 2 episodes of cubes: idle, shaky, failed')

    const again = await call('PUT', '/cubes/flags', {
      items: [{ episode_index: 3, reason: 'failed', note: 'misses it' }],
    })
    expect(again.body.created_ids).toEqual([])
    expect(again.body.items[0].note).toBe('misses it')
    const silent = await call('PUT', '/cubes/flags', { items: [{ episode_index: 3, reason: 'failed' }] })
    expect(silent.body.items[0].note).toBe('misses it')
    expect(await inbox()).toHaveLength(1)

    const [flag] = all.items
    const gone = await call('DELETE', `/cubes/flags/${flag.id}`)
    expect([gone.status, gone.body.item.id]).toEqual([200, flag.id])
    expect((await call('DELETE', `/cubes/flags/${flag.id}`)).status).toBe(404)
    const back = await call('PUT', '/cubes/flags', { items: [gone.body.item] })
    expect(back.body.items[0]).toMatchObject({ episode_index: 1, reason: 'idle', start_frame: 5, end_frame: 61 })
    const removed = await call('POST', '/cubes/flags/delete', { ids: [...put.body.created_ids, 'flg_0'] })
    expect(removed.body.items).toHaveLength(2)
    expect((await list()).items).toHaveLength(1)
  })

  test('a flag outside the dataset is refused at its place, and nothing is stored', async () => {
    const before = (await call('GET', '/cubes/flags')).body.items.length
    const { status, body } = await call('PUT', '/cubes/flags', {
      items: [
        { episode_index: 0, reason: 'idle' },
        { episode_index: 6, reason: 'idle' },
        { episode_index: 0, reason: 'idle', start_frame: 3, end_frame: 49 },
        { episode_index: 0, reason: 'idle', start_frame: 9, end_frame: 9 },
      ],
    })
    expect(status).toBe(422)
    expect(placesOf(body)).toEqual([
      ['body', 'items', 1, 'episode_index'],
      ['body', 'items', 2, 'end_frame'],
      ['body', 'items', 3, 'start_frame'],
    ])
    expect((await call('PUT', '/cubes/flags', { items: [{ episode_index: 0, reason: 'ugly' }] })).status).toBe(422)
    expect((await call('GET', '/cubes/flags')).body.items).toHaveLength(before)
    expect((await call('GET', '/cubes/flags?revision_number=9')).status).toBe(422)
    expect((await call('GET', '/nothing/flags')).status).toBe(404)
  })

  test('annotation sets have versions that never change, and recipes find them', async () => {
    const created = await call('POST', '/cubes/annotation-sets', {
      name: 'review',
      episodes: [
        { episode_index: 2, task: 'Put the blue cube away', success: true, tags: ['good', 'good'] },
        { episode_index: 0, segments: [{ label: 'grasp', start_frame: 10, end_frame: 48 }], note: 'slow' },
      ],
    })
    expect(created.status).toBe(201)
    const { id } = created.body.item
    expect(created.body.item.episodes[1]).toEqual({
      episode_index: 2,
      task: 'Put the blue cube away',
      success: true,
      tags: ['good'],
      note: null,
      segments: [],
    })
    expect((await call('POST', '/cubes/annotation-sets', { name: 'review' })).status).toBe(409)

    const merged = await call('PUT', `/cubes/annotation-sets/${id}`, {
      episodes: [{ episode_index: 2 }, { episode_index: 4, success: false }],
      merge: true,
      base_version: 1,
      message: 'second look',
    })
    expect(merged.body.item.episodes.map((one: { episode_index: number }) => one.episode_index)).toEqual([0, 4])
    const stale = await call('PUT', `/cubes/annotation-sets/${id}`, { episodes: [], base_version: 1 })
    expect([stale.status, stale.body.code]).toEqual([409, 'conflict'])
    const old = await call('GET', `/cubes/annotation-sets/${id}?version=1`)
    expect(old.body.item.episodes).toEqual(created.body.item.episodes)
    expect(old.body.item.versions.map((one: { message: string }) => one.message)).toEqual(['second look', ''])
    expect((await call('GET', `/cubes/annotation-sets/${id}?episode_index=4`)).body.item.episodes).toHaveLength(1)
    expect((await call('GET', `/cubes/annotation-sets/${id}?version=3`)).status).toBe(404)

    const exported = (await call('GET', `/cubes/annotation-sets/${id}`)).body.item
    const imported = await call('POST', '/cubes/annotation-sets', { ...exported, name: 'imported' })
    expect(imported.body.item.episodes).toEqual(exported.episodes)
    expect((await call('DELETE', `/cubes/annotation-sets/${imported.body.item.id}`)).status).toBe(200)
    expect((await call('GET', '/cubes/annotation-sets')).body.items).toHaveLength(1)

    const { subject_id: revisionId } = await program.context.db
      .selectFrom('annotation_sets')
      .select('subject_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const { db } = program.context
    expect((await findAnnotationVersion(db, { id: revisionId }, id, null))?.version).toBe(2)
    expect((await findAnnotationVersion(db, { id: revisionId }, id, 1))?.episodes).toHaveLength(2)
    expect((await findAnnotationVersion(db, { id: revisionId }, imported.body.item.id, 1))?.episodes).toHaveLength(2)
    expect(await findAnnotationVersion(db, { id: 'rev_other' }, id, 1)).toBeUndefined()
  })

  test('an annotation outside the dataset is refused at its place', async () => {
    const { status, body } = await call('POST', '/cubes/annotation-sets', {
      name: 'wrong',
      episodes: [
        { episode_index: 6 },
        { episode_index: 1, segments: [{ label: 'x', start_frame: 0, end_frame: 62 }] },
        { episode_index: 1 },
      ],
    })
    expect(status).toBe(422)
    expect(placesOf(body)).toEqual([
      ['body', 'episodes', 0, 'episode_index'],
      ['body', 'episodes', 1, 'segments', 0, 'end_frame'],
      ['body', 'episodes', 2, 'episode_index'],
    ])
  })

  test('a new revision starts without them, and takes them over for episodes that are the same', async () => {
    const flagged = [0, 1, 2, 5].map((episode) => ({ episode_index: episode, reason: 'camera', note: String(episode) }))
    await call('PUT', '/cubes/flags', { items: flagged })
    const { items: sets } = (await call('GET', '/cubes/annotation-sets')).body
    const [set] = sets
    // Episode 1 is gone, so those after it move up.
    await publishFolder(program.context, `${fixtures}/recorded-v3.0-two-cameras`, place, (dataset) =>
      selectEpisodes(dataset, { excluded: [1] }),
    )
    const cameras = async (query = '') => (await call('GET', `/cubes/flags?reason=camera${query}`)).body.items
    expect(await cameras()).toEqual([])
    expect(await cameras('&revision_number=1')).toHaveLength(4)
    const copied = await call('POST', '/cubes/flags/copy', { from_revision: 1 })
    expect(copied.body.item).toMatchObject({ from_revision: 1, to_revision: 2, changed_episodes: [1], present: 0 })
    const shown = (await cameras()).map((flag: { episode_index: number; note: string }) => [
      flag.episode_index,
      flag.note,
    ])
    expect(shown).toEqual([
      [0, '0'],
      [1, '2'],
      [4, '5'],
    ])
    const twice = await call('POST', '/cubes/flags/copy', { from_revision: 1 })
    expect([twice.body.item.copied, twice.body.item.present]).toEqual([0, copied.body.item.copied])

    const moved = await call('POST', `/cubes/annotation-sets/${set.id}/copy`, {})
    expect(moved.status).toBe(201)
    expect(moved.body.item).toMatchObject({ revision_number: 2, name: 'review', version: 1 })
    expect(moved.body.item.episodes.map((one: { episode_index: number }) => one.episode_index)).toEqual([0, 3])
    expect(moved.body.changed_episodes).toEqual([])
    expect((await call('POST', '/cubes/flags/copy', { from_revision: 7 })).status).toBe(422)
  }, 60_000)
})
