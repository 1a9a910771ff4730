import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { waitFor } from './processes.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const folder = getFixture('lerobot/recorded-v2.1')
const place = { org_slug: 'admin', project_slug: 'default' }
const env = { NMP_PUBLIC_URL: 'http://nmp.test' }

let dataDir: string
let program: Program
let client: Client
let uploads: string[]
let undisturbed: string | undefined

const create = async (slug: string): Promise<string> => {
  // An option that changes nothing here, and makes the request another one: the same request would take over the result.
  const body = { source_kind: 'lerobot', dataset_slug: slug, upload_ids: uploads, options: { task: slug } } as const
  return (await client.imports.createImport({ ...place, body })).item.id
}
const look = async (id: string) => (await client.imports.getImport({ ...place, job_id: id })).item
const settle = async (id: string) => {
  // While the database is away there is no answer.
  const isOver = async () => ((await look(id).catch(() => undefined))?.finished_at ?? null) !== null
  await waitFor(`import ${id} to end`, isOver, 150)
  return look(id)
}
const digestOf = async (id: string) =>
  (await client.imports.getImportReport({ ...place, job_id: id })).item.result?.digest

describe('in the middle of an import', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    dataDir = await makeFolder()
    program = await startProgram({ dataDir, env })
    const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    const scopes = ['workspace:read', 'imports:write']
    const token = (await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'faults', scopes } }))
      .body.token
    client = createClient({ baseUrl: program.url, token })
    const sent = await uploadPaths(client.transport, [folder], { orgSlug: 'admin', projectSlug: 'default' })
    uploads = sent.map(({ id }) => id)
    const id = await create('undisturbed')
    expect(await settle(id)).toMatchObject({ status: 'succeeded' })
    undisturbed = await digestOf(id)
  })
  afterAll(cleanUp)

  test.each(['SIGQUIT', 'SIGKILL'] as const)(
    'PostgreSQL dies by %s, and the import comes to its end',
    async (signal) => {
      const id = await create(`postgres-${signal.toLowerCase()}`)
      await waitFor('the import to run', async () => (await look(id)).status !== 'queued')
      await sleep(300)
      const readPid = async (): Promise<number> =>
        Number((await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
      const pid = await readPid()
      process.kill(pid, signal)
      const job = await settle(id)
      expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok', error_message: null })
      expect(await digestOf(id)).toBe(undisturbed)
      await waitFor('another PostgreSQL', async () => (await readPid().catch(() => pid)) !== pid)
    },
  )

  test('the worker dies by SIGKILL: answers go on, it is started again, and the import comes to its end once', async () => {
    const id = await create('worker-sigkill')
    await waitFor('the import to run', async () => (await look(id)).status === 'running')
    const pid = await program.findProcess('worker')
    expect((await look(id)).claimed_by).toMatch(new RegExp(`:${pid}$`))
    process.kill(pid, 'SIGKILL')
    const readStatus = async () => (await program.call('GET', '/api/v1/status')).body.item
    await waitFor('the status without a worker', async () => (await readStatus()).worker_count === 0)
    expect((await program.call('GET', '/readyz')).status).toBe(200)
    const job = await settle(id)
    expect(job).toMatchObject({ status: 'succeeded', attempt_count: 2, consistency_status: 'ok', error_message: null })
    expect(await digestOf(id)).toBe(undisturbed)
    expect(await readStatus()).toMatchObject({ worker_count: 1, queue: { due_count: 0, running_count: 0 } })
    const lines = program.output().split('\n')
    const told = lines.filter((line) => line.includes('the worker ended')).map((line) => JSON.parse(line))
    expect(told).toMatchObject([{ worker: expect.stringMatching(`:${pid}$`), signal: 'SIGKILL', waitSeconds: 1 }])
    expect(program.output()).toContain('the worker runs again')
    const { body: metrics } = await program.call('GET', '/metrics')
    expect(metrics).toContain('nmp_worker_restarts_total 1\n')
    expect(metrics).toContain('nmp_jobs_finished_total{process="worker"} 1\n')
    expect(metrics).toMatch(
      /^process_resident_memory_bytes \d+\nprocess_resident_memory_bytes\{process="worker"\} \d+$/m,
    )
  })

  test('and after all of it the store is whole and every import is there once', async () => {
    const { items } = await client.imports.listImports(place)
    expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
    expect(new Set(items.map((item) => item.dataset_id)).size).toBe(4)
    expect(await program.mustAdmin('check', '--deep', '--second-look', '1')).toMatch(/contents: \d+ checked, 0 wrong/)
    expect(await program.stop()).toBe(0)
  })
})
