import { apply as applyFeatures } from '@nmp/formats/steps/features'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { writeSource } from '../../test/written-source.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const project = '/api/v1/orgs/signals-lab/projects/lab'
const versions = '/api/v1/orgs/signals-lab/derived-dataset-versions'
const signals = `${project}/datasets/odd/signals`
const odd = { state: 'state', action: 'actions' }
const rename = { 'observation.state': 'state', action: 'actions' }
const smoothing = { selected_episode_indices: [3, 1, 2], action: { smoothing_window: 5 } }

let program: TestProgram
let bearer: string
/** The same numbers twice: under LeRobot's names, and under others. */
let usual: string
let renamed: string

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const get = async (path: string) => (await call('GET', path)).body.item
const read = (id: string, path: string) => get(`/api/v1/catalog/datasets/${id}${path}`)

const waitForMeasuring = (path = signals) =>
  waitUntil(async () => {
    const found = await get(path)
    return ['queued', 'running'].includes(found.run.status) ? undefined : found
  })

const derive = async (id: string, slug: string, recipe: object) => {
  const source = { dataset_kind: 'catalog', dataset_id: id }
  const body = { source, slug, name: slug, recipe }
  return call('POST', versions, { ...body, project_slug: 'lab' })
}

const exportStatistics = async (id: string) => {
  const { body } = await call('POST', `${versions}/${id}/export-jobs`, { artifact_keys: ['openpi-norm-stats'] })
  return waitUntil(async () => {
    const job = await get(`${versions}/${id}/export-jobs/${body.jobs[0].id}`)
    return ['succeeded', 'failed'].includes(job.status) ? job : undefined
  })
}

/** Whatever Insights says of motion, without what names the dataset. */
const readInsights = async (id: string) => {
  const { dataset_id: _id, slug: _slug, signal: _signal, ...said } = await read(id, '/insights')
  return said
}

const readColumn = async (id: string, column: string) =>
  (await read(id, `/episodes/0/rows?columns=${column}&points=5000`)).series[0].values

describe('state and action of a dataset that calls them otherwise', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const admin = await program.addUser('signals-admin@example.org')
    const org = await createOrg(db, 'operator', { slug: 'signals-lab', name: 'Lab', adminUserId: admin.id })
    const lab = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    bearer = await program.signIn(admin)
    const folder = `${getFixture('lerobot')}/recorded-v3.0-can-motion`
    const place = { orgId: org.id, projectId: lab.id }
    usual = (await publishFolder(program.context, folder, { ...place, slug: 'usual' })).datasetId
    renamed = (
      await publishFolder(program.context, folder, { ...place, slug: 'odd' }, (dataset) =>
        applyFeatures(dataset, { rename: new Map(Object.entries(rename)) }),
      )
    ).datasetId
    program.startWorker()
  }, 120_000)
  afterAll(() => program.close())

  test('are not found by name, and only columns of numbers can be set', async () => {
    expect(await read(renamed, '/insights')).toMatchObject({ supports_motion_insights: false })
    expect(await get(signals)).toMatchObject({
      state: null,
      in_force: { state: null, action: null },
      run: { status: 'none' },
    })
    const unknown = await call('PATCH', signals, { state: 'qpos' })
    expect(unknown.status).toBe(422)
    expect(unknown.body.detail[0]).toMatchObject({ loc: ['body', 'state'] })
    expect(unknown.body.detail[0].msg).toMatch(/there is no column qpos; choose one of .*actions.*/)
    const twice = await call('PATCH', signals, { state: 'actions', action: 'actions' })
    expect(twice.status).toBe(422)
    expect(twice.body.detail[0].msg).toContain('different columns')
  })

  test('count for Insights, checks, charts and recipes once they are set, and change no version made before', async () => {
    const before = (await derive(renamed, 'before', { excluded_episode_indices: [0] })).body.item
    const refused = await derive(renamed, 'refused', smoothing)
    expect(refused.status).toBe(422)
    const flagged = await call('PUT', `${project}/datasets/odd/flags`, {
      items: [{ episode_index: 2, reason: 'idle' }],
    })
    const first = await get(`${project}/datasets/odd`)

    expect((await call('PATCH', signals, odd)).status).toBe(200)
    expect(await waitForMeasuring()).toMatchObject({ ...odd, in_force: odd, missing: [], run: { status: 'succeeded' } })

    const after = await get(`${project}/datasets/odd`)
    expect(after).toMatchObject({ revision_number: 2, size_bytes: first.size_bytes, title: first.title })
    const revisions = (await call('GET', `${project}/datasets/odd/revisions`)).body.items
    expect(revisions[0].digest).toBe(revisions[1].digest)
    expect((await call('GET', `${project}/datasets/odd/flags`)).body.items[0].id).toBe(flagged.body.items[0].id)
    expect(await read(renamed, '')).toMatchObject({
      observation: { state: { key: 'state' } },
      action: { key: 'actions' },
    })
    expect(await readInsights(renamed)).toEqual(await readInsights(usual))

    await call('POST', `${project}/datasets/usual/checks`, { pictures: false })
    const checked = await waitUntil(async () => {
      const found = await read(usual, '/checks')
      return found.signals.status === 'succeeded' ? found : undefined
    })
    const own = await read(renamed, '/checks')
    expect(own).toMatchObject({ signals: { status: 'succeeded' } })
    // By their roles both are seen to be one recording.
    expect(checked.look_first[0].reasons).toContainEqual(expect.stringMatching(/^It moves as episode \d+ of odd does/))
    expect(own.rules.filter(({ family }: { family: string }) => family !== 'sets')).toEqual(
      checked.rules.filter(({ family }: { family: string }) => family !== 'sets'),
    )

    const smooth = (await derive(renamed, 'smooth', smoothing)).body.item
    const reference = (await derive(usual, 'reference', smoothing)).body.item
    expect(await read(smooth.id, '')).toMatchObject({ action: { key: 'actions' } })
    expect(await readInsights(smooth.id)).toEqual(await readInsights(reference.id))
    const wanted = await readColumn(reference.id, 'action')
    expect(await readColumn(smooth.id, 'actions')).toEqual(wanted)
    const recorded = await readColumn(smooth.id, 'recorded.action')
    expect(recorded).toEqual(await readColumn(reference.id, 'recorded.action'))
    expect(recorded).not.toEqual(wanted)

    expect(await read(before.id, '')).toMatchObject({ observation: { state: null }, action: null })
    expect((await get(`/api/v1/orgs/signals-lab/derived-dataset-versions/${before.id}`)).source).toEqual(before.source)
  })

  test('go with their columns into renames, merges and exports', async () => {
    const some = { selected_episode_indices: [0, 1] }
    const moved = (
      await derive(renamed, 'moved', { ...some, features: { rename: { actions: 'cmd', state: 'joints' } } })
    ).body.item
    const said = { observation: { state: { key: 'joints' } }, action: { key: 'cmd' } }
    expect(await read(moved.id, '')).toMatchObject(said)
    const { body } = await call('GET', `${versions}/${moved.id}/export-targets`)
    const stats = body.items.find(({ key }: { key: string }) => key === 'openpi-norm-stats')
    expect(stats.options.properties).toMatchObject({ actions: { default: 'cmd' }, state: { default: 'joints' } })
    expect(stats.losses.map(({ feature }: { feature: string }) => feature)).not.toContain('cmd')

    // Found by name they go with a rename, too.
    const rename = { 'observation.state': 'joints', action: 'cmd' }
    const named = (await derive(usual, 'named', { ...some, features: { rename } })).body.item
    expect(await read(named.id, '')).toMatchObject(said)
    const from = (state: string, action: string) => ({ features: { joints: { from: state }, cmd: { from: action } } })
    const source = (id: string, map: object) => ({ dataset_kind: 'catalog', dataset_id: id, recipe: some, map })
    const merged = await call('POST', versions, {
      ...{ slug: 'both', name: 'both', project_slug: 'lab' },
      sources: [source(renamed, from('state', 'actions')), source(usual, from('observation.state', 'action'))],
    })
    expect(merged.status, JSON.stringify(merged.body)).toBe(201)
    expect(await read(merged.body.item.id, '')).toMatchObject(said)

    const reference = (await derive(usual, 'plain', some)).body.item
    const [own, wanted] = await Promise.all([moved.id, reference.id].map(exportStatistics))
    expect(own).toMatchObject({ status: 'succeeded' })
    expect(own.checksum_sha256).toBe(wanted.checksum_sha256)
  }, 120_000)

  test('set back, they are found by name again', async () => {
    await call('PATCH', signals, { state: null, action: null })
    expect(await waitForMeasuring()).toMatchObject({ state: null, in_force: { state: null, action: null } })
    expect(await read(renamed, '/insights')).toMatchObject({ supports_motion_insights: false })
  })

  test('hold for later imports that have the columns, and are said to be missing from others', async () => {
    const import_ = async (names: readonly [string, string], lengths: number[]) =>
      importFixture(program, bearer, {
        org: 'signals-lab',
        project: 'lab',
        slug: 'grown',
        folder: await writeSource({ lengths, names }),
      })
    const path = `${project}/datasets/grown/signals`
    await import_(['qpos', 'target'], [40, 30])
    await call('PATCH', path, { state: 'qpos', action: 'target' })
    await waitForMeasuring(path)
    await import_(['qpos', 'target'], [40, 30, 20])
    const next = await get(`${project}/datasets/grown`)
    expect(next).toMatchObject({ revision_number: 3, total_episodes: 3 })
    expect(await get(path)).toMatchObject({ in_force: { state: 'qpos', action: 'target' }, missing: [] })
    const other = await import_(['joints', 'target'], [50, 30])
    expect(await get(path)).toMatchObject({ in_force: { state: null, action: 'target' }, missing: ['qpos'] })
    const report = await get(`${project}/imports/${other.id}/report`)
    expect(report.findings).toContainEqual(expect.objectContaining({ rule: 'role-column-missing' }))
  })
})
