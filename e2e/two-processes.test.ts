import { afterAll, expect, test } from 'vitest'
import { listPostgres, waitFor } from './processes.ts'
import { cleanUp, startProgram } from './program.ts'

afterAll(cleanUp)

test('a second program joins the database of the first, and outlives it', async () => {
  const env = { NMP_PUBLIC_URL: 'http://nmp.test' }
  const first = await startProgram({ env })
  const { dataDir } = first
  const second = await startProgram({ dataDir, env })
  const servers = (await listPostgres(dataDir)).filter(
    (line) => /\/postgres -D/.test(line) && !line.includes('/bin/sh'),
  )
  expect(servers).toHaveLength(1)
  const bearer = await first.mustAdmin('session', 'admin@localhost')
  const token = (await first.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'by the first' } })).body
  expect((await second.call('GET', '/api/v1/users/me', { bearer: token.token })).status).toBe(200)

  await first.kill()
  for (const name of ['one', 'two', 'three']) {
    const made = await second.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name } })
    expect(made.status).toBe(200)
  }
  const third = await startProgram({ dataDir, env })
  const names = (await third.call('GET', '/api/v1/users/me/tokens', { bearer })).body.items.map(
    (item: { name: string }) => item.name,
  )
  expect(names).toEqual(['three', 'two', 'one', 'by the first'])
  await third.kill()
  expect((await second.call('GET', '/readyz')).body.status).toBe('ready')
  expect(await second.stop()).toBe(0)
  expect(await listPostgres(dataDir)).toEqual([])
})

test('kill -9 of the process that answers leaves none of the others', async () => {
  const program = await startProgram()
  await program.findProcess('worker')
  process.kill(await program.findProcess('api'), 'SIGKILL')
  await waitFor('every process to end', async () => (await program.listProcesses()).length === 0)
  await waitFor('PostgreSQL to end', async () => (await listPostgres(program.dataDir)).length === 0)
})

test('NMP_WORKER_PROCESSES=0 runs jobs in the process that answers', async () => {
  const program = await startProgram({ env: { NMP_WORKER_PROCESSES: '0' } })
  await waitFor('the worker', async () => (await program.call('GET', '/api/v1/status')).body.item.worker_count === 1)
  expect((await program.listProcesses()).filter(({ args }) => args.includes('worker-entry'))).toEqual([])
  expect((await program.call('GET', '/metrics')).body).toContain('nmp_jobs_claimed_total 0\n')
  expect(await program.stop()).toBe(0)
})
