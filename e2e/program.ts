import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listGroup, listPostgres, waitFor } from './processes.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
  body: any
}

export interface CallOptions {
  bearer?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

export interface Program {
  /** Where it listens. */
  url: string
  dataDir: string
  /** The process that answers, and the one that runs jobs beside it, which is another after it has died. */
  findProcess(which: 'api' | 'worker'): Promise<number>
  /** Every process of it that lives, npm included. */
  listProcesses(): Promise<{ pid: number; args: string }[]>
  /** All it has said so far, on both outputs. */
  output(): string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** An operator command beside it, with its settings. */
  admin(...words: string[]): Promise<CommandResult>
  /** The same, for what must succeed; answers what it printed. */
  mustAdmin(...words: string[]): Promise<string>
  /** SIGTERM to `npm start`, as a service manager would; answers its exit code. */
  stop(): Promise<number>
  /** `kill -9` of the program and of npm. PostgreSQL is nobody's child and must notice by itself. */
  kill(): Promise<void>
}

export interface StartOptions {
  dataDir?: string
  env?: Record<string, string>
  /** Another checkout than this one. */
  folder?: string
  uid?: number
  gid?: number
}

export const checkout = join(import.meta.dirname, '..')
const startSeconds = 120
/** A restore to a minute on a busy machine took more than two minutes. */
const commandSeconds = 900
const stopSeconds = 60

const running = new Set<ChildProcess>()
const folders: string[] = []
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

/** A new folder under the system's temporary one. `cleanUp` removes it. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-e2e-'))
  folders.push(folder)
  return folder
}

/** For `afterAll`: no program and no folder stays behind, whatever happened. */
export async function cleanUp(): Promise<void> {
  for (const child of running) signalGroup(child, 'SIGKILL')
  for (const folder of folders.splice(0)) {
    await waitFor('PostgreSQL to end', async () => (await listPostgres(folder)).length === 0)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** The program as the README starts it, on a data folder of its own and a free port; ready when this returns. */
export async function startProgram(options: StartOptions = {}): Promise<Program> {
  const program = await launchProgram(options)
  const url = await program.ready
  return { ...program, url, call: (method, path, call) => callUrl(url, method, path, call) }
}

type Launched = Omit<Program, 'url' | 'call'> & {
  /** The address; rejects when the program ends before it listens. */
  ready: Promise<string>
}

export async function launchProgram({
  dataDir,
  env = {},
  folder = checkout,
  uid,
  gid,
}: StartOptions): Promise<Launched> {
  const data = dataDir ?? (await makeFolder())
  const settings = {
    ...ownEnvironment(),
    NMP_PORT: '0',
    NMP_DATA_DIR: data,
    NMP_RATE_LIMIT: '0',
    NMP_DEMO: 'account',
    // A job after every import is for the tests that look at it.
    NMP_CHECK_PICTURES_MAX_BYTES: '0',
    ...env,
  }
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
  })
  running.add(child)
  let said = ''
  let exitCode: number | undefined
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})
  const timer = setTimeout(() => ready.reject(new Error(`It does not listen:\n${said}`)), startSeconds * 1000)
  const hear = (chunk: Buffer): void => {
    said += chunk
    const address = /^listening on (http:\/\/\S+)$/m.exec(said)?.[1]
    if (address) ready.resolve(address)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.on('exit', (code, signal) => {
    exitCode = code ?? (signal === 'SIGTERM' ? 143 : 137)
  })
  child.on('close', () => {
    clearTimeout(timer)
    ready.reject(new Error(`It ended with ${exitCode}:\n${said}`))
  })
  ready.promise.then(
    () => clearTimeout(timer),
    () => {},
  )
  const ended = async (): Promise<void> => {
    if (exitCode === undefined) await Promise.race([once(child, 'exit'), timeOut(stopSeconds, () => said)])
    await waitFor('the program to end', async () => !signalGroup(child, 0))
    running.delete(child)
  }
  const listProcesses = () => listGroup(child.pid ?? -1)
  const admin = (...words: string[]): Promise<CommandResult> => runAdmin(settings, words)
  return {
    ready: ready.promise,
    dataDir: data,
    output: () => said,
    listProcesses,
    findProcess: async (which) => {
      const entry = `server/src/${which === 'api' ? 'main' : 'worker-entry'}.ts`
      const find = async () =>
        (await listProcesses()).find(({ args }) => /^\S*node /.test(args) && args.includes(entry))
      await waitFor(`the process of the ${which}`, async () => (await find()) !== undefined)
      return (await find())?.pid ?? -1
    },
    admin,
    mustAdmin: async (...words) => {
      const { code, stdout, stderr } = await admin(...words)
      if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.trim()
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended()
      return exitCode ?? -1
    },
    kill: async () => {
      signalGroup(child, 'SIGKILL')
      await ended()
    },
  }
}

/** An operator command, with no program running or beside one. */
export const runAdmin = (env: Record<string, string>, words: string[], folder = checkout): Promise<CommandResult> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      ['--import', './require-node-24.mjs', 'server/src/admin/main.ts', ...words],
      { cwd: folder, env: { ...ownEnvironment(), ...env }, maxBuffer: 1 << 24, timeout: commandSeconds * 1000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    ),
  )

export async function callUrl(
  url: string,
  method: string,
  path: string,
  { bearer, body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

const timeOut = async (seconds: number, describe: () => string): Promise<never> => {
  await sleep(seconds * 1000, undefined, { ref: false })
  throw new Error(`It did not end within ${seconds} s:\n${describe()}`)
}

/** Ours without the settings of whoever runs the tests. */
const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(NMP_|npm_|VITEST|NODE_)/.test(name) ? [] : [[name, value]],
    ),
  )

function signalGroup(child: ChildProcess, name: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false
  try {
    return process.kill(-child.pid, name)
  } catch {
    return false
  }
}
