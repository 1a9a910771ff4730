import { type ChildProcess, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { warmCode } from './code-cache.ts'
import { type ProcessBounds, type Sandbox, wrapCommand } from './sandbox.ts'

/** What a process that starts children starts; it cannot write to the cache itself. */
const childEntries = ['../hdf5/entry.ts', '../hdf5/write-entry.ts', '../codec/entry.ts'].map(
  (path) => new URL(path, import.meta.url),
)

export interface ProcessOptions {
  args?: readonly string[]
  /** The JavaScript heap, where other memory needs most of the bound. */
  heapBytes?: number
  env?: Record<string, string>
  /** By Node's channel instead of stdin and stdout. */
  hasChannel?: boolean
}

/** Starts Node on `entry` as the leader of its own process group, in a sandbox and with no environment of ours. */
export function startProcess(
  entry: URL,
  bounds: ProcessBounds,
  sandbox: Sandbox,
  options: ProcessOptions = {},
): ChildProcess {
  const { args = [], heapBytes = bounds.memoryBytes, env = {}, hasChannel = false } = options
  const heapMegabytes = Math.max(64, Math.floor(heapBytes / 1024 ** 2))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMegabytes}`]
  const command = [...node, fileURLToPath(entry), ...args]
  const [program = '', ...words] = wrapCommand(entry, bounds, sandbox, { command, hasChannel })
  const cache = getCompileCacheDir()
  if (cache) for (const each of sandbox.startsChildren ? [entry, ...childEntries] : [entry]) warmCode(each, cache)
  return spawn(program, words, {
    cwd: '/',
    env: { ...(cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}), ...env },
    stdio: hasChannel ? ['ignore', 'ignore', 'pipe', 'ipc'] : ['pipe', 'pipe', 'pipe'],
    serialization: 'advanced',
    detached: true,
  })
}

/** Nobody's program goes on for its sake; whoever waits for it has a clock running. */
export function restProcess(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref()
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Ends what a process that has ended left behind in its group: whoever takes over its files must find that nobody writes them. */
export function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}
