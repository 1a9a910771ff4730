import type { Dataset } from '@nmp/formats/dataset'
import { apply as changeAction } from '@nmp/formats/steps/action'
import { apply as selectEpisodes } from '@nmp/formats/steps/select-episodes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const base = '/api/v1/orgs/beyond-lab/projects/lab/datasets'
const folder = `${getFixture('lerobot')}/recorded-v3.0-can-motion`

let program: TestProgram
let bearer: string
let place: { orgId: string; projectId: string }

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const listFound = async (id: string, rule: string) =>
  (await call('GET', `/api/v1/catalog/datasets/${id}/checks/findings?rule=${rule}`)).body.item.items

const runChecks = async (slug: string, id: string, at = base) => {
  await call('POST', `${at}/${slug}/checks`, { pictures: false, again: true })
  await waitUntil(async () => {
    const { signals } = (await call('GET', `/api/v1/catalog/datasets/${id}/checks`)).body.item
    return signals.status === 'succeeded' ? signals : undefined
  })
}

/** As another converter writes it: every reading a little off. */
const blur = (dataset: Dataset): Dataset => ({
  ...dataset,
  getEpisode: (position) => {
    const episode = dataset.getEpisode(position)
    return {
      ...episode,
      readBlocks: async function* (request) {
        for await (const block of episode.readBlocks(request)) {
          const state = block.columns.get('observation.state')
          if (!(state instanceof Float32Array)) throw new Error('the state is no float32')
          const moved = state.map((value, at) => value + 2e-4 * Math.sin(at + position))
          yield { ...block, columns: new Map([...block.columns, ['observation.state', moved]]) }
        }
      },
    }
  },
})

describe('beyond a recording', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const admin = await program.addUser('beyond-admin@example.org')
    const org = await createOrg(db, 'operator', { slug: 'beyond-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    bearer = await program.signIn(admin)
    place = { orgId: org.id, projectId: project.id }
    program.startWorker()
  }, 120_000)
  afterAll(() => program.close())

  test('episodes that another dataset of the project has are found, whatever their numbers', async () => {
    const first = await publishFolder(program.context, folder, { ...place, slug: 'all' })
    await runChecks('all', first.datasetId)
    expect(await listFound(first.datasetId, 'duplicate-elsewhere')).toEqual([])
    const some = await publishFolder(program.context, folder, { ...place, slug: 'some' }, (dataset) =>
      selectEpisodes(dataset, { selected: [4, 9] }),
    )
    await runChecks('some', some.datasetId)
    expect(await listFound(some.datasetId, 'duplicate-elsewhere')).toMatchObject([
      {
        episode_index: 0,
        severity: 'warning',
        sentence: 'Its state and action are those of episode 4 of all.',
        elsewhere: { dataset_id: first.datasetId, dataset_slug: 'all', episode_index: 4 },
      },
      { episode_index: 1, sentence: 'Its state and action are those of episode 9 of all.' },
    ])
    const input = { org: 'beyond-lab', project: 'lab', folder }
    const imported = await importFixture(program, bearer, { ...input, slug: 'imported' })
    expect(await listFound(imported.dataset_id ?? '', 'duplicate-elsewhere')).toHaveLength(30)
    // The same source once more is not prepared again, and is no less a copy.
    const again = await importFixture(program, bearer, { ...input, slug: 'imported-again' })
    const copies = await listFound(again.dataset_id ?? '', 'duplicate-elsewhere')
    expect(copies).toHaveLength(30)
    expect(copies[0].sentence).toContain('episodes in all')
  }, 120_000)

  test('episodes that are nearly those of another dataset are found, and who is not of the project is not told', async () => {
    const near = 'near-duplicate-elsewhere'
    const half = { selected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }
    const at = await createProject(program.context.db, 'operator', { orgId: place.orgId, slug: 'near', name: 'Near' })
    const put = (slug: string, change: (dataset: Dataset) => Dataset) =>
      publishFolder(program.context, folder, { orgId: place.orgId, projectId: at.id, slug }, change)
    const check = (slug: string, id: string) => runChecks(slug, id, base.replace('/lab/', '/near/'))
    const first = await put('recorded', (dataset) => selectEpisodes(dataset, half))
    await check('recorded', first.datasetId)
    expect(await listFound(first.datasetId, near)).toEqual([])
    // The other half of the set was recorded in the same way, and is no copy.
    const rest = await put('rest', (dataset) => selectEpisodes(dataset, { excluded: half.selected }))
    await check('rest', rest.datasetId)
    expect(await listFound(rest.datasetId, near)).toEqual([])
    const converted = await put('converted', (dataset) => selectEpisodes(blur(dataset), { selected: [3, 7, 12] }))
    await check('converted', converted.datasetId)
    expect(await listFound(converted.datasetId, 'duplicate-elsewhere')).toEqual([])
    const found = await listFound(converted.datasetId, near)
    const where = found.map(({ elsewhere }: { elsewhere: unknown }) => elsewhere)
    expect(where).toEqual([
      { dataset_id: first.datasetId, dataset_slug: 'recorded', episode_index: 3 },
      { dataset_id: first.datasetId, dataset_slug: 'recorded', episode_index: 7 },
      { dataset_id: rest.datasetId, dataset_slug: 'rest', episode_index: 2 },
    ])
    expect(found[0]).toMatchObject({ episode_index: 0, cut_off: 0.02 })
    expect(found[0].sentence).toContain('It moves as episode 3 of recorded does')
    const findings = `/api/v1/catalog/datasets/${converted.datasetId}/checks/findings`
    expect((await call('GET', `${findings}?rule=${near}&cut_off=${found[0].value / 2}`)).body.item.total).toBeLessThan(
      3,
    )
    await program.context.db
      .updateTable('datasets')
      .set({ visibility: 'public' })
      .where('id', '=', converted.datasetId)
      .execute()
    const asked = await program.call('GET', findings)
    expect([asked.status, JSON.stringify(asked.body).includes('recorded')]).toEqual([200, false])
    expect((await program.call('GET', `${findings}?rule=${near}&cut_off=0.03`)).body.item.total).toBe(0)
    const summary = await program.call('GET', findings.replace('/findings', ''))
    expect(JSON.stringify(summary.body)).not.toContain('recorded')
  }, 120_000)

  test('a revision whose numbers lie elsewhere than those of the one before says so', async () => {
    const at = { ...place, slug: 'moved' }
    const { datasetId } = await publishFolder(program.context, folder, at)
    await runChecks('moved', datasetId)
    expect(await listFound(datasetId, 'revision-shift')).toEqual([])
    await publishFolder(program.context, folder, at, (dataset) => selectEpisodes(dataset, { excluded: [0] }))
    await runChecks('moved', datasetId)
    expect(await listFound(datasetId, 'revision-shift')).toEqual([])
    await publishFolder(program.context, folder, at, (dataset) => changeAction(dataset, { scale: 4 }))
    await runChecks('moved', datasetId)
    const [shift, ...more] = await listFound(datasetId, 'revision-shift')
    expect(more).toEqual([])
    expect(shift).toMatchObject({ feature: 'action', episode_index: null, cut_off: 0.25 })
    expect(shift.sentence).toContain('has moved since revision 2')
  }, 120_000)
})
