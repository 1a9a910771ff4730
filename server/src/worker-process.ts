import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from './errors.ts'
import type { Log } from './log.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

export interface WorkerProcess {
  isRunning(): boolean
  /** How often it was started again. */
  restartCount(): number
  /** Its own metrics; nothing while it does not run. */
  readMetrics(): Promise<string>
  /** Lets it end its jobs or give them back, and waits for it. */
  stop(): Promise<void>
}

interface Restarts {
  /** The wait before the first restart, doubled with each that follows. */
  baseSeconds: number
  capSeconds: number
  /** One that ran for so long did well: the next wait is the first again. */
  wellSeconds: number
}

interface WorkerProcessOptions {
  begin: ToWorker & { kind: 'begin' }
  log: Log
  /** It died, and with it the attempts that it had claimed under this name. */
  onLost(name: string): Promise<void>
  restarts?: Restarts
  entry?: URL
}

const defaultRestarts: Restarts = { baseSeconds: 1, capSeconds: 60, wellSeconds: 60 }
/** More than a worker waits for its jobs. */
const stopSeconds = 30
const metricsMilliseconds = 1000

/**
 * A worker in a process beside this one, so that no job takes time from an answer. It shares standard error and the environment, gets the
 * address of the database by the channel between the two, and ends when that breaks: however this process dies, none is left behind.
 * When it dies it is started again, later each time.
 */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const { begin, log, onLost, restarts = defaultRestarts } = options
  const { entry = new URL('./worker-entry.ts', import.meta.url) } = options
  const waiting = new Map<number, (text: string) => void>()
  let child: ChildProcess | undefined
  let name: string | undefined
  let readyAt: number | undefined
  let again: NodeJS.Timeout | undefined
  let isStopping = false
  let failures = 0
  let restartCount = 0
  let asked = 0

  const hear = (message: FromWorker): void => {
    if (message.kind === 'metrics') waiting.get(message.id)?.(message.text)
    if (message.kind !== 'ready') return
    name = message.name
    readyAt = performance.now()
    if (restartCount > 0) log.warn({ worker: name }, 'the worker runs again')
  }

  const start = (): void => {
    const started = fork(entry, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child = started
    started.on('message', hear)
    started.on('error', (error) => log.error({ error: describeError(error) }, 'the worker could not be reached'))
    started.once('exit', (code, signal) => end({ code, signal }))
    started.send(begin, () => undefined)
  }

  const end = (how: { code: number | null; signal: NodeJS.Signals | null }): void => {
    const lost = name
    const ranSeconds = readyAt === undefined ? 0 : (performance.now() - readyAt) / 1000
    child = name = readyAt = undefined
    for (const answer of waiting.values()) answer('')
    if (isStopping) return
    failures = ranSeconds >= restarts.wellSeconds ? 1 : failures + 1
    const waitSeconds = Math.min(restarts.capSeconds, restarts.baseSeconds * 2 ** (failures - 1))
    log.error(
      { worker: lost, ...how, ranSeconds: Math.round(ranSeconds), waitSeconds },
      'the worker ended; it is started again after a wait',
    )
    if (lost)
      onLost(lost).catch((error) =>
        log.warn({ error: describeError(error) }, 'jobs of the lost worker wait for their leases'),
      )
    again = setTimeout(() => {
      restartCount += 1
      start()
    }, waitSeconds * 1000)
  }

  start()
  return {
    isRunning: () => readyAt !== undefined,
    restartCount: () => restartCount,
    async readMetrics() {
      if (!child?.connected || readyAt === undefined) return ''
      const id = asked++
      const { promise, resolve } = Promise.withResolvers<string>()
      waiting.set(id, resolve)
      const timer = setTimeout(resolve, metricsMilliseconds, '')
      child.send({ kind: 'metrics', id } satisfies ToWorker, () => undefined)
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(id)
      })
    },
    async stop() {
      isStopping = true
      clearTimeout(again)
      const stopped = child
      if (!stopped) return
      const ended = once(stopped, 'exit')
      stopped.kill('SIGTERM')
      const timer = new AbortController()
      const late = sleep(stopSeconds * 1000, 'late', { signal: timer.signal }).catch(() => 'ended')
      if ((await Promise.race([ended, late])) === 'late') {
        log.error({ worker: name }, 'the worker does not end, and is ended')
        stopped.kill('SIGKILL')
        await ended
      }
      timer.abort()
    },
  }
}
