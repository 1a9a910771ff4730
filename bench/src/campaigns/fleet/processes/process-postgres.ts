import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPort } from '../../../../../e2e/free-port.ts'
import type { PostgresServer } from '../machines.ts'
import { query, waitUntilItAnswers } from '../postgres-query.ts'
import { endWithUs, isAlive, signalGroup } from './process-part.ts'

const execute = promisify(execFile)
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

/** A server as Debian ships it, with fsync on; with `of` a streaming replica of that one. */
export async function createServer(bin: string, folder: string, of?: PostgresServer): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const port = await findPort()
  await mkdir(folder, { recursive: true })
  await execute('chown', [user, folder])
  // Its folder lies in one of ours, which only we may enter.
  await chmod(join(folder, '..'), 0o711)
  const asUser = ['--reuid', user, '--regid', user, '--clear-groups']
  const run = (program: string, ...words: string[]) =>
    execute('setpriv', [...asUser, join(bin, program), ...words], { cwd: folder })
  if (of) {
    await run('pg_basebackup', '-D', data, '-d', of.url, '-X', 'stream', '-R', '-c', 'fast')
  } else {
    await run('initdb', '-D', data, '-U', 'nmp', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--auth', 'trust')
    await appendFile(join(data, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n')
  }
  await writeFile(
    join(data, 'postgresql.auto.conf'),
    `${of ? `primary_conninfo = '${of.url}'\n` : ''}port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\nwal_level = replica\nhot_standby = on\n`,
  )
  let child: ChildProcess | undefined
  const url = `postgres://nmp@127.0.0.1:${port}/postgres`
  return {
    url,
    query: (text) => query(url, text),
    async start() {
      child = spawn('setpriv', [...asUser, join(bin, 'postgres'), '-D', data], {
        cwd: folder,
        detached: true,
        stdio: 'ignore',
      })
      endWithUs(child)
      await waitUntilItAnswers(url)
    },
    async kill() {
      if (!child || !isAlive(child)) return
      const gone = once(child, 'exit')
      // Its processes are groups of their own: without its first one they end by themselves.
      signalGroup(child, 'SIGKILL')
      await gone
    },
  }
}
