import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, makeFolder, type Program, runAdmin, startProgram } from './program.ts'
import { type Acknowledged, createRecord, findLost, listAll, readStored, startWriters } from './writers.ts'

const env = { NMP_PUBLIC_URL: 'http://nmp.test' }
const objects = { 'runs/job-1/1/blob-a': randomBytes(3_000_000), 'runs/job-1/1/blob-b': Buffer.alloc(0) }
let folder: string
let file: string
let program: Program
let bearer: string
let org: string
let pat: { item: { id: string }; token: string }
/** What was acknowledged before the backup began: it must be in it. */
let before: Acknowledged
const record = createRecord()

beforeAll(async () => {
  folder = await makeFolder()
  file = join(folder, 'nmp.tar')
  program = await startProgram({ env })
  await program.mustAdmin('user', 'add', 'ada@example.org', '--name', 'Ada', '--password', 'correct horse battery')
  bearer = await program.mustAdmin('session', 'ada@example.org', '--minutes', '170')
  org = (await program.call('GET', '/api/v1/users/me', { bearer })).body.user.org_slugs[0]
  pat = (await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'kept' } })).body
  for (const [key, bytes] of Object.entries(objects)) {
    const path = join(program.dataDir, 'objects', 'objects', key)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  const writers = startWriters({ url: program.url, bearer, org }, record)
  await sleep(1500)
  before = structuredClone(record)
  await program.mustAdmin('backup', file, '--objects')
  await sleep(300)
  await writers.stop()
})
afterAll(cleanUp)

test('one taken under writes starts a program with everything that was acknowledged before it', async () => {
  const dataDir = join(folder, 'restored')
  const { code, stdout, stderr } = await runAdmin({ NMP_DATA_DIR: dataDir }, ['restore', file, '--objects'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^restored \d+ tables with \d+ rows/)
  // The key of the secrets is kept apart from the backup.
  await cp(join(program.dataDir, 'secret.key'), join(dataDir, 'secret.key'))
  const restored = await startProgram({ dataDir, env })
  const place = { url: restored.url, bearer, org }

  // The session made before the backup and the token open the restored program: keys and people are the same.
  const stored = await readStored(place)
  expect(findLost({ ...before, nameSent: record.nameSent }, stored)).toEqual([])
  expect((await restored.call('GET', '/api/v1/users/me', { bearer: pat.token })).status).toBe(200)
  const fresh = await restored.mustAdmin('session', 'ada@example.org')
  expect((await restored.call('GET', '/api/v1/users/me', { bearer: fresh })).body.user.email).toBe('ada@example.org')

  // One moment for all tables: a project is on record if and only if it is there.
  const audit = await listAll(restored.url, `/api/v1/orgs/${org}/audit-events`, bearer)
  const created = audit.filter((event) => event.action === 'project.create')
  const projects = await listAll(restored.url, `/api/v1/orgs/${org}/projects`, bearer)
  expect(new Set(created.map((event) => event.resource_id))).toEqual(new Set(projects.map((project) => project.id)))
  process.stdout.write(
    `backup under writes: ${stored.tokenIds.size} tokens and ${projects.length} projects restored; acknowledged before it ${before.tokenIds.size} and ${before.projectSlugs.size}, after it ${record.tokenIds.size} and ${record.projectSlugs.size}\n`,
  )

  const newest = Math.max(...audit.map((event) => Number(event.id)))
  expect(
    (await restored.call('POST', `/api/v1/orgs/${org}/projects`, { bearer, body: { slug: 'after' } })).status,
  ).toBe(201)
  const [latest] = await listAll(restored.url, `/api/v1/orgs/${org}/audit-events`, bearer)
  expect(Number(latest?.id)).toBeGreaterThan(newest)

  for (const [key, bytes] of Object.entries(objects))
    expect(hash(await readFile(join(dataDir, 'objects', 'objects', key)))).toBe(hash(bytes))
  expect(await restored.stop()).toBe(0)
})

test('a damaged file, a used folder and absent objects are refused, and nothing is changed', async () => {
  const dataDir = join(folder, 'refused')
  const restore = (path: string, ...words: string[]) => runAdmin({ NMP_DATA_DIR: dataDir }, ['restore', path, ...words])
  const size = (await readFile(file)).length
  const cut = join(folder, 'cut.tar')
  await cp(file, cut)
  await truncate(cut, size - 4096)
  const flipped = join(folder, 'flipped.tar')
  const bytes = await readFile(file)
  const place = bytes.indexOf('ada@example.org')
  bytes[place] = (bytes[place] ?? 0) ^ 1
  await writeFile(flipped, bytes)
  for (const path of [cut, flipped]) {
    const { code, stdout, stderr } = await restore(path, '--objects')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^\w+\.tar is damaged or not a backup: .*\. Nothing was changed\.\n$/)
  }
  const listed = join(folder, 'listed.tar')
  await program.mustAdmin('backup', listed)
  expect((await restore(listed, '--objects')).stderr).toContain('made without --objects')
  expect(await readdir(join(dataDir, 'objects', 'objects'))).toEqual([])

  expect((await restore(listed)).code).toBe(0)
  const twice = await restore(listed)
  expect(twice.code).toBe(1)
  expect(twice.stderr).toMatch(/^The database is not empty \(\w+ has rows\): .* Nothing was changed\.\n$/)
  expect((await program.admin('restore', listed)).stderr).toContain('The database is not empty')
  expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([])
})

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
