import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { killWorkerIn, patientLeases } from '../../test/kill-worker.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { createJobHandlers } from '../job-handlers.ts'
import { collectHandlers } from '../jobs/index.ts'
import { JobStop } from '../jobs/lease.ts'
import { startWorker } from '../jobs/worker.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
let lab: Lab
let program: Lab['program']
let exporter: Lab['exporter']
let versionId: string
/** Another one of the same recipe: what is made of it has to have the same bytes. */
let sameId: string

beforeAll(async () => {
  lab = await openLab()
  ;({ program, exporter } = lab)
  const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
  const { datasetId } = await publishFolder(program.context, fixture, { ...lab.place, slug: 'source' })
  versionId = (await exporter.derive(datasetId, { first_n_episodes: 2 }, 'calm')).id
  sameId = (await exporter.derive(datasetId, { first_n_episodes: 2 }, 'killed')).id
}, 60_000)
afterAll(() => lab.close())

async function queue(id: string, key: string, options: object = {}): Promise<string> {
  const body = { artifact_keys: [key], options: { [key]: options } }
  const answer = await exporter.call('POST', `${versionsPath}/${id}/export-jobs`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.jobs[0].id
}

const phases = ['writing', 'verifying', 'publishing']
/** Only the writing differs between targets. */
const phasesOfOthers = isLongRun ? phases : ['writing']

test.each([
  ['mcap', phases],
  ['rlds', phasesOfOthers],
  ['lerobot-v2.1', phasesOfOthers],
  ['gr00t', phasesOfOthers],
  ['openpi-norm-stats', phasesOfOthers],
])(
  '%s: workers killed in one phase after another, and the same checksum as an undisturbed run',
  async (key, killed) => {
    const worker = program.startWorker(patientLeases)
    const calm = await exporter.waitForEnd(versionId, await queue(versionId, key))
    expect(calm).toMatchObject({ status: 'succeeded' })
    // Its own files are made before anybody is killed.
    await exporter.waitForEnd(sameId, await queue(sameId, 'lerobot'))
    await worker.stop(5)
    const jobId = await queue(sameId, key)
    await program.context.db.updateTable('jobs').set({ max_attempts: 30 }).where('state', '=', 'queued').execute()
    for (const phase of killed) await killWorkerIn(program, phase)
    const survivor = program.startWorker(patientLeases)
    const job = await exporter.waitForEnd(sameId, jobId)
    await survivor.stop(5)
    expect(job).toMatchObject({ status: 'succeeded', checksum_sha256: calm.checksum_sha256 })
  },
  120_000,
)

test('several in one go: the worker that writes them killed, and the same checksums as one by one', async () => {
  const keys = ['zarr', 'rlds']
  const calm: string[] = []
  const worker = program.startWorker(patientLeases)
  const fresh = { images: 'png' }
  for (const key of keys) {
    const job = await exporter.waitForEnd(versionId, await queue(versionId, key, key === 'rlds' ? fresh : {}))
    calm.push(job.checksum_sha256)
  }
  await exporter.waitForEnd(sameId, await queue(sameId, 'lerobot'))
  await worker.stop(5)
  const body = { artifact_keys: keys, options: { rlds: fresh } }
  const { body: queued } = await exporter.call('POST', `${versionsPath}/${sameId}/export-jobs`, body)
  await program.context.db.updateTable('jobs').set({ max_attempts: 30 }).where('state', '=', 'queued').execute()
  for (const phase of isLongRun ? ['writing', 'publishing'] : ['writing']) await killWorkerIn(program, phase)
  const survivor = program.startWorker(patientLeases)
  const made: string[] = []
  for (const { id } of queued.jobs) made.push((await exporter.waitForEnd(sameId, id)).checksum_sha256)
  await survivor.stop(5)
  expect(made).toEqual(calm)
}, 120_000)

test('a lease that is lost while a target is written: the attempt ends quietly, and the next one makes it', async () => {
  const { db, connection, log } = program.context
  if (!connection) throw new Error('the program has no database')
  const loud: unknown[] = []
  const hear = (reason: unknown) => loud.push(reason)
  process.on('unhandledRejection', hear)
  let isLost = false
  const handlers = createJobHandlers(program.context).map((handler) => ({
    ...handler,
    run: (run: Parameters<typeof handler.run>[0]) => {
      const lease = new AbortController()
      const signal = AbortSignal.any([run.signal, lease.signal])
      const report: typeof run.report = (progress) => {
        run.report(progress)
        if (isLost || progress.phase !== 'writing') return
        isLost = true
        lease.abort(new JobStop('lost'))
      }
      return handler.run({ ...run, signal, report })
    },
  }))
  const worker = startWorker({
    db,
    connection,
    handlers: collectHandlers(handlers),
    log,
    concurrency: 1,
    settings: patientLeases,
  })
  const job = await exporter.waitForEnd(versionId, await queue(versionId, 'mcap', { video: 'h264' }))
  await worker.stop(5)
  process.off('unhandledRejection', hear)
  expect({ isLost, loud, status: job.status }).toEqual({ isLost: true, loud: [], status: 'succeeded' })
}, 60_000)
