import { once } from 'node:events'
import { chown, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { canBecomeOthers, testWhere } from '../fixtures/test-where.ts'
import { installByRoot } from './other-checkouts.ts'
import { listPostgres } from './processes.ts'
import { checkout, cleanUp, launchProgram, makeFolder, startProgram } from './program.ts'

const nobody = 65534

afterAll(cleanUp)

test('a fresh folder prints an address and a sign-in link; the same folder starts again', async () => {
  const program = await startProgram()
  expect((await program.call('GET', '/api/v1/version')).body.item).toMatchObject({ name: 'nmp', channel: 'stable' })
  expect((await program.call('GET', '/readyz')).body.status).toBe('ready')
  const link = /http:\/\/\S+\/sign-in\?code=\S+/.exec(program.output())?.[0]
  expect(link).toContain(program.url)
  expect(program.output().trimEnd().split('\n').at(-1)).toBe(`listening on ${program.url}`)
  expect(await program.stop()).toBe(0)
  expect(await listPostgres(program.dataDir)).toEqual([])

  const again = await startProgram({ dataDir: program.dataDir })
  const session = await again.mustAdmin('session', 'admin@localhost')
  const me = await again.call('GET', '/api/v1/users/me', { bearer: session })
  expect(me.body.user.email).toBe('admin@localhost')
  expect(await again.stop()).toBe(0)
})

test('SIGTERM lets a request under way finish, takes no new one, and ends with 0 and no PostgreSQL', async () => {
  const program = await startProgram()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const body = JSON.stringify({ name: 'sent slowly' })
  const slow = request(`${program.url}/api/v1/users/me/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'content-length': body.length },
  })
  const answered = once(slow, 'response')
  slow.write(body.slice(0, 5))
  await sleep(500)
  const stopping = program.stop()
  await sleep(1500)
  await expect(program.call('GET', '/api/v1/version')).rejects.toThrow('fetch failed')
  slow.end(body.slice(5))
  const [response] = (await answered) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  expect(await json(response)).toMatchObject({ item: { name: 'sent slowly' } })
  expect(await stopping).toBe(0)
  expect(await listPostgres(program.dataDir)).toEqual([])
})

test('the dev channel runs beside the stable one, each with its own people', async () => {
  const [stable, dev] = await Promise.all([startProgram(), startProgram({ env: { NMP_CHANNEL: 'dev' } })])
  expect((await stable.call('GET', '/api/v1/version')).body.item.channel).toBe('stable')
  expect((await dev.call('GET', '/api/v1/version')).body.item.channel).toBe('dev')
  await dev.mustAdmin('user', 'add', 'only-dev@example.org')
  const { code, stderr } = await stable.admin('session', 'only-dev@example.org')
  expect([code, stderr]).toEqual([1, 'There is no account with the e-mail only-dev@example.org.\n'])
  const devSession = await dev.mustAdmin('session', 'only-dev@example.org')
  expect((await dev.call('GET', '/api/v1/users/me', { bearer: devSession })).status).toBe(200)
  expect((await stable.call('GET', '/api/v1/users/me', { bearer: devSession })).status).toBe(401)
  await Promise.all([stable.stop(), dev.stop()])
})

test('every unusable setting is named at once', async () => {
  const program = await launchProgram({ env: { NMP_PORT: 'many', NMP_CHANNEL: 'beta', NMP_DATABASE_URL: 'mysql://x' } })
  await expect(program.ready).rejects.toThrow('It ended with 1')
  for (const name of ['NMP_PORT', 'NMP_CHANNEL', 'NMP_DATABASE_URL']) expect(program.output()).toContain(`  ${name}: `)
  expect(program.output()).not.toMatch(/^ {4}at /m)
})

test('a folder that a newer program has used is refused', async () => {
  const dataDir = await makeFolder()
  const newer = await startProgram({ dataDir, folder: await makeNewerCheckout() })
  expect(await newer.stop()).toBe(0)
  const older = await launchProgram({ dataDir })
  await expect(older.ready).rejects.toThrow('It ended with 1')
  expect(older.output()).toMatch(/The database has schema version 9999, and this program knows \d+ as the newest/)
  expect(await listPostgres(dataDir)).toEqual([])
})

testWhere(canBecomeOthers)('an ordinary user runs what root has installed', async () => {
  const home = await makeFolder()
  const dataDir = join(home, 'data')
  await mkdir(dataDir)
  for (const folder of [home, dataDir]) await chown(folder, nobody, nobody)
  const folder = await installByRoot()
  const program = await startProgram({ dataDir, folder, env: { HOME: home }, uid: nobody, gid: nobody })
  expect((await program.call('GET', '/api/v1/version')).status).toBe(200)
  expect(await program.stop()).toBe(0)
  expect(await listPostgres(dataDir)).toEqual([])
})

/** This program with one more migration, as the next release will have. */
async function makeNewerCheckout(): Promise<string> {
  const folder = await makeFolder()
  for (const name of ['package.json', 'require-node-24.mjs', 'server'])
    await cp(join(checkout, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules') && !path.includes('/golden'),
    })
  for (const name of await readdir(checkout))
    if (['node_modules', 'formats', 'web', 'sdk'].includes(name))
      await symlink(join(checkout, name), join(folder, name))
  await writeFile(join(folder, 'server/migrations/9999_next_release.sql'), 'create table next_release (id int);\n')
  return folder
}
