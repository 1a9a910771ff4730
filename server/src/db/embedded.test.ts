import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { canBecomeOthers, hasProgram, testWhere } from '../../../fixtures/test-where.ts'
import { locatePostgres } from './binaries.ts'
import { openDatabase } from './database.ts'
import { openEmbeddedPostgres } from './embedded.ts'
import { migrateDatabase, readSchemaVersion } from './migrations.ts'
import { isProcessAlive } from './postmaster.ts'

const program = join(import.meta.dirname, '..', '..', 'test', 'postgres-process.ts')
const nobody = 65534

let parent: string
let folder: string
const started: ChildProcess[] = []

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'nmp-embedded-'))
  folder = join(parent, 'postgres')
})

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await until(() => processesOf(folder).length === 0)
  await rm(parent, { recursive: true, force: true, maxRetries: 5 })
})

const spawnProgram = (options: SpawnOptions = {}): ChildProcess => {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  started.push(child)
  return child
}

interface Ready {
  child: ChildProcess
  connection: pg.ClientConfig
  pid: number
}

const ready = async (child: ChildProcess): Promise<Ready> => {
  if (!child.stdout) throw new Error('no output')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the program ended with ${code}`))),
  ])
  return { child, ...JSON.parse(line) }
}

const start = (options?: SpawnOptions): Promise<Ready> => ready(spawnProgram(options))

const query = async (connection: pg.ClientConfig, text: string): Promise<unknown[]> => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const processesOf = (path: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(join(path, 'data')))
    .map(Number)

/** Without the shell that waits for the server: where the process that started it was killed, it ends a moment later. */
const serversOf = (path: string): number[] =>
  processesOf(path).filter((pid) => !commandLine(String(pid)).startsWith('/bin/sh'))

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 400) throw new Error('it did not come about in 20 s')
    await sleep(50)
  }
}

test('kill -9 leaves no server behind, and the next start has every row', async () => {
  const first = await start()
  await query(first.connection, 'create table kept as select generate_series(1, 1000) as n')
  first.child.kill('SIGKILL')
  await until(() => serversOf(folder).length === 0)
  const second = await start()
  expect(await query(second.connection, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }])
})

test('SIGTERM stops the server before the program ends, and its socket folder goes too', async () => {
  const { child, connection } = await start()
  expect(statSync(connection.host ?? '').mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(connection.host ?? '')).toBe(false)
  expect(processesOf(folder)).toEqual([])
})

test('a second process joins, and keeps its connection when the first is killed', async () => {
  const first = await start()
  const second = await start()
  expect(second.pid).toBe(first.pid)
  const client = new pg.Client(second.connection)
  await client.connect()
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  await sleep(1500)
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
  second.child.kill('SIGTERM')
  await once(second.child, 'exit')
  expect(serversOf(folder)).toEqual([])
})

test('whoever is left starts a server that died again', async () => {
  const first = await start()
  const second = await start()
  await query(first.connection, 'create table kept (n int); insert into kept values (1)')
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  process.kill(first.pid, 'SIGKILL')
  await until(() =>
    query(second.connection, 'select n from kept').then(
      () => true,
      () => false,
    ),
  )
  expect(isProcessAlive(first.pid)).toBe(false)
})

test('processes that start together on an empty folder make one cluster', async () => {
  const all = await Promise.all([start(), start(), start()])
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
  expect(readdirSync(folder).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

test('a crash in initdb leaves no half cluster', async () => {
  const child = spawnProgram()
  await until(() => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('data.init')))
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(existsSync(join(folder, 'data'))).toBe(false)
  const { connection } = await start()
  expect(await query(connection, 'show data_checksums')).toEqual([{ data_checksums: 'on' }])
  expect(readdirSync(folder).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

testWhere(canBecomeOthers)('an ordinary user runs it, and root can use that folder too', async () => {
  chownSync(parent, nobody, nobody)
  const first = await start({ uid: nobody, gid: nobody })
  await query(first.connection, 'create table kept (n int)')
  expect(statSync(join(folder, 'data')).uid).toBe(nobody)
  first.child.kill('SIGTERM')
  await once(first.child, 'exit')
  const second = await start()
  expect(await query(second.connection, 'select n from kept')).toEqual([])
  expect(statSync(`/proc/${second.pid}`).uid).toBe(nobody)
})

testWhere(canBecomeOthers)('root without user namespaces drops to another user, or says what to do', async () => {
  const bin = join(parent, 'bin')
  await mkdir(bin)
  symlinkSync('/usr/bin/mkfifo', join(bin, 'mkfifo'))
  await expect(start({ env: { PATH: bin }, stdio: ['ignore', 'pipe', 'ignore'] })).rejects.toThrow('ended with 1')
  execFileSync('chmod', ['755', parent])
  const { pid } = await start({ env: { PATH: bin } })
  expect(statSync(`/proc/${pid}`).uid).toBe(nobody)
})

testWhere(canBecomeOthers)('library links of a read-only package are made elsewhere', async () => {
  const { postgres } = await locatePostgres({ linkFolder: parent })
  const copy = join(parent, 'package', 'native')
  await cp(dirname(dirname(postgres)), copy, {
    recursive: true,
    filter: (source) => !/\.so(\.\d+)*$/.test(source) || !lstatSync(source).isSymbolicLink(),
  })
  execFileSync('chmod', ['755', parent])
  await mkdir(folder)
  chownSync(folder, nobody, nobody)
  const linking = join(import.meta.dirname, '..', '..', 'test', 'link-process.ts')
  const words = [linking, join(parent, 'package'), join(folder, 'lib')]
  const said = execFileSync(process.execPath, words, { uid: nobody, gid: nobody, encoding: 'utf8' })
  // Under `npm run coverage` Node hands its own setting on.
  expect(said).toMatch(/^LD_LIBRARY_PATH(,NODE_V8_COVERAGE)? postgres \(PostgreSQL\) 18.*\ninitdb \(PostgreSQL\) 18/)
})

test('the embedded PostgreSQL is a released one, whatever its package is called', async () => {
  const { postgres, env } = await locatePostgres({ linkFolder: parent })
  const said = execFileSync(postgres, ['--version'], { env, encoding: 'utf8' })
  const [, major, minor] = /^postgres \(PostgreSQL\) (\d+)\.(\d+)\n$/.exec(said) ?? []
  expect(major, said).toBeDefined()
  const { optionalDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  for (const version of Object.values(optionalDependencies)) expect(version).toMatch(`${major}.${minor}.0-`)
})

const systemFolder = ['15', '16', '17', '18']
  .map((major) => `/usr/lib/postgresql/${major}/bin`)
  .find((path) => existsSync(path))

testWhere(systemFolder !== undefined)('a PostgreSQL of the system serves as well, from 15 on', async () => {
  const log = pino({ level: 'silent' })
  const postgres = await openEmbeddedPostgres({ folder, log, binFolder: systemFolder })
  const { pool, close } = openDatabase({ connection: postgres.connection, log })
  expect(await migrateDatabase(pool)).toBe(await readSchemaVersion())
  await close()
  await postgres.stop()
})

testWhere(hasProgram('flock'))(
  'a folder in use in another container is refused, with the name of the place',
  async () => {
    const log = pino({ level: 'silent' })
    const here = await openEmbeddedPostgres({ folder, log })
    await here.stop()
    // As seen from here: the lock is held, and the pid file names a process that is another program on this machine.
    const elsewhere = spawn('flock', ['--no-fork', join(folder, 'lock'), 'sleep', '600'])
    started.push(elsewhere)
    await until(() => spawnSync('flock', ['--nonblock', join(folder, 'lock'), 'true']).status === 1)
    const pidFile = join(folder, 'data', 'postmaster.pid')
    writeFileSync(pidFile, `${elsewhere.pid}\n${join(folder, 'data')}\n\n5432\n/tmp\n`)
    await expect(openEmbeddedPostgres({ folder, log, elsewhereSeconds: 0.3 })).rejects.toThrow(
      `is in use on another machine or in another container (${hostname()})`,
    )
    expect(readFileSync(pidFile, 'utf8')).toContain(`${elsewhere.pid}\n`)
    elsewhere.kill('SIGKILL')
    await once(elsewhere, 'exit')
    const again = await openEmbeddedPostgres({ folder, log })
    await again.stop()
  },
)
