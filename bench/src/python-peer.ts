import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const findPython = async (): Promise<string | undefined> => {
  for (const name of ['python3.12', 'python3', 'python']) {
    const isRecent = run(name, ['-c', 'import sys; assert sys.version_info >= (3, 10); import venv'], {
      timeout: 10_000,
    })
    if (await isRecent.then(Boolean, () => false)) return name
  }
  return undefined
}

/** The interpreter of a virtual environment with these packages, made once under `NMP_CACHE_DIR` (default `.cache`). Throws when there is no way to make it. */
export const openPythonPeer = async (name: string, packages: readonly string[]): Promise<string> => {
  const folder = resolve(process.env.NMP_CACHE_DIR ?? '.cache', `bench-${name}`)
  const interpreter = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return interpreter
  const python = await findPython()
  if (python === undefined) throw new Error('there is no Python 3.10 or newer on this machine')
  await mkdir(folder, { recursive: true })
  await run(python, ['-m', 'venv', '--clear', folder], { timeout: 60_000 })
  await run(interpreter, ['-m', 'pip', 'install', '--quiet', ...packages], { timeout: 180_000 })
  await writeFile(complete, packages.join('\n'))
  return interpreter
}

/** h5py, with which files of other people are made and read. */
export const openH5py = (): Promise<string> => openPythonPeer('h5py', ['h5py==3.16.0', 'numpy==2.2.6'])

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
    socket.once('connect', () => socket.destroy())
  })

/** Starts a Python program that listens on the port given as its first argument, and waits until it does. */
export const startPythonServer = async (
  interpreter: string,
  args: readonly [script: string, ...rest: string[]],
): Promise<{ port: number; child: ChildProcess }> => {
  const port = await findFreePort()
  const [script, ...rest] = args
  const child = spawn(interpreter, [script, String(port), ...rest], { stdio: ['ignore', 'ignore', 'inherit'] })
  for (let waited = 0; waited < 30_000; waited += 100) {
    if (await isOpen(port)) return { port, child }
    if (child.exitCode !== null) break
    await sleep(100)
  }
  child.kill()
  throw new Error(`${script} did not start to listen`)
}
