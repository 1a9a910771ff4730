import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder, publishRecording } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { packReport, unpackReport } from './stored-report.ts'

const base = '/api/v1/orgs/checks-lab/projects/lab/datasets'

let program: TestProgram
let bearer: string
let cans: string
let place: { orgId: string; projectId: string }

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const read = async (id: string, path = '') =>
  (await call('GET', `/api/v1/catalog/datasets/${id}/checks${path}`)).body.item

const waitForChecks = (id: string) =>
  waitUntil(async () => {
    const { signals, pictures } = await read(id)
    const isOpen = [signals, pictures].some(({ status }) => status === 'queued' || status === 'running')
    return isOpen ? undefined : { signals, pictures }
  })

describe('the checks of a dataset', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const admin = await program.addUser('checks-admin@example.org')
    const org = await createOrg(db, 'operator', { slug: 'checks-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    bearer = await program.signIn(admin)
    place = { orgId: org.id, projectId: project.id }
    const folder = `${getFixture('lerobot')}/recorded-v3.0-can-motion`
    cans = (await publishFolder(program.context, folder, { ...place, slug: 'cans' })).datasetId
    program.startWorker()
  }, 120_000)
  afterAll(() => program.close())

  test('nothing is told before a run, and everything after it', async () => {
    const before = await read(cans)
    expect(before).toMatchObject({
      signals: { status: 'none' },
      pictures: { status: 'none' },
      rules: [],
      look_first: [],
    })
    const started = await call('POST', `${base}/cans/checks`, { pictures: false })
    expect(started.status).toBe(200)
    expect(started.body.item.signals).toMatchObject({ job_id: expect.stringMatching(/^chk_/) })
    expect(await waitForChecks(cans)).toMatchObject({
      signals: { status: 'succeeded', done: 30, total: 30 },
      pictures: { status: 'none' },
    })
    const after = await read(cans)
    expect(after).toMatchObject({ revision_number: 1, episodes: 30 })
    const shaky = after.rules.find(({ id }: { id: string }) => id === 'shakiness')
    expect(shaky).toMatchObject({ family: 'motion', cut_off: 1.4, needs_run: false, failed: null })
    expect(shaky.findings).toBeGreaterThan(0)
    const { total, items } = await read(cans, '/findings?rule=shakiness')
    expect(total).toBe(shaky.findings)
    expect(items[0]).toMatchObject({ rule: 'shakiness', severity: 'warning', frame_from: 0, cut_off: 1.4 })
    expect(after.look_first.map(({ episode_index: index }: { episode_index: number }) => index)).toContain(
      items[0].episode_index,
    )
    const ofOne = await read(cans, `/findings?episode_index=${items[0].episode_index}`)
    expect(ofOne.items.map(({ rule }: { rule: string }) => rule)).toContain('shakiness')
    const rankings = await read(cans, '/rankings?rule=length&order=highest&limit=5')
    expect(rankings).toMatchObject({ total: 30, limit: 5 })
    expect(rankings.items[0]).toMatchObject({ rule: 'length', percentile: 100, rank: 30, of: 30, confidence: null })
    const [lag] = after.set_values
    expect(lag).toMatchObject({ rule: 'lag', camera: null, measured: 29 })
    expect(lag.confidence).toBeGreaterThan(0.5)
    expect(lag.agreeing).toBeGreaterThan(20)
    const { items: lags } = await read(cans, '/rankings?rule=lag')
    const sorted = lags.map(({ value }: { value: number }) => value).sort((a: number, b: number) => a - b)
    expect(Math.abs(lag.value - sorted[14])).toBeLessThan(0.05)
  }, 60_000)

  test('one episode is told with its findings and its place in every ranking', async () => {
    const { look_first: order } = await read(cans)
    const index = order[0].episode_index
    const one = await read(cans, `/episodes/${index}`)
    expect(one).toMatchObject({
      dataset_id: cans,
      episode_index: index,
      look_first: { place: 1, score: order[0].score },
    })
    expect(one.findings).toEqual((await read(cans, `/findings?episode_index=${index}`)).items)
    const ranked = one.rankings.map(({ rule }: { rule: string }) => rule)
    expect(ranked).toEqual(expect.arrayContaining(['length', 'smoothness-sparc', 'idle-share', 'lag']))
    const { items: lengths } = await read(cans, '/rankings?rule=length&order=lowest')
    const own = lengths.findIndex(({ episode_index: other }: { episode_index: number }) => other === index)
    const shorter = lengths.filter(({ value }: { value: number }) => value < lengths[own].value).length
    expect(one.rankings[ranked.indexOf('length')]).toEqual({ ...lengths[own], rank: shorter + 1, of: 30 })
    // All of them, page by page, rule by rule.
    const all = await read(cans, '/rankings?limit=10000')
    const ofOne = all.items.filter(({ episode_index: other }: { episode_index: number }) => other === index)
    expect(ofOne).toEqual(one.rankings)
    expect((await read(cans, '/rankings?offset=25&limit=10')).items).toEqual(all.items.slice(25, 35))
    expect((await call('GET', `/api/v1/catalog/datasets/${cans}/checks/episodes/30`)).status).toBe(404)
  })

  test('a cut-off is moved in a request, and set for everybody, without another run', async () => {
    const all = await read(cans, '/findings?rule=shakiness')
    const values = all.items.map(({ value }: { value: number }) => value).sort()
    const strict = await read(cans, `/findings?rule=shakiness&cut_off=${values.at(-1) - 0.001}`)
    expect(strict.total).toBe(1)
    const set = await call('PUT', `${base}/cans/checks/settings`, { cut_offs: { shakiness: values.at(-1) - 0.001 } })
    expect(set.body.item.rules.find(({ id }: { id: string }) => id === 'shakiness')).toMatchObject({
      findings: 1,
      episodes: 1,
      needs_run: false,
    })
    const other = await call('PUT', `${base}/cans/checks/settings`, { cut_offs: { 'gripper-chatter': 5 } })
    expect(other.body.item.rules.find(({ id }: { id: string }) => id === 'gripper-chatter').needs_run).toBe(true)
    await call('POST', `${base}/cans/checks`, { pictures: false })
    await waitForChecks(cans)
    const again = (await read(cans)).rules.find(({ id }: { id: string }) => id === 'gripper-chatter')
    expect(again).toMatchObject({ needs_run: false, cut_off: 5 })
    await call('PUT', `${base}/cans/checks/settings`, {})
  }, 60_000)

  test('results of older rules say so, and the next run makes them anew', async () => {
    const { db } = program.context
    const { revision_id: id } = await read(cans)
    const stored = () => db.selectFrom('check_results').where('subject_id', '=', id).where('part', '=', 'signals')
    const { report } = await stored().select('report').executeTakeFirstOrThrow()
    const older = { ...(await unpackReport(report ?? Buffer.of())), ruleSetVersion: 1 }
    await db
      .updateTable('check_results')
      .set({ report: await packReport(older), rule_set_version: 1, updated_at: new Date() })
      .where('subject_id', '=', id)
      .execute()
    const old = await read(cans)
    expect(old.rule_set_version).toBeGreaterThan(1)
    expect(old.signals).toMatchObject({ status: 'succeeded', rule_set_version: 1 })
    await call('POST', `${base}/cans/checks`, { pictures: false })
    await waitForChecks(cans)
    expect((await read(cans)).signals.rule_set_version).toBe(old.rule_set_version)
  }, 60_000)

  test('what cannot be told is refused with what to do instead', async () => {
    const asked = (query: string) => call('GET', `/api/v1/catalog/datasets/${cans}/checks/findings?${query}`)
    const looser = await asked('rule=jump&cut_off=1')
    expect(looser.status).toBe(422)
    expect(looser.body.detail[0].msg).toContain('run the checks again')
    expect((await asked('rule=saturation&cut_off=0.1')).status).toBe(422)
    expect((await asked('cut_off=1')).status).toBe(422)
    expect((await call('PUT', `${base}/cans/checks/settings`, { cut_offs: { nothing: 1 } })).status).toBe(422)
    expect((await call('PUT', `${base}/cans/checks/settings`, { cut_offs: { length: 1 } })).status).toBe(422)
    expect((await call('POST', `${base}/cans/checks/cancel`)).status).toBe(409)
  })

  test('a recipe leaves out what a rule found, and the version stays what it was', async () => {
    const versions = '/api/v1/orgs/checks-lab/derived-dataset-versions'
    const source = { dataset_kind: 'project', dataset_id: cans }
    const ask = (checks: object, path = '') =>
      call('POST', `${versions}${path}`, { slug: 'clean', name: 'Clean', source, recipe: { where: { checks } } })
    const shaky = (await read(cans, '/findings?rule=shakiness')).items.map(
      ({ episode_index: index }: { episode_index: number }) => index,
    )
    const bad = new Set<number>(shaky)
    const preview = await call('POST', `${versions}/preview`, {
      source,
      recipe: { where: { checks: { shakiness: 'absent' } } },
    })
    expect(preview.body.item.episode_count).toBe(30 - bad.size)
    const made = await ask({ shakiness: 'absent' })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { id } = made.body.item
    expect(made.body.item).toMatchObject({
      episode_count: 30 - bad.size,
      recipe: { where: { checks: { shakiness: 'absent' } } },
      provenance: { checks: { results: { shakiness: { cut_off: 1.4, rule_set_version: expect.any(Number) } } } },
    })
    expect((await ask({ shakiness: 'present' })).body.item.episode_count).toBe(bad.size)
    await call('PUT', `${base}/cans/checks/settings`, { cut_offs: { shakiness: 1000 } })
    const later = (await call('GET', `/api/v1/catalog/datasets/${id}`)).body.item
    expect(later.metrics.total_episodes).toBe(30 - bad.size)
    const sources = (await call('GET', `/api/v1/catalog/datasets/${id}/episodes?limit=200`)).body.item
    expect(sources.total).toBe(30 - bad.size)
    await call('PUT', `${base}/cans/checks/settings`, {})
    for (const [checks, words] of [
      [{ nothing: 'absent' }, 'there is no rule nothing'],
      [{ length: 'absent' }, 'ranking'],
      [{ 'task-balance': 'absent' }, 'whole set'],
      [{ 'frozen-camera': 'absent' }, 'there are no results of frozen-camera'],
    ] as const) {
      const refused = await ask(checks)
      expect(refused.status).toBe(422)
      expect(refused.body.detail[0].loc.slice(0, 4)).toEqual(['body', 'recipe', 'where', 'checks'])
      expect(refused.body.detail[0].msg).toContain(words)
    }
    // The version is checked itself, through its recipe.
    await call('POST', `${versions}/${id}/checks`, {})
    expect(await waitForChecks(id)).toMatchObject({ signals: { status: 'succeeded', total: 30 - bad.size } })
    expect(await read(id, '/rankings?rule=length')).toMatchObject({ total: 30 - bad.size })
  }, 60_000)

  test('pictures are looked at once, and a second run decodes none of them', async () => {
    const { datasetId } = await publishRecording(program.context, { ...place, slug: 'seen' }, [12, 12, 12, 12])
    await call('POST', `${base}/seen/checks`, {})
    expect(await waitForChecks(datasetId)).toMatchObject({ pictures: { status: 'succeeded', done: 4, total: 4 } })
    const { db } = program.context
    const kept = await db.selectFrom('seen_pictures').selectAll().where('owner_id', '=', datasetId).execute()
    expect(kept).toHaveLength(4)
    const first = await read(datasetId)
    await call('POST', `${base}/seen/checks`, { again: true })
    await waitForChecks(datasetId)
    const second = await read(datasetId)
    expect(second.rules).toEqual(first.rules)
  }, 60_000)
})
