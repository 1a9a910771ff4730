import { Worker } from 'node:worker_threads'
import { describeError, ServiceError } from '../../errors.ts'
import { findJsonExcess, type JsonBounds, type JsonExcess } from './json-bounds.ts'

/** What the thread is asked: the bytes become its own. */
export interface JsonQuestion {
  bytes: Uint8Array<ArrayBuffer>
  bounds: JsonBounds
}

export type ParsedJson =
  | { kind: 'value'; value: unknown }
  | { kind: 'excess'; excess: JsonExcess }
  | { kind: 'invalid' }

/** One that had nothing to do for so long ends, and gives back its memory. */
const idleMilliseconds = 60_000
/** Of its heap: a body beyond all measure ends the thread, not the program. */
const heapMegabytes = 256

interface JsonThread {
  ask(question: JsonQuestion): Promise<ParsedJson>
}

let current: JsonThread | undefined

/** Counts and parses a large text beside the loop that everybody waits for; the loop gets the value as it is. */
export function parseBeside(bytes: Uint8Array<ArrayBuffer>, bounds: JsonBounds): Promise<ParsedJson> {
  current ??= startThread()
  return current.ask({ bytes, bounds })
}

export function parseJson(bytes: Uint8Array, bounds: JsonBounds): ParsedJson {
  const excess = findJsonExcess(bytes, bounds)
  if (excess) return { kind: 'excess', excess }
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    return { kind: 'value', value: JSON.parse(text) }
  } catch {
    return { kind: 'invalid' }
  }
}

function startThread(): JsonThread {
  const worker = new Worker(new URL('./json-entry.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  // Answers come in the order of the questions.
  const waiting: PromiseWithResolvers<ParsedJson>[] = []
  let idle: NodeJS.Timeout | undefined
  const forget = (): void => {
    if (current === thread) current = undefined
  }
  const fail = (error: unknown): void => {
    forget()
    const refusal = new ServiceError('not_ready', 'The request could not be read. Try again in a moment.', {
      cause: describeError(error),
      retryAfterSeconds: 1,
    })
    for (const { reject } of waiting.splice(0)) reject(refusal)
  }
  const thread: JsonThread = {
    ask(question) {
      clearTimeout(idle)
      const answer = Promise.withResolvers<ParsedJson>()
      waiting.push(answer)
      worker.postMessage(question, [question.bytes.buffer])
      return answer.promise
    },
  }
  worker.on('message', (answer: ParsedJson) => {
    waiting.shift()?.resolve(answer)
    if (waiting.length > 0) return
    idle = setTimeout(() => {
      forget()
      void worker.terminate()
    }, idleMilliseconds).unref()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('It ended early.')))
  // It keeps no program alive that has nothing else to do.
  worker.unref()
  return thread
}
