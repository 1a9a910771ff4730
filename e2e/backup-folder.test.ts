import { randomBytes } from 'node:crypto'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { waitFor } from './processes.ts'
import { cleanUp, makeFolder, runAdmin, startProgram } from './program.ts'

afterAll(cleanUp)

test('a program that was killed and whose data folder is lost comes back as of a time, by one command', async () => {
  const folder = await makeFolder()
  const [store, key] = [join(folder, 'store'), join(folder, 'key')]
  await mkdir(store)
  expect((await runAdmin({}, ['backup-key', key])).code).toBe(0)
  const env = { NMP_PUBLIC_URL: 'http://nmp.test' }
  const kept = { ...env, NMP_BACKUP_DIR: store, NMP_BACKUP_KEY_FILE: key, NMP_BACKUP_SECONDS: '1' }
  const program = await startProgram({ env: kept, dataDir: join(folder, 'data') })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
  const org = (await program.call('GET', '/api/v1/users/me', { bearer })).body.user.org_slugs[0]
  const create = async (slug: string): Promise<void> => {
    const { status } = await program.call('POST', `/api/v1/orgs/${org}/projects`, { bearer, body: { slug } })
    expect(status).toBe(201)
  }
  /** By the names of its log: everything up to this time is in the folder. */
  const isCovered = async (time: number): Promise<boolean> => {
    const names = await readdir(join(store, 'chains'), { recursive: true }).catch(() => [])
    const ends = names.map((name) => Number(/-(\d{13})-(?:full|added|idle)$/.exec(name)?.[1] ?? 0))
    return names.some((name) => name.includes('base-')) && Math.max(...ends) >= time
  }
  await waitFor('the first copy', () => isCovered(0))

  const tus = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const bytes = randomBytes(100_000)
  const created = await program.call('POST', '/api/v1/uploads', {
    headers: {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from('a.hdf5').toString('base64')}`,
    },
  })
  const { pathname } = new URL(created.headers.get('location') ?? '')
  const sent = await fetch(program.url + pathname, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes,
  })
  expect(sent.status).toBe(204)
  await create('before')
  await sleep(5)
  const at = new Date()
  await sleep(5)
  await create('after')
  await waitFor('the log up to the time', () => isCovered(at.getTime()))
  await program.kill()

  const dataDir = join(folder, 'restored')
  const restore = (...words: string[]) =>
    runAdmin({ NMP_DATA_DIR: dataDir, NMP_BACKUP_KEY_FILE: key }, ['restore', store, ...words])
  const early = await restore('--at', '2020-01-01T00:00Z')
  expect([early.code, early.stdout]).toEqual([1, ''])
  expect(early.stderr).toMatch(/^2020-01-01T00:00:00\.000Z cannot be restored\. .* Nothing was changed\.\n$/)
  expect((await restore('--at', 'noon')).code).toBe(2)
  const restored = await restore('--at', at.toISOString())
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  expect(restored.stdout).toContain(`everything as of ${at.toISOString()}`)
  await cp(join(program.dataDir, 'secret.key'), join(dataDir, 'secret.key'))

  const again = await startProgram({ env, dataDir })
  const { body } = await again.call('GET', `/api/v1/orgs/${org}/projects`, { bearer })
  const slugs = (body.items as { project_slug: string }[]).map((project) => project.project_slug)
  expect(slugs).toContain('before')
  expect(slugs).not.toContain('after')
  const head = await fetch(again.url + pathname, { method: 'HEAD', headers: tus })
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(bytes.length)])
  expect(await again.mustAdmin('check', '--deep', '--second-look', '0')).toContain('0 wrong')
  expect(await again.stop()).toBe(0)
}, 300_000)
