import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ChildMessage, decodePrefix, prefixBytes } from './message.ts'

const prlimitPath = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))
const setprivPath = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))

export interface ProcessBounds {
  memoryBytes: number
  fileBytes: number
}

export interface ProcessOptions {
  args?: readonly string[]
  /** The JavaScript heap, where other memory needs most of the bound. */
  heapBytes?: number
  env?: Record<string, string>
  /** By Node's channel instead of stdin and stdout. */
  hasChannel?: boolean
}

/** Starts Node on `entry` as the leader of its own process group, with no environment of ours. */
export function startProcess(entry: URL, bounds: ProcessBounds, options: ProcessOptions = {}): ChildProcess {
  const { args = [], heapBytes = bounds.memoryBytes, env = {}, hasChannel = false } = options
  const heapMegabytes = Math.max(64, Math.floor(heapBytes / 1024 ** 2))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMegabytes}`]
  const command = [...findLimiter(bounds), ...node, fileURLToPath(entry), ...args]
  return spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd: '/',
    env: { ...findCodeCache(), ...env },
    stdio: hasChannel ? ['ignore', 'ignore', 'pipe', 'ipc'] : ['pipe', 'pipe', 'pipe'],
    serialization: 'advanced',
    detached: true,
  })
}

/** Where this process keeps its compiled code, if anywhere: a child starts in half the time with it. */
function findCodeCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {}
}

/**
 * RLIMIT_DATA counts private writable pages, so V8's and WebAssembly's large empty reservations pass while real
 * allocations stop; RLIMIT_AS would refuse the reservations.
 */
function findLimiter(bounds: ProcessBounds): string[] {
  const dataBytes = bounds.memoryBytes + 1024 ** 3
  const limits = [`--data=${dataBytes}`, `--fsize=${bounds.fileBytes}`, '--core=0', '--']
  return [
    ...(prlimitPath ? [prlimitPath, ...limits] : []),
    // Nothing that it starts can gain a privilege, and a parser that hangs must not outlive a parent that was killed; elsewhere it ends when it next reads or writes.
    ...(setprivPath ? [setprivPath, '--nnp', '--pdeathsig', 'KILL', '--'] : []),
  ]
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Takes whole messages from the child's stdout; at most one message and a pipe's worth lie in memory. */
export class MessageReader {
  readonly #stream: Readable
  #ended = false
  #wake: () => void = () => {}

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on('readable', () => this.#wake())
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    stream.once('end', end).once('close', end).once('error', end)
  }

  /** The next message, or undefined when the child closed its side. */
  async next(): Promise<ChildMessage | undefined> {
    const prefix = await this.#readExactly(prefixBytes)
    if (!prefix) return undefined
    const { headBytes, bodyBytes } = decodePrefix(prefix)
    const head = await this.#readExactly(headBytes)
    if (!head) return undefined
    const body = bodyBytes > 0 ? await this.#readExactly(bodyBytes) : undefined
    if (bodyBytes > 0 && !body) return undefined
    return {
      head: JSON.parse(head.toString('utf8')),
      ...(body ? { body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) } : {}),
    }
  }

  async #readExactly(sizeBytes: number): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#stream.read(sizeBytes) as Buffer | null
      if (chunk?.length === sizeBytes) return chunk
      if (chunk !== null || this.#ended) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
