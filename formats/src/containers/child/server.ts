/**
 * The child's side: one loop, wholly synchronous, over file descriptors 0 and 1. Blocking reads and writes are the
 * backpressure: a handler that yields faster than the parent takes simply stands still in `write`.
 * Nothing else may write to stdout in a child.
 */
import { readSync, writeSync } from 'node:fs'
import { FormatError } from '../../errors.ts'
import { type ChildMessage, decodePrefix, encodePrefixAndHead, prefixBytes } from './message.ts'

/** Yields answers and returns the last one, or returns its only one. `input` yields what the parent sends meanwhile. */
export type ChildHandler = (
  params: never,
  input: Iterable<ChildMessage>,
) => Generator<ChildMessage, ChildMessage, undefined> | ChildMessage

/** Of a library that answers by promises: one call after the other, each with one answer. */
export type PatientHandler = (params: never, input: Iterable<ChildMessage>) => Promise<ChildMessage>

/** As `serveCalls`. Nothing goes on between two calls: this process stands still until the next one comes. */
export async function servePatiently(handlers: Readonly<Record<string, PatientHandler>>): Promise<void> {
  for (let call = readMessage(); call !== undefined; call = readMessage()) {
    const { name, params } = call.head as { name: string; params: unknown }
    const inputEnd = { reached: false }
    try {
      const answer = await findHandler(handlers, name)(params as never, readInput(inputEnd))
      drainInput(inputEnd)
      writeMessage('done', answer)
    } catch (error) {
      drainInput(inputEnd)
      writeError(error)
    }
  }
}

/**
 * Serves calls until the parent closes stdin; a parent that died closes it too. A `FormatError` keeps its code, any
 * other error gets the caller's `unreadableCode`.
 */
export function serveCalls(handlers: Readonly<Record<string, ChildHandler>>): void {
  for (let call = readMessage(); call !== undefined; call = readMessage()) {
    const { name, params } = call.head as { name: string; params: unknown }
    const inputEnd = { reached: false }
    try {
      const answer = runHandler(findHandler(handlers, name)(params as never, readInput(inputEnd)))
      drainInput(inputEnd)
      writeMessage('done', answer)
    } catch (error) {
      drainInput(inputEnd)
      writeError(error)
    }
  }
}

function findHandler<T>(handlers: Readonly<Record<string, T>>, name: string): T {
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (!handler) throw new FormatError('child_failed', `There is no call named ${name}.`)
  return handler
}

function writeError(error: unknown): void {
  const code = error instanceof FormatError ? error.code : undefined
  writeMessage('error', { head: { code, message: error instanceof Error ? error.message : String(error) } })
}

function runHandler(work: ReturnType<ChildHandler>): ChildMessage {
  if ('head' in work) return work
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    writeMessage('item', step.value)
  }
}

function* readInput(end: { reached: boolean }): Generator<ChildMessage> {
  while (!end.reached) {
    const message = readMessage()
    if (message === undefined || isInputEnd(message)) end.reached = true
    else yield message
  }
}

function drainInput(end: { reached: boolean }): void {
  const rest = readInput(end)
  while (!rest.next().done);
}

function isInputEnd(message: ChildMessage): boolean {
  return message.head === 'input-end'
}

function writeMessage(kind: 'item' | 'done' | 'error', message: ChildMessage): void {
  writeAll(encodePrefixAndHead({ ...message, head: [kind, message.head ?? null] }))
  if (message.body) writeAll(message.body)
}

function readMessage(): ChildMessage | undefined {
  const prefix = readExactly(prefixBytes)
  if (!prefix) return undefined
  const { headBytes, bodyBytes } = decodePrefix(prefix)
  const head = readExactly(headBytes)
  if (!head) return undefined
  const body = bodyBytes > 0 ? readExactly(bodyBytes) : undefined
  return { head: JSON.parse(Buffer.from(head).toString('utf8')), ...(body ? { body } : {}) }
}

function readExactly(sizeBytes: number): Uint8Array | undefined {
  // Not filled with zeros, of which every one is written over.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer)
  let filled = 0
  while (filled < sizeBytes) {
    const count = retryWhenBusy(() => readSync(0, bytes, filled, sizeBytes - filled, null))
    if (count === 0) return undefined
    filled += count
  }
  return bytes
}

function writeAll(bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) {
    written += retryWhenBusy(() => writeSync(1, bytes, written, bytes.length - written))
  }
}

const pauseCell = new Int32Array(new SharedArrayBuffer(4))

/** The descriptors are blocking on Linux; where a platform makes them non-blocking, EAGAIN means "in a millisecond". */
function retryWhenBusy(work: () => number): number {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pauseCell, 0, 0, 1)
    }
  }
}
