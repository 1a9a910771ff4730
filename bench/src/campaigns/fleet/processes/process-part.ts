import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { connect } from 'node:net'
import { waitFor } from '../../../../../e2e/processes.ts'
import type { Part } from '../machines.ts'

interface ProcessOptions {
  name: string
  program: string
  words: string[]
  folder: string
  env: Record<string, string>
  /** It is there when something listens at this port. */
  port: number
  log: string
}

export interface ProcessPart extends Part {
  port: number
  /** What is started from now on: another folder, other settings. */
  change(next: Partial<Pick<ProcessOptions, 'folder' | 'env'>>): void
}

export function createProcess(options: ProcessOptions): ProcessPart {
  let { folder, env } = options
  const log = createWriteStream(options.log, { flags: 'a' })
  let child: ChildProcess | undefined
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    if (child) signalGroup(child, name)
  }
  const end = async (name: NodeJS.Signals): Promise<number> => {
    if (!child || !isAlive(child)) return child?.exitCode ?? -1
    const gone = once(child, 'exit')
    await signal(name)
    await gone
    return child.exitCode ?? -1
  }
  return {
    name: options.name,
    port: options.port,
    change(next) {
      folder = next.folder ?? folder
      env = next.env ?? env
    },
    async start() {
      const started = spawn(options.program, options.words, {
        cwd: folder,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      endWithUs(started)
      started.stdout.pipe(log, { end: false })
      started.stderr.pipe(log, { end: false })
      await waitFor(`${options.name} to listen`, async () => {
        if (started.exitCode !== null)
          throw new Error(`${options.name} ended with ${started.exitCode}: see ${options.log}`)
        return answers(options.port)
      })
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

const ours = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of ours) signalGroup(child, 'SIGKILL')
})

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))

/** It does not outlive this process, however that ends. */
export const endWithUs = (child: ChildProcess): void => {
  ours.add(child)
  child.once('exit', () => ours.delete(child))
}

export const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** To a process and all that it has started; nothing where it is gone. */
export function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (!child.pid || !isAlive(child)) return
  try {
    process.kill(-child.pid, name)
  } catch {
    // It ended a moment ago.
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
