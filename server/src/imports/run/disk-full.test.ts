import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { ownMounts } from '../../../../fixtures/small-disk.ts'
import { isLongRun } from '../../../../fixtures/test-where.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createFixtureImport, waitForImport } from '../../../test/import-dataset.ts'
import { callProgram, type TestProgram } from '../../../test/program.ts'
import type { ProgramProcessOptions } from '../../../test/program-process.ts'
import { testSecretKey } from '../../../test/secret-key.ts'
import { waitUntil } from '../../../test/wait-until.ts'
import { inTransaction } from '../../db/database.ts'
import { signOperatorSession } from '../../identity/sessions.ts'
import { createUser } from '../../identity/users/service.ts'
import { openSecrets } from '../../secrets/secrets.ts'

/** A data folder of a few megabytes, seen by the program only: a file system of its own in a mount namespace of its own. */
const diskMegabytes = 24
const lerobot = getFixture('lerobot')
const hdf5 = getFixture('hdf5')
const full = expect.stringContaining('The disk is full')
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'

describe('on a disk that is full', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let folder: string
  let child: ChildProcess
  let program: Pick<TestProgram, 'url' | 'call'>
  let bearer: string
  let undisturbed: string

  /** The program's folder as it sees it. */
  const disk = (): string => `/proc/${child.pid}/root${folder}`
  const ballast = (): string => join(disk(), 'ballast')
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(disk())
    return bavail * bsize
  }
  /** The checks of an import before may take the rest meanwhile: then the disk is full sooner. */
  const fill = async (leftBytes: number): Promise<void> => {
    const bytes = Buffer.alloc(Math.max(0, (await freeBytes()) - leftBytes))
    await writeFile(ballast(), bytes).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOSPC') throw cause
    })
  }
  // An option that changes nothing here, and makes the request another one: the same request would take over the result.
  const create = (slug: string, source = join(lerobot, 'recorded-v2.1')) =>
    createFixtureImport(program, bearer, { ...place, slug, folder: source, options: { task: slug } })
  /** Until the first attempt is over and the next one waits. */
  const waitForRetry = async (id: string) => {
    for (;;) {
      const { body } = await program.call('GET', `${path}/${id}`, { bearer })
      if (body.item.attempt_count > 0 && body.item.status !== 'running') return body.item
      await sleep(20)
    }
  }
  const settle = (id: string) => waitForImport(program, bearer, place, id)
  const digestOf = async (id: string) =>
    (await program.call('GET', `${path}/${id}/report`, { bearer })).body.item.result.digest

  beforeAll(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'nmp-small-disk-'))
    const options: ProgramProcessOptions = {
      connection: database.connection,
      dataFolder: folder,
      settings: { backoff: { baseSeconds: 2, capSeconds: 2 }, pollSeconds: 0.2 },
    }
    const entry = join(import.meta.dirname, '../../../test/program-process.ts')
    const script = 'mount -t tmpfs -o "size=$1" nmp "$2" && shift 2 && exec "$@"'
    const command = [process.execPath, entry, JSON.stringify(options)]
    child = spawn('unshare', [...ownMounts, 'sh', '-c', script, 'sh', `${diskMegabytes}m`, folder, ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await once(child.stdout ?? child, 'data')
    const url = String(said).trim()
    program = { url, call: (...words) => callProgram(url, ...words) }
    const user = await inTransaction(database.db, (trx) =>
      createUser(trx, 'operator', { email: 'ada@example.org', displayName: '' }),
    )
    bearer = await signOperatorSession({
      db: database.db,
      secrets: await openSecrets(database.db, { NMP_SECRET_KEY: testSecretKey, NMP_DATA_DIR: folder }),
      publicUrl: url,
      userId: user.id,
      email: user.email,
      minutes: 60,
    })
    const { id } = await create('undisturbed')
    expect(await settle(id)).toMatchObject({ status: 'succeeded' })
    undisturbed = await digestOf(id)
  })
  afterAll(async () => {
    child?.kill('SIGTERM')
    if (child && child.exitCode === null) await once(child, 'exit')
    await database?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  // Nothing is left; enough to begin; enough for almost all.
  test.each(isLongRun ? [0, 100_000, 400_000] : [100_000])(
    'with %i bytes left an import waits, and succeeds once there is space',
    async (leftBytes) => {
      const { id } = await create(`waits-${leftBytes}`)
      await fill(leftBytes)
      const look = async () => (await program.call('GET', `${path}/${id}`, { bearer })).body.item
      let job = await look()
      for (; job.attempt_count === 0 || job.status === 'running'; job = await look()) await sleep(20)
      expect(job).toMatchObject({ status: 'queued', last_error: expect.stringContaining('The disk is full') })
      await rm(ballast())
      expect(await settle(id)).toMatchObject({ status: 'succeeded', consistency_status: 'ok', error_message: null })
      expect(await digestOf(id)).toBe(undisturbed)
      expect(await readdir(join(disk(), 'work'))).toEqual([])
    },
  )

  test('what would take the reserve is refused with 507, while reading goes on', async () => {
    const readiness = async (query = '') => {
      const { status, body } = await program.call('GET', `/readyz${query}`)
      return [status, body.status]
    }
    await fill(40_000)
    await waitUntil(async () => (await readiness())[1] === 'read_only' || undefined)
    expect(await readiness()).toEqual([200, 'read_only'])
    expect(await readiness('?for=writes')).toEqual([503, 'read_only'])
    await expect(create('refused')).rejects.toThrow(/507 .*NMP_DISK_RESERVE_BYTES.*disk_full/)
    const { body } = await program.call('GET', `${path}?q=undisturbed`, { bearer })
    expect((await program.call('GET', `${path}/${body.items[0].id}/report`, { bearer })).status).toBe(200)
    await rm(ballast())
    await waitUntil(async () => (await readiness('?for=writes'))[0] === 200 || undefined)
  })

  test('no episode is left out because its pictures could not be written', async () => {
    const { id } = await create('encoded', join(hdf5, 'act_sim_transfer_cube'))
    await fill(20_000)
    expect(await waitForRetry(id)).toMatchObject({ status: 'queued', last_error: full })
    await rm(ballast())
    expect(await settle(id)).toMatchObject({ status: 'succeeded' })
    const { body } = await program.call('GET', `${path}/${id}/report`, { bearer })
    expect(body.item.counts).toMatchObject({ episodes_imported: 2, episodes_left_out: 0, frames: 100 })
  })

  test('for good an import fails after three attempts, with a report that says so', async () => {
    const { id } = await create('fails')
    await fill(0)
    const job = await settle(id)
    expect(job).toMatchObject({ status: 'failed', attempt_count: 3, error_code: 'disk_full' })
    const { body } = await program.call('GET', `${path}/${id}/report`, { bearer })
    expect(body.item).toMatchObject({ outcome: 'failed', error: { code: 'disk_full', message: job.error_message } })
    await rm(ballast())
    // What stood there before is still whole, and the next import finds its way.
    const next = await create('after')
    expect(await settle(next.id)).toMatchObject({ status: 'succeeded' })
  })
})
