import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { isLongRun } from '../../../../fixtures/test-where.ts'
import { type HubServer, startHubServer } from '../../../test/hub-server.ts'
import { createFixtureImport, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

const fixtures = getFixture('lerobot')
const folder = join(fixtures, 'recorded-v2.1')
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'
const quick = { backoff: { baseSeconds: 0.05, capSeconds: 0.1 }, pollSeconds: 0.2 }

let program: TestProgram
let hub: HubServer
let bearer: string
let digest: string | null
let seconds: number
let created = 0

const findResult = async (id: string) => {
  const { db } = program.context
  return db
    .selectFrom('jobs')
    .select(['result_digest', 'attempt_count', 'claim_epoch', 'state'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
// An option that changes nothing here, and makes the request another one: the same request would take over the result.
const create = (name: string) => {
  created += 1
  const slug = `${name}-${created}`
  return createFixtureImport(program, bearer, { ...place, slug, folder, options: { task: slug } })
}
const settle = (id: string) => waitForImport(program, bearer, place, id)

async function listLeavings(importId: string): Promise<string[]> {
  const { db, storage, config } = program.context
  const known = new Set((await db.selectFrom('blobs').select('store_key').execute()).map((row) => row.store_key))
  const left: string[] = []
  for await (const { key } of storage.listObjects(`runs/${importId}/`)) if (!known.has(key)) left.push(key)
  return [...left, ...(await readdir(join(config.NMP_DATA_DIR, 'work')).catch(() => []))]
}

/** Processes that prepare a revision for this test's program. */
const listPreparers = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid)
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('prepare-entry')
      } catch {
        return false
      }
    })

async function waitForPreparer(): Promise<number> {
  for (;;) {
    const [pid] = listPreparers()
    if (pid !== undefined) return pid
    await sleep(10)
  }
}

describe('an attempt that is stopped', () => {
  beforeAll(async () => {
    hub = await startHubServer(folder)
    program = await startProgram({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow })
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    const worker = program.startWorker(quick)
    const startedAt = performance.now()
    const { id } = await settle((await create('undisturbed')).id)
    seconds = (performance.now() - startedAt) / 1000
    digest = (await findResult(id)).result_digest
    await worker.stop(0)
  })
  afterAll(async () => {
    await program?.close()
    await hub?.close()
  })

  test('anywhere is done again by another worker, with the same result', async () => {
    for (const share of isLongRun ? [0.1, 0.3, 0.45, 0.6, 0.75, 0.9] : [0.3, 0.75]) {
      const { id } = await create(`stopped-${share * 100}`)
      const first = program.startWorker(quick)
      await sleep(share * seconds * 1000)
      await first.stop(0)
      const left = await findResult(id)
      if (left.state !== 'succeeded') expect(left).toMatchObject({ state: 'queued', attempt_count: 0 })
      expect(await listLeavings(id)).toEqual([])
      const second = program.startWorker(quick)
      expect(await settle(id)).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
      await second.stop(0)
      expect((await findResult(id)).result_digest).toBe(digest)
      expect(await listLeavings(id)).toEqual([])
    }
    expect(listPreparers()).toEqual([])
  }, 180_000)

  test('by the death of its process is tried once more, and no third time', async () => {
    const worker = program.startWorker(quick)
    const once = await create('killed-once')
    process.kill(await waitForPreparer(), 'SIGKILL')
    expect(await settle(once.id)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    expect((await findResult(once.id)).result_digest).toBe(digest)
    const twice = await create('killed-twice')
    const first = await waitForPreparer()
    process.kill(first, 'SIGKILL')
    while (listPreparers().includes(first)) await sleep(10)
    process.kill(await waitForPreparer(), 'SIGKILL')
    const job = await settle(twice.id)
    expect(job).toMatchObject({ status: 'failed', error_code: 'source_file_crashes_parser', attempt_count: 2 })
    await worker.stop(0)
    const { body } = await program.call('GET', '/api/v1/users/me/notifications', { bearer })
    expect(body.items[0]).toMatchObject({ kind: 'import_fail', severity: 'error', resource_id: twice.id })
    const audit = await program.call('GET', '/api/v1/orgs/ada/audit-events', { bearer })
    expect(audit.body.items[0]).toMatchObject({ action: 'import.fail', resource_id: twice.id })
  }, 120_000)

  test('by a cancel leaves no process, no folder and no object', async () => {
    const worker = program.startWorker(quick)
    const { id } = await create('canceled')
    // Held where it is, so that the cancel comes before its end on any machine.
    process.kill(await waitForPreparer(), 'SIGSTOP')
    const answer = await program.call('POST', `${path}/${id}/cancel`, { bearer })
    expect(answer.status).toBe(200)
    const startedAt = performance.now()
    expect(await settle(id)).toMatchObject({ status: 'canceled', dataset_id: null })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(listPreparers()).toEqual([])
    expect(await listLeavings(id)).toEqual([])
    await worker.stop(0)
  }, 60_000)

  test('while it fetches does not fetch again what it has', async () => {
    const body = { source_kind: 'huggingface', hf_repo_id: 'lab/set', dataset_slug: 'hub' }
    const created = await program.call('POST', path, { bearer, body })
    const { id } = created.body.item
    hub.setFaults({ kind: 'status', status: 503, on: /episode_000003/ })
    const first = program.startWorker(quick)
    const { db } = program.context
    const countFetched = async () =>
      (await db.selectFrom('import_files').select('path').where('import_id', '=', id).execute()).length
    while ((await countFetched()) < 3) await sleep(20)
    await first.stop(0)
    const fetched = await db.selectFrom('import_files').select('path').where('import_id', '=', id).execute()
    hub.setFaults()
    const before = hub.requests.length
    const second = program.startWorker(quick)
    const job = await settle(id)
    await second.stop(0)
    expect(job).toMatchObject({ status: 'succeeded', hf_revision: hub.commit, error_message: null })
    const later = hub.requests.slice(before)
    for (const file of fetched)
      expect(later.filter((line) => line.includes(`/resolve/`) && line.includes(file.path))).toEqual([])
    expect(job.downloaded_bytes).toBe(job.total_bytes)
  }, 120_000)
})
