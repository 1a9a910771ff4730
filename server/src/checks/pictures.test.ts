import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { apply as selectEpisodes } from '@nmp/formats/steps/select-episodes'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { importFixture } from '../../test/import-dataset.ts'
import type { JobWorkerOptions, Trap } from '../../test/job-worker.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import type { Worker } from '../jobs/worker.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { packTraces, unpackTraces } from './seen-pictures.ts'

const base = '/api/v1/orgs/pictures-lab/projects/lab/datasets'
const folder = `${getFixture('lerobot')}/recorded-v3.0-two-cameras`
const smaller = `${getFixture('lerobot')}/recorded-v3.0-lerobot-0.4.4`
/** Between the two. */
const limit = '250000'
const settings = {
  leaseSeconds: 3,
  heartbeatSeconds: 0.5,
  sweepSeconds: 0.5,
  pollSeconds: 0.2,
  backoff: { baseSeconds: 0.05, capSeconds: 0.1 },
}

let program: TestProgram
let bearer: string
let place: { orgId: string; projectId: string }
let worker: Worker | undefined
const children = new Set<ChildProcess>()

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const read = async (id: string, path = '') =>
  (await call('GET', `/api/v1/catalog/datasets/${id}/checks${path}`)).body.item

const waitForPictures = (id: string) =>
  waitUntil(async () => {
    const { pictures } = await read(id)
    return ['queued', 'running'].includes(pictures.status) ? undefined : pictures
  })

const startTrapped = (trap: Trap): ChildProcess => {
  const { connection, config } = program.context
  if (!connection) throw new Error('no connection')
  const options: JobWorkerOptions = { connection, dataFolder: config.NMP_DATA_DIR, settings, concurrency: 1, trap }
  const entry = join(import.meta.dirname, '../../test/job-worker.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

const listSeen = (ownerId: string) =>
  program.context.db.selectFrom('seen_pictures').selectAll().where('owner_id', '=', ownerId).execute()

/** As if the camera had been dark: only who goes by what was kept can find that, since the film is not. */
const darken = async (ownerId: string) => {
  for (const row of await listSeen(ownerId)) {
    const dark = (await unpackTraces(row.traces, 0)).map((traces) => ({
      ...traces,
      brightness: traces.brightness.map(() => 1),
      contrast: traces.contrast.map(() => 0),
    }))
    await program.context.db
      .updateTable('seen_pictures')
      .set({ traces: await packTraces(dark) })
      .where('owner_id', '=', ownerId)
      .where('episode_sha256', '=', row.episode_sha256)
      .execute()
  }
}

const listDark = async (id: string): Promise<number[]> => {
  const { items } = await read(id, '/findings?rule=black-frames')
  return [...new Set<number>(items.map(({ episode_index: index }: { episode_index: number }) => index))].sort()
}

describe('pictures', () => {
  beforeAll(async () => {
    program = await startProgram({ NMP_CHECK_PICTURES_MAX_BYTES: limit })
    const { db } = program.context
    const admin = await program.addUser('pictures-admin@example.org')
    const org = await createOrg(db, 'operator', { slug: 'pictures-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    bearer = await program.signIn(admin)
    place = { orgId: org.id, projectId: project.id }
  }, 120_000)
  afterEach(async () => {
    await worker?.stop(5)
    worker = undefined
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await program.close()
  })

  test('an import has its numbers at once, and a job of its own for its pictures', async () => {
    worker = program.startWorker(settings)
    const input = { org: 'pictures-lab', project: 'lab', slug: 'imported', folder: smaller }
    const job = await importFixture(program, bearer, input)
    const id = job.dataset_id ?? ''
    const first = await read(id)
    expect(first.signals).toMatchObject({ status: 'succeeded', job_id: null })
    expect(first.pictures.job_id).toMatch(/^chk_/)
    expect(first.rules.find(({ id: rule }: { id: string }) => rule === 'length')).toBeDefined()
    expect(await waitForPictures(id)).toMatchObject({ status: 'succeeded' })
    const rules = (await read(id)).rules.map(({ id: rule }: { id: string }) => rule)
    expect(rules).toContain('frozen-camera')
    const seen = await listSeen(id)
    await importFixture(program, bearer, { ...input, options: { task: 'Another text' } })
    expect(await waitForPictures(id)).toMatchObject({ status: 'succeeded' })
    expect(await read(id)).toMatchObject({ revision_number: 2 })
    expect((await listSeen(id)).length).toBe(seen.length)
    await call('PUT', `${base}/imported/checks/settings`, { pictures: 'never' })
    await importFixture(program, bearer, { ...input, options: { task: 'A third text' } })
    const { settings: kept, pictures } = await read(id)
    expect(kept.pictures).toBe('never')
    expect(pictures).toMatchObject({ status: 'skipped', message: expect.stringContaining('by the settings') })
    // Larger than what is looked at by itself.
    await call('PUT', `${base}/imported/checks/settings`, { pictures: 'always' })
    await importFixture(program, bearer, { ...input, folder })
    expect(await waitForPictures(id)).toMatchObject({ status: 'succeeded', job_id: expect.stringMatching(/^chk_/) })
    expect((await call('GET', `${base}/imported`)).body.item.size_bytes).toBeGreaterThan(Number(limit))
  }, 300_000)

  test('a run whose worker was killed goes on where it was', async () => {
    const { datasetId } = await publishFolder(program.context, folder, { ...place, slug: 'killed' })
    await call('POST', `${base}/killed/checks`, {})
    const child = startTrapped({ phase: 'rules', message: '2 of', signal: 'SIGKILL' })
    await once(child, 'exit')
    const kept = await listSeen(datasetId)
    expect(kept).toHaveLength(2)
    await darken(datasetId)
    worker = program.startWorker(settings)
    expect(await waitForPictures(datasetId)).toMatchObject({ status: 'succeeded' })
    expect(await listDark(datasetId)).toEqual([0, 1])
  }, 120_000)

  test('a canceled run stops, and keeps what it has seen', async () => {
    const { datasetId } = await publishFolder(program.context, folder, { ...place, slug: 'canceled' })
    await call('POST', `${base}/canceled/checks`, {})
    const queued = await call('POST', `${base}/canceled/checks/cancel`)
    expect(queued.body.item.pictures).toMatchObject({ status: 'canceled' })
    await call('POST', `${base}/canceled/checks`, {})
    const child = startTrapped({ phase: 'rules', message: '1 of', signal: 'SIGSTOP' })
    await waitUntil(async () => ((await listSeen(datasetId)).length > 0 ? true : undefined))
    const canceled = await call('POST', `${base}/canceled/checks/cancel`)
    expect(canceled.status).toBe(200)
    child.kill('SIGCONT')
    expect(await waitForPictures(datasetId)).toMatchObject({ status: 'canceled', message: 'The checks were canceled.' })
    child.kill('SIGTERM')
    expect((await listSeen(datasetId)).length).toBeLessThan((await read(datasetId)).pictures.total)
  }, 120_000)

  test('a later revision takes over what was seen in the episodes that are the same', async () => {
    const at = { ...place, slug: 'carried' }
    const { datasetId } = await publishFolder(program.context, folder, at)
    worker = program.startWorker(settings)
    await call('POST', `${base}/carried/checks`, {})
    await waitForPictures(datasetId)
    expect(await listDark(datasetId)).toEqual([])
    await darken(datasetId)
    await publishFolder(program.context, folder, at, (dataset) => selectEpisodes(dataset, { selected: [1, 3] }))
    expect((await read(datasetId)).pictures.status).toBe('none')
    await call('POST', `${base}/carried/checks`, {})
    expect(await waitForPictures(datasetId)).toMatchObject({ status: 'succeeded', total: 2 })
    expect(await listDark(datasetId)).toEqual([0, 1])
  }, 120_000)
})
