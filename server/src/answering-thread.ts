import { Worker } from 'node:worker_threads'
import { describeError, ServiceError } from './errors.ts'

/** A thread that answers questions one after the other, beside the loop that everybody waits for. */
export interface AnsweringThread<Question, Answer> {
  /** Questions without an answer yet. */
  readonly waiting: number
  /** What is transferred becomes the thread's own. */
  ask(question: Question, transfer?: ArrayBuffer[]): Promise<Answer>
}

interface ThreadOptions {
  /** Of its heap: a question beyond all measure ends the thread, not the program. */
  heapMegabytes: number
  /** What whoever waits is told when it ended before the answer. */
  refusal: string
  /** It answers nothing more. */
  onEnd: () => void
}

/** One that had nothing to do for so long ends, and gives back its memory. */
const idleMilliseconds = 60_000

export function startAnsweringThread<Question, Answer>(
  entry: URL,
  { heapMegabytes, refusal, onEnd }: ThreadOptions,
): AnsweringThread<Question, Answer> {
  const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
  // Answers come in the order of the questions.
  const waiting: PromiseWithResolvers<Answer>[] = []
  let idle: NodeJS.Timeout | undefined
  const fail = (error: unknown): void => {
    onEnd()
    const refused = new ServiceError('not_ready', refusal, { cause: describeError(error), retryAfterSeconds: 1 })
    for (const { reject } of waiting.splice(0)) reject(refused)
  }
  worker.on('message', (answer: Answer) => {
    waiting.shift()?.resolve(answer)
    if (waiting.length > 0) return
    idle = setTimeout(() => {
      onEnd()
      void worker.terminate()
    }, idleMilliseconds).unref()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('It ended early.')))
  // It keeps no program alive that has nothing else to do.
  worker.unref()
  return {
    get waiting() {
      return waiting.length
    },
    ask(question, transfer = []) {
      clearTimeout(idle)
      const answer = Promise.withResolvers<Answer>()
      waiting.push(answer)
      worker.postMessage(question, transfer)
      return answer.promise
    },
  }
}
