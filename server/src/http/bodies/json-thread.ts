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

const jsonEntry = new URL('./json-entry.ts', import.meta.url)
const yamlEntry = new URL('./yaml-entry.ts', import.meta.url)
/** By their entries: JSON does not wait for YAML, of which a KiB costs up to eight milliseconds. */
const threads = new Map<URL, JsonThread>()

/** Counts and parses a large text beside the loop that everybody waits for; the loop gets the value as it is. */
export const parseBeside = (bytes: Uint8Array<ArrayBuffer>, bounds: JsonBounds): Promise<ParsedJson> =>
  ask(jsonEntry, { bytes, bounds })

/** The same for YAML, which has bounds of its own. */
export const parseYamlBeside = (bytes: Uint8Array<ArrayBuffer>): Promise<ParsedJson> =>
  ask(yamlEntry, { bytes, bounds: { mostDepth: 0, mostValues: 0 } })

function ask(entry: URL, question: JsonQuestion): Promise<ParsedJson> {
  const thread = threads.get(entry) ?? startThread(entry)
  threads.set(entry, thread)
  return thread.ask(question)
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

function startThread(entry: URL): JsonThread {
  const worker = new Worker(entry, {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  // Answers come in the order of the questions.
  const waiting: PromiseWithResolvers<ParsedJson>[] = []
  let idle: NodeJS.Timeout | undefined
  const forget = (): void => {
    if (threads.get(entry) === thread) threads.delete(entry)
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
