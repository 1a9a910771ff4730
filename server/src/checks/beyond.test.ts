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

const runChecks = async (slug: string, id: string) => {
  await call('POST', `${base}/${slug}/checks`, { pictures: false, again: true })
  await waitUntil(async () => {
    const { signals } = (await call('GET', `/api/v1/catalog/datasets/${id}/checks`)).body.item
    return signals.status === 'succeeded' ? signals : undefined
  })
}

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
      { episode_index: 0, severity: 'warning', sentence: 'Its state and action are those of episode 4 of all.' },
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
