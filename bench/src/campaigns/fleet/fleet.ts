import { randomBytes } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findPort } from '../../../../e2e/free-port.ts'
import { waitFor } from '../../../../e2e/processes.ts'
import { checkout, makeFolder, runAdmin } from '../../../../e2e/program.ts'
import { type Line, openLine } from './line.ts'
import { createPart, type Part } from './part.ts'
import { createServer, findPostgres, followBy, type PostgresServer } from './postgres.ts'

/** An API or a worker, with a line of its own to each of the others that it speaks to. */
export interface Member extends Part {
  toDatabase: Line
  toObjects: Line
  /** Where it keeps what it works on. */
  data: string
  env: Record<string, string>
}

export interface Fleet {
  /** Of the reverse proxy: all that clients know. */
  url: string
  proxy: Part
  objects: Part
  apis: Member[]
  workers: Member[]
  database(): { primary: PostgresServer; replica: PostgresServer }
  /** The replica takes the place and the address of the primary, which is dead; a new replica follows it. */
  promote(): Promise<void>
  /** A new replica in the place of one that is gone. */
  replaceReplica(): Promise<void>
  admin(...words: string[]): Promise<string>
  /** Who is started from now on, and every operator command, is the program in another folder. */
  upgradeTo(folder: string): void
  folder: string
  close(): Promise<void>
}

const workerCount = 4

/**
 * Two APIs behind HAProxy by deploy/haproxy.cfg, four workers, PostgreSQL with a streaming replica, an S3 server: each a process of this
 * machine, and every line between two of them one that can be cut.
 */
export async function openFleet(gateway: string): Promise<Fleet> {
  const folder = await makeFolder()
  const bin = await findPostgres()
  let count = 0
  const openServer = (of?: PostgresServer) => createServer(bin, join(folder, `postgres-${count++}`), of)
  let primary = await openServer()
  await primary.start()
  let replica = await openServer(primary)
  await replica.start()
  await followBy(primary, true)

  const secret = randomBytes(16).toString('hex')
  const objectsPort = await findPort()
  await mkdir(join(folder, 'objects', 'nmp'), { recursive: true })
  const objects = createPart({
    name: 'objects',
    program: gateway,
    words: ['--port', `127.0.0.1:${objectsPort}`, '--quiet', '--keep-alive', 'posix', join(folder, 'objects')],
    folder,
    env: { PATH: process.env.PATH ?? '', ROOT_ACCESS_KEY: 'nmp', ROOT_SECRET_KEY: secret },
    port: objectsPort,
    log: join(folder, 'objects.log'),
  })
  await objects.start()

  const proxyPort = await findPort()
  const url = `http://127.0.0.1:${proxyPort}`
  const shared = {
    PATH: process.env.PATH ?? '',
    NMP_PUBLIC_URL: url,
    NMP_HOST: '127.0.0.1',
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
  const lines: Line[] = []
  const replicaLines: Line[] = []
  const lay = async (port: number): Promise<Line> => {
    const line = await openLine(port)
    lines.push(line)
    return line
  }
  const createMember = async (role: 'api' | 'worker', name: string): Promise<Member> => {
    const [toDatabase, toObjects] = [await lay(primary.port), await lay(objectsPort)]
    const port = await findPort()
    const data = join(folder, name)
    await mkdir(data)
    const env: Record<string, string> = {
      ...shared,
      NMP_ROLE: role,
      NMP_PORT: String(port),
      NMP_DATA_DIR: data,
      NMP_DATABASE_URL: primary.url(toDatabase.port),
      NMP_S3_ENDPOINT: `http://127.0.0.1:${toObjects.port}`,
    }
    if (role === 'api') {
      const toReplica = await lay(replica.port)
      replicaLines.push(toReplica)
      env.NMP_DATABASE_REPLICA_URL = primary.url(toReplica.port)
    }
    const part = createPart({
      name,
      program: process.execPath,
      words: ['--import', './require-node-24.mjs', 'server/src/main.ts'],
      folder: checkout,
      env,
      port,
      log: join(folder, `${name}.log`),
    })
    return { ...part, toDatabase, toObjects, data, env }
  }
  const adminEnv = {
    ...shared,
    NMP_DATA_DIR: join(folder, 'admin'),
    NMP_DATABASE_URL: primary.url(),
    NMP_S3_ENDPOINT: `http://127.0.0.1:${objectsPort}`,
  }
  const apis = [await createMember('api', 'api 1'), await createMember('api', 'api 2')]
  const workers: Member[] = []
  for (let number = 1; number <= workerCount; number++) workers.push(await createMember('worker', `worker ${number}`))
  for (const member of [...apis, ...workers]) await member.start()

  const proxy = createPart({
    name: 'proxy',
    program: '/usr/sbin/haproxy',
    words: ['-f', join(checkout, 'deploy/haproxy.cfg')],
    folder,
    env: {
      NMP_LISTEN: `127.0.0.1:${proxyPort}`,
      NMP_API_1: `127.0.0.1:${apis[0]?.port}`,
      NMP_API_2: `127.0.0.1:${apis[1]?.port}`,
    },
    port: proxyPort,
    log: join(folder, 'proxy.log'),
  })
  await proxy.start()
  await waitFor('the fleet to be ready', async () => (await fetch(`${url}/readyz`)).ok)
  // So that who is told where the logs are may read them.
  await chmod(folder, 0o711)

  let program = checkout
  const replaceReplica = async (): Promise<void> => {
    await followBy(primary, false)
    if (replica !== primary) await replica.kill()
    replica = await openServer(primary)
    await replica.start()
    for (const line of replicaLines) line.lead(replica.port)
    await followBy(primary, true)
  }
  return {
    url,
    proxy,
    objects,
    apis,
    workers,
    folder,
    database: () => ({ primary, replica }),
    async promote() {
      await replica.query('select pg_promote()')
      // Commits would wait for a replica that is not there yet.
      await followBy(replica, false)
      primary = replica
      adminEnv.NMP_DATABASE_URL = primary.url()
      for (const { toDatabase } of [...apis, ...workers]) toDatabase.lead(primary.port)
    },
    replaceReplica,
    async admin(...words) {
      const { code, stdout, stderr } = await runAdmin(adminEnv, words, program)
      if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.trim()
    },
    upgradeTo(next) {
      program = next
      for (const member of [...apis, ...workers]) member.change({ folder: next })
    },
    async close() {
      for (const part of [proxy, ...apis, ...workers, objects]) {
        part.signal('SIGCONT')
        await part.kill()
      }
      for (const server of [replica, primary]) {
        server.signal('SIGCONT')
        await server.kill()
      }
      for (const line of lines) line.close()
    },
  }
}
