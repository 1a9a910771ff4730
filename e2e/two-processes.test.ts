import { afterAll, expect, test } from 'vitest'
import { listPostgres } from './processes.ts'
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
