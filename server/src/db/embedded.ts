import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync } from 'node:fs'
import { mkdir, readFile, realpath, rmdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Account, chooseAccount } from './account.ts'
import { locatePostgres, type PostgresBinaries } from './binaries.ts'
import { childEnvironment, clusterUser, createCluster, own, readOrCreatePassword } from './cluster.ts'
import { holdPipe } from './held-pipe.ts'
import { findPostmaster, isPidFileStale, isProcessAlive, type Postmaster } from './postmaster.ts'
import { requireStartRoom } from './start-room.ts'

export interface EmbeddedConnection {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  findPid(): number | undefined
  /** Lets go of the server; it stops when nobody else uses it, and then the promise waits for that. */
  stop(): Promise<void>
}

interface EmbeddedOptions {
  folder: string
  log: Log
  /** A folder with `postgres` and `initdb`, instead of the npm package. */
  binFolder?: string | undefined
  /** Server settings beside ours, such as `fsync: 'off'` in tests. */
  settings?: Record<string, string>
  /** How long it may take to answer, where it has much to play back first. */
  startSeconds?: number
  /** How often it is tried when it ends at once. */
  maxLaunches?: number
  /** How long the folder may be locked without a server on this machine: one that ends here needs a moment. */
  elsewhereSeconds?: number
}

const port = 5432
const usualStartSeconds = 60
const usualLaunches = 3
const usualElsewhereSeconds = 10
const lockedCode = 73
const stopSeconds = 30
const watchMilliseconds = 1000

/**
 * Runs PostgreSQL beside a reader of the pipe: when the last holder is gone the read ends and the server gets a fast shutdown. The lock of
 * the folder is held by the shell and by every process of the server, on this machine, in another container or, where the file system
 * knows locks, on another machine: PostgreSQL's own pid file says nothing where numbers of processes mean something else.
 */
const script = `trap "" INT TERM HUP; L=$1; K=$2; H=$3; S=$4; shift 4; exec 9>>"$K"
if command -v flock >/dev/null; then flock -n 9 || exit ${lockedCode}; fi
printf '%s\\n' "$H" >"$K"; [ -z "$S" ] || rm -f "$S"
"$@" & P=$!; ( read -r _; kill -INT $P ) <"$L" 9>&- & W=$!; wait $P; R=$?; kill -9 $W; wait $W; exit $R`

/**
 * PostgreSQL in a folder, shared by every process of this machine that opens it: the first starts the server, the
 * others join, it lives until the last of them is gone, and whoever is left starts it again should it die.
 */
export const openEmbeddedPostgres = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  if (!existsSync(join(options.folder, 'data'))) await requireStartRoom(options.folder, 'new')
  await mkdir(options.folder, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new Error(
      `The data folder ${options.folder} cannot be made: ${describeError(cause)}. Make it for this user, or correct NMP_DATA_DIR.`,
      { cause },
    )
  })
  const folder = await realpath(options.folder)
  const dataFolder = join(folder, 'data')
  // Older programs that share the folder open the pipe under this name.
  const pipePath = join(folder, 'lifeline')
  const lockPath = join(folder, 'lock')
  const { log, startSeconds = usualStartSeconds, maxLaunches = usualLaunches } = options
  const { elsewhereSeconds = usualElsewhereSeconds } = options
  const account = chooseAccount(folder, dataFolder, log)
  const password = await readOrCreatePassword(folder, account)
  const binaries = await locatePostgres({ binFolder: options.binFolder, linkFolder: join(folder, 'lib') })
  const pipe = await holdPipe(pipePath)
  await own(pipePath, account)
  await createCluster(folder, dataFolder, binaries, account)
  const connection = { host: '', port, user: clusterUser, password, database: 'postgres' }

  const launch = async (): Promise<ChildProcess> => {
    await requireStartRoom(folder, 'existing')
    connection.host = await createSocketFolder(folder, account)
    const stale = isPidFileStale(dataFolder) ? join(dataFolder, 'postmaster.pid') : ''
    const words = [
      pipePath,
      lockPath,
      hostname(),
      stale,
      ...serverWords(binaries, dataFolder, account, connection.host, options.settings),
    ]
    const output = openSync(join(folder, 'start.log'), 'w', 0o600)
    const identity = account.uid === undefined ? {} : { uid: account.uid, gid: account.gid ?? account.uid }
    const child = spawn('/bin/sh', ['-c', script, 'nmp-postgres', ...words], {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...childEnvironment, ...binaries.env },
      cwd: '/',
      ...identity,
    })
    closeSync(output)
    child.unref()
    child.on('error', (error) => log.error({ error: describeError(error) }, 'PostgreSQL could not be spawned'))
    child.on('exit', () => void watch())
    shell = child
    return child
  }

  const ensureRunning = async (): Promise<void> => {
    const deadline = performance.now() + startSeconds * 1000
    let child: ChildProcess | undefined
    let launches = 0
    let lockedSince: number | undefined
    for (;;) {
      const server = findPostmaster(dataFolder)
      if (server && (await answers(connection, server))) return
      if (performance.now() > deadline) throw await startError(folder, `it did not answer within ${startSeconds} s`)
      if (!server && (!child || child.exitCode !== null || child.signalCode !== null)) {
        // Two that start together: the lock lets one win, and the loser finds the winner above.
        if (child?.exitCode === lockedCode) {
          lockedSince ??= performance.now()
          if (performance.now() - lockedSince > elsewhereSeconds * 1000) throw await elsewhereError(folder, lockPath)
          launches -= 1
          await sleep(200)
        }
        if (launches === maxLaunches) throw await startError(folder, 'it ended at once')
        child = await launch()
        launches += 1
      }
      await sleep(20)
    }
  }

  let shell: ChildProcess | undefined
  let stopping = false
  let restarting: Promise<void> | undefined
  const watch = async (): Promise<void> => {
    if (stopping || restarting || findPostmaster(dataFolder)) return
    log.warn({ folder }, 'PostgreSQL is gone: starting it again')
    restarting = ensureRunning()
      .catch((error) => log.error({ error: describeError(error) }, 'PostgreSQL could not be started again'))
      .finally(() => {
        restarting = undefined
      })
    await restarting
  }

  restarting = ensureRunning()
  try {
    await restarting
  } catch (error) {
    stopping = true
    pipe.release()
    throw error
  } finally {
    restarting = undefined
  }
  const watcher = setInterval(() => void watch(), watchMilliseconds).unref()

  return {
    connection,
    findPid: () => findPostmaster(dataFolder)?.pid,
    stop: async () => {
      stopping = true
      clearInterval(watcher)
      await restarting
      const server = findPostmaster(dataFolder)
      if (!pipe.release()) return
      const deadline = performance.now() + stopSeconds * 1000
      // PostgreSQL removes its pid file some milliseconds before it ends, so the process itself is waited for; and the shell that ran it.
      const isThere = (): boolean =>
        findPostmaster(dataFolder) !== undefined ||
        (server !== undefined && isProcessAlive(server.pid)) ||
        (shell !== undefined && shell.exitCode === null && shell.signalCode === null)
      while (isThere() && performance.now() < deadline) await sleep(10)
      await rmdir(connection.host).catch(() => undefined)
    },
  }
}

/** Under /tmp with a short name, since a socket path holds 107 bytes; refuses a folder that someone else laid there. */
const createSocketFolder = async (folder: string, account: Account): Promise<string> => {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const path = `/tmp/nmp-${name}`
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = lstatSync(path)
  const allowed = [process.getuid?.() ?? found.uid, account.uid]
  if (!found.isDirectory() || !allowed.includes(found.uid)) {
    throw new Error(`${path} belongs to someone else, and PostgreSQL's socket must be there. Remove it.`)
  }
  await own(path, account)
  return path
}

const serverWords = (
  binaries: PostgresBinaries,
  dataFolder: string,
  account: Account,
  socketFolder: string,
  settings: Record<string, string> = {},
): string[] => {
  const all = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    port: String(port),
    shared_buffers: '128MB',
    // What a backup that does not come along may hold of the log; then it is given up, and the next begins anew.
    max_slot_wal_keep_size: '8GB',
    logging_collector: 'on',
    log_directory: 'log',
    log_filename: 'postgres-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_size: '10MB',
    ...settings,
  }
  const pairs = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [...account.prefix, binaries.postgres, '-D', dataFolder, ...pairs]
}

/** Whether the server takes connections; full is running too. A wrong password is the one answer that waiting cannot change. */
const answers = async (connection: EmbeddedConnection, server: Postmaster): Promise<boolean> => {
  if (!server.socketFolder) return false
  connection.host = server.socketFolder
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === '53300') return true
    if (code === '28P01') {
      throw new Error('The embedded PostgreSQL refuses the password in its folder: the file was changed or replaced.', {
        cause: error,
      })
    }
    return false
  }
}

const startError = async (folder: string, what: string): Promise<Error> => {
  const said = await readFile(join(folder, 'start.log'), 'utf8').catch(() => '')
  return new Error(
    `The embedded PostgreSQL in ${folder} does not start: ${what}. It said: ${said.trim().slice(-2000) || 'nothing'}`,
  )
}

const elsewhereError = async (folder: string, lockPath: string): Promise<Error> => {
  const holder = (await readFile(lockPath, 'utf8').catch(() => '')).trim()
  return new Error(
    `The embedded database in ${folder} is in use on another machine or in another container${holder && ` (${holder})`}, and one place at a time may run it. Stop the program there, or give all of them NMP_DATABASE_URL and NMP_S3_BUCKET.`,
  )
}
