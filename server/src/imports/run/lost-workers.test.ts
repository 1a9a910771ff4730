import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { isLongRun } from '../../../../fixtures/test-where.ts'
import { type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { waitForImport } from '../../../test/import-dataset.ts'
import type { JobWorkerOptions, Trap } from '../../../test/job-worker.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { inTransaction } from '../../db/database.ts'
import { sweepJobs } from '../../jobs/statements/sweep-jobs.ts'
import { collectRuns } from '../../storage/care/collection.ts'

/** Each phase is struck once: where it has words of its own in its middle, else at its beginning. */
const everyMoment: Omit<Trap, 'signal'>[] = [
  { phase: 'fetch', message: 'MB are fetched' },
  { phase: 'detect' },
  { phase: 'inspect' },
  { phase: 'convert', message: 'episodes are written' },
  { phase: 'verify' },
  { phase: 'previews' },
  { phase: 'read_model' },
  { phase: 'publish', message: '3 of' },
]
/** Before anything is written, while the dataset is, and while it is published. */
const moments = everyMoment.filter(({ phase }) => isLongRun || ['fetch', 'convert', 'publish'].includes(phase))
const hdf5 = getFixture('hdf5')
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'
const settings = {
  leaseSeconds: 10,
  heartbeatSeconds: 0.5,
  sweepSeconds: 0.5,
  pollSeconds: 0.2,
  backoff: { baseSeconds: 0.05, capSeconds: 0.1 },
  maxRunningPerOrg: 99,
}

let program: TestProgram
let hub: HubServer
let bearer: string
let undisturbed: string | null
const workers = new Set<ChildProcess>()

// Options about pictures change nothing where there are none, and make each request another one: the same request would take
// over the result of the first.
const variants = [null, 'av1', 'h264'].flatMap((video_codec) =>
  [null, true, false].flatMap((flip_vertical) =>
    [null, 'rgb', 'bgr'].map((color_order) => ({ video_codec, flip_vertical, color_order })),
  ),
)

const create = async (slug: string): Promise<string> => {
  const source = { source_kind: 'huggingface', hf_repo_id: 'lab/set', options: variants.pop() }
  const { body } = await program.call('POST', path, { bearer, body: { ...source, dataset_slug: slug } })
  return body.item.id
}

const findResult = (id: string) =>
  program.context.db
    .selectFrom('jobs')
    .select(['result_digest', 'result_epoch', 'attempt_count', 'consistency_status'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const countRevisions = async (id: string): Promise<number> => {
  const { db } = program.context
  return (await db.selectFrom('dataset_revisions').select('id').where('import_id', '=', id).execute()).length
}

function startTrapped(trap: Trap): ChildProcess {
  const { connection, config } = program.context
  if (!connection) throw new Error('no connection')
  const env = { NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow }
  const options: JobWorkerOptions = {
    connection,
    dataFolder: config.NMP_DATA_DIR,
    // Each takes one import and leaves those of the others alone.
    settings: { ...settings, sweepSeconds: 3600 },
    concurrency: 1,
    env,
    trap,
  }
  const entry = join(import.meta.dirname, '../../../test/job-worker.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  workers.add(child)
  child.once('exit', () => workers.delete(child))
  return child
}

async function waitUntil(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 240_000
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}; ${JSON.stringify(await listPhases())}`)
    await sleep(20)
  }
}

const listPhases = () =>
  program.context.db.selectFrom('jobs').select(['state', 'attempt_count', 'progress_phase', 'last_error']).execute()

const isStopped = ({ pid }: ChildProcess): boolean =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T') ?? false

/** After a collection: objects that no row names, and folders that attempts worked in. */
async function listLeavings(): Promise<string[]> {
  const { db, storage, config } = program.context
  await collectRuns(db, storage, { listActiveJobs: async () => new Set(), graceSeconds: -60 })
  const known = new Set((await db.selectFrom('blobs').select('store_key').execute()).map((row) => row.store_key))
  const left: string[] = []
  for await (const { key } of storage.listObjects('runs/')) if (!known.has(key)) left.push(key)
  return [...left, ...(await readdir(join(config.NMP_DATA_DIR, 'work')).catch(() => []))]
}

async function expectOneResult(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await waitForImport(program, bearer, place, id)).toMatchObject({ status: 'succeeded', attempt_count: 3 })
    expect(await findResult(id)).toEqual({
      result_digest: undisturbed,
      result_epoch: 3,
      attempt_count: 3,
      consistency_status: 'ok',
    })
    expect(await countRevisions(id)).toBe(1)
  }
}

describe('a worker that is lost at any phase of an import', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    const content = await readFile(join(hdf5, 'robomimic_lift_low_dim.hdf5'))
    hub = await startHubServer(undefined, { extra: [{ path: 'lift.hdf5', content, isLarge: true }] })
    program = await startProgram({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow })
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    const worker = program.startWorker(settings)
    const id = await create('undisturbed')
    expect(await waitForImport(program, bearer, place, id)).toMatchObject({ status: 'succeeded' })
    undisturbed = (await findResult(id)).result_digest
    await worker.stop()
  })
  afterAll(async () => {
    for (const child of workers) child.kill('SIGKILL')
    await program?.close()
    await hub?.close()
  })

  test('first by a freeze beyond its lease, then by kill -9, costs attempts and nothing else', async () => {
    const { db } = program.context
    const ids: string[] = []
    for (const { phase } of moments) ids.push(await create(`lost-at-${phase.replace('_', '-')}`))
    const frozen = moments.map((moment) => startTrapped({ ...moment, signal: 'SIGSTOP' }))
    for (const child of frozen) await waitUntil('a worker is frozen', () => isStopped(child))
    await sleep(settings.leaseSeconds * 1000)
    expect(await inTransaction(db, (trx) => sweepJobs(trx, settings.backoff))).toHaveLength(moments.length)

    const killed = moments.map((moment) => startTrapped({ ...moment, signal: 'SIGKILL' }))
    for (const child of killed) await waitUntil('a worker is dead', () => child.signalCode === 'SIGKILL')

    // It runs beside this test in one process, and must not be lost however busy the machine is.
    const worker = program.startWorker({ ...settings, leaseSeconds: 60 })
    await expectOneResult(ids)
    // Those that were frozen go on with what they did then, and are refused.
    const ends = frozen.map((child) => once(child, 'exit'))
    for (const child of frozen) child.kill('SIGCONT')
    await sleep(2000)
    for (const child of frozen) child.kill('SIGTERM')
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual(moments.map(() => 0))
    await worker.stop()
    await expectOneResult(ids)
    expect(await listLeavings()).toEqual([])
  })
})
