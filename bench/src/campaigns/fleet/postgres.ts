import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPort } from '../../../../e2e/free-port.ts'
import { waitFor } from '../../../../e2e/processes.ts'
import { endWithUs, isAlive, signalGroup } from './part.ts'

const execute = promisify(execFile)

/** One server of PostgreSQL as Debian ships it, with fsync on. */
export interface PostgresServer {
  port: number
  url(port?: number): string
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** `kill -9` of all its processes. */
  kill(): Promise<void>
  query(text: string): Promise<pg.QueryResult>
}

const user = 'postgres'

/** Programs of the newest PostgreSQL that Debian has installed. */
export async function findPostgres(): Promise<string> {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? (await readdir(root)).sort((one, other) => Number(other) - Number(one)) : []
  const found = versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_basebackup')))
  if (!found) throw new Error('The fleet needs PostgreSQL of Debian: apt-get install postgresql.')
  return found
}

/** A server of its own, or with `of` a streaming replica of that one. */
export async function createServer(bin: string, folder: string, of?: PostgresServer): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const port = await findPort()
  await mkdir(folder, { recursive: true })
  await execute('chown', [user, folder])
  // Its folder lies in one of ours, which only we may enter.
  await chmod(join(folder, '..'), 0o711)
  const run = (program: string, ...words: string[]) =>
    execute('setpriv', ['--reuid', user, '--regid', user, '--clear-groups', join(bin, program), ...words], {
      cwd: folder,
    })
  if (of) {
    await run('pg_basebackup', '-D', data, '-d', of.url(), '-X', 'stream', '-R', '-c', 'fast')
  } else {
    await run('initdb', '-D', data, '-U', 'nmp', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--auth', 'trust')
    await appendFile(join(data, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n')
  }
  await writeFile(
    join(data, 'postgresql.auto.conf'),
    `${of ? `primary_conninfo = '${of.url()}'\n` : ''}port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\nwal_level = replica\nhot_standby = on\n`,
  )
  let child: ChildProcess | undefined
  const url = (at = port): string => `postgres://nmp@127.0.0.1:${at}/postgres`
  const query = async (text: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 2000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.query(text)
    } finally {
      await client.end().catch(() => {})
    }
  }
  const signal = (name: NodeJS.Signals): void => {
    if (child) signalGroup(child, name)
  }
  return {
    port,
    url,
    query,
    signal,
    async start() {
      child = spawn(
        'setpriv',
        ['--reuid', user, '--regid', user, '--clear-groups', join(bin, 'postgres'), '-D', data],
        { cwd: folder, detached: true, stdio: 'ignore' },
      )
      endWithUs(child)
      await waitFor(
        'PostgreSQL to answer',
        () =>
          query('select 1').then(
            () => true,
            () => false,
          ),
        60,
      )
    },
    async kill() {
      const gone = child && isAlive(child) ? once(child, 'exit') : undefined
      // Its processes are groups of their own: without its first one they end by themselves.
      signal('SIGKILL')
      await gone
    },
  }
}

/** Every commit is on both disks before it is acknowledged, as a managed service promises that swaps them. */
export const followBy = async (server: PostgresServer, isFollowed: boolean): Promise<void> => {
  await server.query(`alter system set synchronous_standby_names = '${isFollowed ? '*' : ''}'`)
  await server.query('select pg_reload_conf()')
}
