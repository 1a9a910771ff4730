import { Worker } from 'node:worker_threads'
import type { Context } from './context.ts'
import type { Connection } from './db/database.ts'
import { describeError, ServiceError } from './errors.ts'
import type { PassedAnswer, PassedRequest } from './http/bodies/large-requests.ts'
import type { ThreadAnswer, ThreadData, ThreadQuestion } from './request-messages.ts'

export interface RequestThread {
  answer(request: PassedRequest): Promise<PassedAnswer>
  close(): Promise<void>
}

interface ThreadOptions {
  context: Context
  connection: Connection
}

/** One that had nothing to do for so long ends, and gives back its memory. */
const idleMilliseconds = 60_000
/** Of its heap: a body beyond all measure ends the thread, not the program. */
const heapMegabytes = 512

/**
 * A thread of its own for requests with large bodies: parsing, checking and storing them takes it whole seconds in which nobody else waits.
 * It has the same routes, a few connections to the database, and a life as long as there is something to do.
 */
export function createRequestThread({ context, connection }: ThreadOptions): RequestThread {
  const { config, publicUrl, commit, log } = context
  let current: RunningThread | undefined
  return {
    async answer(request) {
      current ??= startThread({ config: { ...config, NMP_COMMIT: commit ?? undefined }, publicUrl, connection }, () => {
        current = undefined
      })
      try {
        return await current.ask(request)
      } catch (error) {
        log.error({ error: describeError(error) }, 'the thread for large requests ended')
        throw new ServiceError('not_ready', 'The request could not be finished. Try again in a moment.', {
          cause: error,
          retryAfterSeconds: 1,
        })
      }
    },
    close: async () => current?.end(),
  }
}

interface RunningThread {
  ask(request: PassedRequest): Promise<PassedAnswer>
  end(): Promise<void>
}

function startThread(data: ThreadData, onEnd: () => void): RunningThread {
  const thread = new Worker(new URL('./request-entry.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  const waiting = new Map<number, PromiseWithResolvers<PassedAnswer>>()
  const ended = Promise.withResolvers<void>()
  let asked = 0
  let idle: NodeJS.Timeout | undefined
  const send = (question: ThreadQuestion, transfer: ArrayBuffer[] = []) => thread.postMessage(question, transfer)
  const end = (): Promise<void> => {
    clearTimeout(idle)
    onEnd()
    send('end')
    return ended.promise
  }
  const fail = (error: Error): void => {
    onEnd()
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  thread.on('message', ({ id, ...answer }: ThreadAnswer) => {
    waiting.get(id)?.resolve(answer)
    waiting.delete(id)
    if (waiting.size === 0) idle = setTimeout(() => void end(), idleMilliseconds).unref()
  })
  thread.on('error', fail)
  thread.on('exit', () => {
    fail(new Error('It ended early.'))
    ended.resolve()
  })
  // It keeps no program alive that has nothing else to do.
  thread.unref()
  return {
    ask(request) {
      clearTimeout(idle)
      const id = asked++
      const answer = Promise.withResolvers<PassedAnswer>()
      waiting.set(id, answer)
      send({ id, request }, [request.body.buffer])
      return answer.promise
    },
    end,
  }
}
