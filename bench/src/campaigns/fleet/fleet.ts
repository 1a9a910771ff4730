import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { waitFor } from '../../../../e2e/processes.ts'
import type { Machines, Member, Objects, Part, PostgresServer } from './machines.ts'
import { followBy } from './postgres-query.ts'

export interface Fleet {
  /** Of the reverse proxy: all that clients know. */
  url: string
  proxy: Part
  objects: Objects
  apis: Member[]
  workers: Member[]
  database(): { primary: PostgresServer; replica: PostgresServer }
  /** The replica takes the place and the address of the primary, which is dead; a new replica follows it. */
  promote(): Promise<void>
  /** A new replica in the place of one that is gone. */
  replaceReplica(): Promise<void>
  admin(...words: string[]): Promise<string>
  upgrade(): Promise<void>
  /** Of every member. */
  settings: Record<string, string>
  folder: string
}

const workerCount = 4

/** Two APIs behind HAProxy, four workers, PostgreSQL with a streaming replica, an S3 server. Who opened the machines closes them. */
export async function openFleet(machines: Machines): Promise<Fleet> {
  const { url, folder } = machines
  let primary = await machines.createPostgres()
  await machines.lead('database', primary)
  await primary.start()
  let replica = await machines.createPostgres(primary)
  await machines.lead('replica', replica)
  await replica.start()
  await followBy(primary, true)

  const secret = randomBytes(16).toString('hex')
  const objects = await machines.createObjects(secret)
  await objects.start()
  const settings = {
    NMP_PUBLIC_URL: url,
    NMP_SECRET_KEY: randomBytes(32).toString('base64'),
    NMP_S3_BUCKET: 'nmp',
    NMP_S3_ACCESS_KEY_ID: 'nmp',
    NMP_S3_SECRET_ACCESS_KEY: secret,
    NMP_DEMO: '0',
    NMP_RATE_LIMIT: '0',
    NMP_TRUST_PROXY: '1',
    NMP_CHECK_PICTURES_MAX_BYTES: '0',
    NMP_JOB_CONCURRENCY: '1',
    NMP_LOG_LEVEL: 'warn',
  }
  const apis = [
    await machines.createMember('api', 'api 1', settings),
    await machines.createMember('api', 'api 2', settings),
  ]
  const workers: Member[] = []
  for (let number = 1; number <= workerCount; number++)
    workers.push(await machines.createMember('worker', `worker ${number}`, settings))
  for (const member of [...apis, ...workers]) await member.start()
  const proxy = await machines.createProxy(apis)
  await proxy.start()
  await waitFor('the fleet to be ready', async () => (await fetch(`${url}/readyz`)).ok)
  // So that who is told where the logs are may read them.
  await chmod(folder, 0o711)

  return {
    url,
    proxy,
    objects,
    apis,
    workers,
    settings,
    folder,
    database: () => ({ primary, replica }),
    async promote() {
      await replica.query('select pg_promote()')
      // Commits would wait for a replica that is not there yet.
      await followBy(replica, false)
      primary = replica
      await machines.lead('database', primary)
    },
    async replaceReplica() {
      await followBy(primary, false)
      if (replica !== primary) await replica.kill()
      replica = await machines.createPostgres(primary)
      await machines.lead('replica', replica)
      await replica.start()
      await followBy(primary, true)
    },
    async admin(...words) {
      const { code, stdout, stderr } = await machines.runAdmin(settings, words)
      if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.trim()
    },
    upgrade: machines.upgrade,
  }
}
