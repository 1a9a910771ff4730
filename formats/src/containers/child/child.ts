/**
 * The one child runner. Files from outside are parsed by native or WASM code in a short-lived process that has no
 * environment, no secrets, a deadline, a memory bound, and a sandbox (`sandbox.ts`) with the paths it may open; it dies with its group.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { FormatError, type FormatErrorCode } from '../../errors.ts'
import { describeEffort, type Effort, findCpuSeconds } from '../effort.ts'
import { type ChildMessage, encodePrefixAndHead } from './message.ts'
import { type GiveMemory, MessageReader } from './message-reader.ts'
import { killGroup, restProcess, startProcess } from './process.ts'
import { readCpuSeconds, watchMemory } from './process-use.ts'
import type { Sandbox } from './sandbox.ts'

export type { ChildMessage } from './message.ts'

export interface ChildLimits {
  /** Longest time of one call. */
  deadlineSeconds: number
  /** Longest silence of the child during a call; the time it waits for the parent's input does not count. */
  idleSeconds: number
  /** Bound on memory: the JavaScript heap, and all resident pages where the system shows them. */
  memoryBytes: number
  /** Processor seconds of one call, by the bytes that it reads: those sent to it, and those of `Child.readsBytes`. */
  effort: Effort
  /** Largest file the child may write. */
  fileBytes: number
  /** Processor seconds of all its calls together. */
  cpuSeconds: number
  openFiles: number
}

export interface ChildOptions {
  /** Module that calls `serveCalls`. */
  entry: URL
  args?: readonly string[]
  /** What is read, for the sentences of errors. */
  subject: string
  /** Code of an error that the entry throws without a code of its own. */
  unreadableCode: FormatErrorCode
  sandbox: Sandbox
  limits?: Partial<ChildLimits>
  signal?: AbortSignal | undefined
  /** It may stay without work, and keeps no program alive that has nothing else to do. */
  isResident?: boolean
}

const defaultLimits: ChildLimits = {
  deadlineSeconds: 3600,
  idleSeconds: 60,
  memoryBytes: 2 * 1024 ** 3,
  effort: { baseSeconds: 120, secondsPerMegabyte: 20 },
  fileBytes: 64 * 1024 ** 3,
  // No job runs longer than a day, and no child has more than four threads at work.
  cpuSeconds: 4 * 86_400,
  openFiles: 256,
}

/**
 * Starts a child on `entry`. Errors of its calls are `FormatError`s: the entry's own code or `unreadableCode`,
 * `source_file_crashes_parser`, `parser_deadline`, `parser_cpu`, `parser_memory`, `child_failed`; an abort
 * throws its reason.
 */
export function openInChild(options: ChildOptions): Child {
  options.signal?.throwIfAborted()
  return new Child(options)
}

/** A running child serves one call at a time. A refusal leaves it usable; anything worse ends it for good. */
export class Child implements AsyncDisposable {
  readonly #options: ChildOptions
  readonly #limits: ChildLimits
  readonly #process: ChildProcess
  readonly #reader: MessageReader | undefined
  readonly #ended: Promise<void>
  readonly #stopMemoryWatch: () => void
  readonly #onAbort = () => this.#fail(this.#options.signal?.reason)
  #failure: unknown
  #isAlive = true
  #isBusy = false
  #isWaitingForInput = false
  #lastSign = 0
  #sentBytes = 0
  #stderr = ''

  /** Size of the file that its calls read, where they open one themselves. */
  readsBytes = 0

  constructor(options: ChildOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    const child = startProcess(options.entry, this.#limits, options.sandbox, { args: options.args ?? [] })
    this.#process = child
    this.#reader = child.stdout ? new MessageReader(child.stdout) : undefined
    child.stdin?.on('error', () => {})
    child.stderr?.on('data', (text: Buffer) => {
      this.#stderr = (this.#stderr + text.toString('utf8')).slice(-4096)
    })
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#fail(new FormatError('child_failed', `The parser process did not start: ${error.message}.`))
        resolve()
      })
      child.once('close', async (exitCode, signal) => {
        await this.#reader?.closed
        this.#fail(this.#describeEnd(exitCode, signal))
        resolve()
      })
    })
    if (options.isResident) {
      restProcess(child)
      this.#reader?.unref()
    }
    this.#stopMemoryWatch = watchMemory(child.pid, this.#limits.memoryBytes, () => this.#fail(this.#describeExcess()))
    options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Makes a call of which only the last answer matters. */
  async request(name: string, params: unknown): Promise<ChildMessage> {
    const answers = this.call(name, params)
    for (;;) {
      const step = await answers.next()
      if (step.done) return step.value
    }
  }

  /**
   * Yields the child's answers and returns its last one; `input` goes in as fast as the child takes it. Leaving the
   * loop early kills the child: a synchronous parser cannot be asked to stop. Bodies of answers lie in memory that is given.
   */
  async *call(
    name: string,
    params: unknown,
    input?: AsyncIterable<ChildMessage>,
    giveMemory?: GiveMemory,
  ): AsyncGenerator<ChildMessage, ChildMessage, undefined> {
    if (this.#isBusy) throw new Error('a child serves one call at a time')
    this.#throwIfFailed()
    this.#isBusy = true
    const stopClocks = this.#startClocks()
    let isAnswered = false
    try {
      const feeding = this.#feed(name, params, input)
      for (;;) {
        const [kind, message] = await this.#receive(giveMemory)
        if (kind === 'item') {
          yield message
          continue
        }
        isAnswered = true
        await feeding
        if (kind === 'error') throw this.#describeRefusal(message.head)
        return message
      }
    } finally {
      stopClocks()
      this.#isBusy = false
      if (!isAnswered) this.#fail(new FormatError('child_failed', 'The parser process was stopped by its caller.'))
    }
  }

  /** Kills the child; the call under way throws `reason`. */
  abort(reason: unknown): void {
    this.#fail(reason)
  }

  /** Ends the child, by force when it does not go within two seconds. */
  async close(): Promise<void> {
    if (this.#isBusy) killGroup(this.#process)
    this.#process.stdin?.end()
    // Nobody asks for more, and a child that still says something must not keep its end from being seen.
    this.#reader?.destroy()
    const force = setTimeout(() => killGroup(this.#process), 2000)
    await this.#ended
    clearTimeout(force)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #feed(name: string, params: unknown, input: AsyncIterable<ChildMessage> | undefined): Promise<void> {
    try {
      await this.#send({ head: { name, params } })
      if (input) {
        this.#isWaitingForInput = true
        for await (const message of input) {
          this.#isWaitingForInput = false
          if (!this.#isAlive) return
          await this.#send(message)
          this.#isWaitingForInput = true
        }
      }
      await this.#send({ head: 'input-end' })
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isWaitingForInput = false
    }
  }

  async #send(message: ChildMessage): Promise<void> {
    const stdin = this.#process.stdin
    if (!stdin?.writable) return
    stdin.write(encodePrefixAndHead(message))
    this.#sentBytes += message.body?.byteLength ?? 0
    const isRoomLeft = message.body ? stdin.write(message.body) : true
    if (!isRoomLeft && stdin.writableNeedDrain) await Promise.race([once(stdin, 'drain').catch(() => {}), this.#ended])
    this.#lastSign = performance.now()
  }

  async #receive(giveMemory: GiveMemory | undefined): Promise<['item' | 'done' | 'error', ChildMessage]> {
    this.#lastSign = performance.now()
    const message = await this.#reader?.next(giveMemory).catch((error) => this.#fail(this.#describeNonsense(error)))
    if (!message) await this.#ended
    this.#throwIfFailed()
    if (!message) throw new Error('the child ended without a reason')
    const [kind, head] = message.head as ['item' | 'done' | 'error', unknown]
    return [kind, { ...message, head }]
  }

  #startClocks(): () => void {
    const { deadlineSeconds, idleSeconds } = this.#limits
    const deadline = setTimeout(
      () => this.#fail(this.#describeDeadline(`was not finished in ${deadlineSeconds} s`)),
      Math.min(deadlineSeconds * 1000, 2 ** 31 - 1),
    )
    const idle = setInterval(
      () => {
        if (this.#isWaitingForInput) this.#lastSign = performance.now()
        if (performance.now() - this.#lastSign < idleSeconds * 1000) return
        this.#fail(this.#describeDeadline(`made no progress for ${idleSeconds} s`))
      },
      Math.min(1000, idleSeconds * 200),
    )
    const stopMeter = this.#startMeter()
    return () => {
      clearTimeout(deadline)
      clearInterval(idle)
      stopMeter()
    }
  }

  /** The processor time of this call; without /proc it is the deadline that ends what never ends. */
  #startMeter(): () => void {
    const { pid } = this.#process
    const from = readCpuSeconds(pid)
    this.#sentBytes = 0
    const meter = setInterval(() => {
      const to = readCpuSeconds(pid)
      if (from === undefined || to === undefined) return
      const sizeBytes = this.#sentBytes + this.readsBytes
      const allowed = findCpuSeconds(this.#limits.effort, sizeBytes)
      if (to - from > allowed) this.#fail(this.#describeEffort(allowed, sizeBytes))
    }, 250)
    return () => clearInterval(meter)
  }

  /** The first reason wins; the process group is gone afterwards. */
  #fail(reason: unknown): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    this.#failure = reason
    this.#stopMemoryWatch()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    killGroup(this.#process)
    // The process counts as closed only when its output is, and nobody reads that any more.
    this.#reader?.destroy()
  }

  #throwIfFailed(): void {
    if (!this.#isAlive) throw this.#failure
  }

  #describeRefusal(head: unknown): FormatError {
    const { code, message } = head as { code?: FormatErrorCode; message: string }
    if (code !== undefined) return new FormatError(code, message)
    return new FormatError(this.#options.unreadableCode, `${this.#options.subject} cannot be read: ${message}.`)
  }

  #describeDeadline(what: string): FormatError {
    return new FormatError('parser_deadline', `Reading ${this.#options.subject} ${what}; it was stopped.`)
  }

  #describeEffort(cpuSeconds: number, sizeBytes: number): FormatError {
    const sentence = `Reading ${this.#options.subject} ${describeEffort(cpuSeconds, sizeBytes)}; it was stopped.`
    return new FormatError('parser_cpu', sentence)
  }

  #describeExcess(): FormatError {
    const megabytes = Math.round(this.#limits.memoryBytes / 1024 ** 2)
    return new FormatError(
      'parser_memory',
      `Reading ${this.#options.subject} needed more than ${megabytes} MiB of memory; it was stopped.`,
    )
  }

  #describeNonsense(cause: unknown): FormatError {
    const sentence = `The parser of ${this.#options.subject} gave an invalid answer; the file is damaged or malicious.`
    return new FormatError('source_file_crashes_parser', sentence, { cause })
  }

  #describeEnd(exitCode: number | null, signal: NodeJS.Signals | null): FormatError {
    if (/heap out of memory|Allocation failed|std::bad_alloc/.test(this.#stderr)) return this.#describeExcess()
    const how = signal ? `signal ${signal}` : `exit code ${exitCode}`
    return new FormatError(
      'source_file_crashes_parser',
      `The parser of ${this.#options.subject} ended with ${how}; the file is damaged or malicious.`,
      { cause: this.#stderr },
    )
  }
}
