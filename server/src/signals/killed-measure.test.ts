import { apply as applyFeatures } from '@nmp/formats/steps/features'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { killWorkerIn, patientLeases } from '../../test/kill-worker.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'

const place = '/api/v1/orgs/acme/projects/lab/datasets'
const odd = { state: 'state', action: 'actions' }

let lab: Lab

beforeAll(async () => {
  lab = await openLab()
}, 60_000)
afterAll(() => lab.close())

test('workers killed while they measure and while they check: one revision, with the numbers of an undisturbed one', async () => {
  const { call } = lab.exporter
  const get = async (path: string) => (await call('GET', path)).body.item
  const folder = getFixture('lerobot/recorded-v3.0-can-motion')
  const rename = new Map(Object.entries({ 'observation.state': 'state', action: 'actions' }))
  const publish = (slug: string) =>
    publishFolder(lab.program.context, folder, { ...lab.place, slug }, (dataset) => applyFeatures(dataset, { rename }))
  const ids = new Map<string, string>()
  for (const slug of ['calm', 'killed']) ids.set(slug, (await publish(slug)).datasetId)
  const measure = async (slug: string) => {
    const answer = await call('PATCH', `${place}/${slug}/signals`, odd)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body.item.run.job_id
  }
  const waitForEnd = (slug: string) =>
    waitUntil(async () => {
      const found = await get(`${place}/${slug}/signals`)
      return ['queued', 'running'].includes(found.run.status) ? undefined : found
    })

  const jobId = await measure('killed')
  for (const phase of ['measuring', 'checking']) {
    await killWorkerIn(lab.program, phase)
    expect(await get(`${place}/killed/signals`)).toMatchObject({ in_force: { state: null, action: null } })
  }
  const survivor = lab.program.startWorker(patientLeases)
  expect(await waitForEnd('killed')).toMatchObject({ in_force: odd, run: { status: 'succeeded', job_id: jobId } })
  await measure('calm')
  await waitForEnd('calm')
  await survivor.stop(5)

  const { body } = await call('GET', `${place}/killed/revisions`)
  expect(body.items.map(({ number }: { number: number }) => number)).toEqual([2, 1])
  const job = await lab.program.context.db
    .selectFrom('jobs')
    .select(['attempt_count', 'state'])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow()
  expect(job).toEqual({ attempt_count: 3, state: 'succeeded' })
  const [killed, calm] = await Promise.all(
    ['killed', 'calm'].map(async (slug) => {
      const { dataset_id: _id, slug: _slug, ...said } = await get(`/api/v1/catalog/datasets/${ids.get(slug)}/insights`)
      return said
    }),
  )
  expect(killed).toEqual(calm)
}, 120_000)
