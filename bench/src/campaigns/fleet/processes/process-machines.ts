import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findPort } from '../../../../../e2e/free-port.ts'
import { installNewer } from '../../../../../e2e/other-checkouts.ts'
import { checkout, makeFolder, runAdmin } from '../../../../../e2e/program.ts'
import {
  type DatabasePlace,
  type Machines,
  type Member,
  nextMigration,
  type Part,
  type PostgresServer,
} from '../machines.ts'
import { type Line, openLine } from './line.ts'
import { createProcess, type ProcessPart } from './process-part.ts'
import { createServer, findPostgres } from './process-postgres.ts'

const smallDiskBytes = 3_000_000

/** Everything is a process of this machine, and every line between a member and what it speaks to one that can be cut. */
export async function openProcesses(gateway: string): Promise<Machines> {
  const folder = await makeFolder()
  const bin = await findPostgres()
  const path = process.env.PATH ?? ''
  const proxyPort = await findPort()
  const objectsPort = await findPort()
  const parts: Part[] = []
  const members: ProcessPart[] = []
  const servers: PostgresServer[] = []
  const lines: Line[] = []
  const places: Record<DatabasePlace, { port: number; lines: Line[] }> = {
    database: { port: 0, lines: [] },
    replica: { port: 0, lines: [] },
  }
  let program = checkout

  const lay = async (port: number): Promise<Line> => {
    const line = await openLine(port)
    lines.push(line)
    return line
  }
  const layTo = async (place: DatabasePlace): Promise<Line> => {
    const line = await lay(places[place].port)
    places[place].lines.push(line)
    return line
  }
  const keep = (part: ProcessPart): ProcessPart => {
    parts.push(part)
    return part
  }
  const addressOf = (port: number) => `postgres://nmp@127.0.0.1:${port}/postgres`

  return {
    url: `http://127.0.0.1:${proxyPort}`,
    folder,
    async createPostgres(of) {
      const server = await createServer(bin, join(folder, `postgres-${servers.length}`), of)
      servers.push(server)
      return server
    },
    async lead(place, server) {
      places[place].port = Number(new URL(server.url).port)
      for (const line of places[place].lines) line.lead(places[place].port)
    },
    async createObjects(secret) {
      await mkdir(join(folder, 'objects', 'nmp'), { recursive: true })
      const part = keep(
        createProcess({
          name: 'objects',
          program: gateway,
          words: ['--port', `127.0.0.1:${objectsPort}`, '--quiet', '--keep-alive', 'posix', join(folder, 'objects')],
          folder,
          env: { PATH: path, ROOT_ACCESS_KEY: 'nmp', ROOT_SECRET_KEY: secret },
          port: objectsPort,
          log: join(folder, 'objects.log'),
        }),
      )
      return { ...part, url: `http://127.0.0.1:${objectsPort}` }
    },
    async createMember(role, name, settings) {
      const [toDatabase, toObjects] = [await layTo('database'), await lay(objectsPort)]
      const port = await findPort()
      const data = join(folder, name)
      await mkdir(data)
      const env: Record<string, string> = {
        PATH: path,
        ...settings,
        NMP_HOST: '127.0.0.1',
        NMP_ROLE: role,
        NMP_PORT: String(port),
        NMP_DATA_DIR: data,
        NMP_DATABASE_URL: addressOf(toDatabase.port),
        NMP_S3_ENDPOINT: `http://127.0.0.1:${toObjects.port}`,
      }
      if (role === 'api') env.NMP_DATABASE_REPLICA_URL = addressOf((await layTo('replica')).port)
      const part = createProcess({
        name,
        program: process.execPath,
        words: ['--import', './require-node-24.mjs', 'server/src/main.ts'],
        folder: checkout,
        env,
        port,
        log: join(folder, `${name}.log`),
      })
      members.push(keep(part))
      return {
        ...part,
        url: `http://127.0.0.1:${port}`,
        toDatabase,
        toObjects,
        startOnFullDisk: () => startOnFullDisk(part, data, env),
      }
    },
    async createProxy([one, other]) {
      return keep(
        createProcess({
          name: 'proxy',
          program: '/usr/sbin/haproxy',
          words: ['-f', join(checkout, 'deploy/haproxy.cfg')],
          folder,
          env: {
            NMP_LISTEN: `127.0.0.1:${proxyPort}`,
            NMP_API_1: new URL(one?.url ?? '').host,
            NMP_API_2: new URL(other?.url ?? '').host,
          },
          port: proxyPort,
          log: join(folder, 'proxy.log'),
        }),
      )
    },
    runAdmin: (settings, words) =>
      runAdmin(
        {
          PATH: path,
          ...settings,
          NMP_DATA_DIR: join(folder, 'admin'),
          NMP_DATABASE_URL: addressOf(places.database.port),
          NMP_S3_ENDPOINT: `http://127.0.0.1:${objectsPort}`,
        },
        words,
        program,
      ),
    async upgrade() {
      program = await installNewer(nextMigration)
      for (const member of members) member.change({ folder: program })
    },
    async close() {
      for (const part of parts) {
        await part.resume()
        await part.kill()
      }
      for (const server of servers) await server.kill()
      for (const line of lines) line.close()
    },
  }
}

async function startOnFullDisk(
  part: ProcessPart,
  data: string,
  env: Record<string, string>,
): ReturnType<Member['startOnFullDisk']> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDiskBytes},mode=700`, 'nmp', data])
  const leave = async (): Promise<void> => {
    await part.stop()
    execFileSync('umount', ['--lazy', data])
    part.change({ env })
  }
  try {
    part.change({ env: { ...env, NMP_DISK_RESERVE_BYTES: '0', TMPDIR: data } })
    await part.start()
    const rest = execFileSync('df', ['--output=avail', '--block-size=1', data], { encoding: 'utf8' })
    const free = Math.max(0, Number(rest.trim().split('\n')[1]) - 64_000)
    execFileSync('dd', ['if=/dev/zero', `of=${data}/filler`, `bs=${free}`, 'count=1'], { stdio: 'ignore' })
    return leave
  } catch (error) {
    await leave()
    throw error
  }
}
