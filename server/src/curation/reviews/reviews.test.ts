import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { putProjectMember } from '../../organizations/members/service.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'

const base = '/api/v1/orgs/review-lab/projects/lab/reviews'

let program: TestProgram
let bearers: { editor: string; admin: string }
let people: { editor: string; admin: string; viewer: string }
let datasetId: string

const call = (method: string, path: string, body?: unknown, bearer = bearers.editor) =>
  program.call(method, `${base}${path}`, { bearer, ...(body === undefined ? {} : { body }) })

describe('reviews', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const [admin, editor, viewer] = await Promise.all(
      ['admin', 'editor', 'viewer'].map((name) => program.addUser(`review-${name}@example.org`)),
    )
    if (!admin || !editor || !viewer) throw new Error('three people')
    const org = await createOrg(db, 'operator', { slug: 'review-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    for (const { id } of [editor, viewer]) await addOrgMember(db, org.id, id, 'member')
    const place = { orgId: org.id, projectId: project.id }
    await putProjectMember(db, 'operator', place, editor.id, 'editor')
    await putProjectMember(db, 'operator', place, viewer.id, 'viewer')
    bearers = { admin: await program.signIn(admin), editor: await program.signIn(editor) }
    people = { admin: admin.id, editor: editor.id, viewer: viewer.id }
    datasetId = (await publishRecording(program.context, { ...place, slug: 'cubes' }, [4, 3, 5, 3])).datasetId
  }, 120_000)
  afterAll(() => program.close())

  test('a queue keeps its order, its people and the last verdict on each episode', async () => {
    const made = await call('POST', '', {
      dataset_id: datasetId,
      name: 'What stands out',
      episodes: [3, 0, 2],
      people: [people.editor, people.admin],
    })
    expect([made.status, made.body.item.episodes]).toEqual([201, [3, 0, 2]])
    const { id } = made.body.item
    const told = await program.call('GET', '/api/v1/users/me/notifications', { bearer: bearers.admin })
    expect(told.body.items).toMatchObject([
      {
        kind: 'team_invite',
        resource_kind: 'review',
        resource_id: id,
        title: 'review-editor@example.org asks you to review 3 episodes: What stands out, dealt between 2 people',
        url: expect.stringMatching(new RegExp(`/datasets/${datasetId}/episodes/3\\?review=${id}$`)),
      },
    ])
    const own = await program.call('GET', '/api/v1/users/me/notifications', { bearer: bearers.editor })
    expect(own.body.items).toEqual([])
    const decide = (items: unknown[], bearer?: string) => call('PUT', `/${id}/verdicts`, { items }, bearer)
    await decide([{ episode_index: 3, verdict: 'leave_out' }])
    await decide([{ episode_index: 0, verdict: 'keep' }], bearers.admin)
    await decide([
      { episode_index: 0, verdict: 'flag' },
      { episode_index: 2, verdict: 'keep' },
    ])
    const undone = await decide([{ episode_index: 2, verdict: null }])
    expect(undone.body.item).toMatchObject({ total: 3, decided: 2, kept: 0, left_out: 1, flagged: 1, is_current: true })
    const { item } = (await call('GET', `/${id}`)).body
    expect(item.verdicts).toMatchObject([
      { episode_index: 0, verdict: 'flag', decided_by: people.editor },
      { episode_index: 3, verdict: 'leave_out', decided_by: people.editor },
    ])
    expect(item.people.map((person: { id: string }) => person.id)).toEqual([people.editor, people.admin])
    const listed = (await call('GET', `?dataset_id=${datasetId}`)).body.items
    expect(listed.map((one: { id: string; decided: number }) => [one.id, one.decided])).toEqual([[id, 2]])

    const events = await fetch(`${program.url}/api/v1/events?seconds=0&last_event_id=${Date.now() - 1000}`, {
      headers: { authorization: `Bearer ${bearers.admin}` },
    })
    expect(await events.text()).toMatch(new RegExp(`event: review\ndata: [^\n]*"id":"${id}"[^\n]*"decided":2`))

    expect((await call('DELETE', `/${id}`)).status).toBe(200)
    expect((await call('GET', `/${id}`)).status).toBe(404)
    const actions = await program.context.db
      .selectFrom('audit_events')
      .select('action')
      .where('resource_id', '=', id)
      .orderBy('id')
      .execute()
    expect(actions.map(({ action }) => action)).toEqual([
      'review.create',
      ...Array.from({ length: 4 }, () => 'review.decide'),
      'review.delete',
    ])
  })

  test('episodes that are not there, stand twice or are not in the queue, and people who may not write, are named', async () => {
    const create = (change: object) => call('POST', '', { dataset_id: datasetId, name: 'x', episodes: [0], ...change })
    const placesOf = (answer: { body: { detail: { loc: unknown[] }[] } }) => answer.body.detail.map(({ loc }) => loc)
    expect(placesOf(await create({ episodes: [0, 4, 0] }))).toEqual([
      ['body', 'episodes', 1],
      ['body', 'episodes', 2],
    ])
    expect(placesOf(await create({ people: [people.editor, people.viewer] }))).toEqual([['body', 'people', 1]])
    expect((await create({ dataset_id: 'ds_unknown' })).status).toBe(404)
    const { id } = (await create({})).body.item
    const stray = await call('PUT', `/${id}/verdicts`, { items: [{ episode_index: 1, verdict: 'keep' }] })
    expect([stray.status, placesOf(stray)]).toEqual([422, [['body', 'items', 0, 'episode_index']]])
    expect((await call('GET', `/${id}`)).body.item.verdicts).toEqual([])
  })
})
