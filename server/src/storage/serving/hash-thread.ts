import { Worker } from 'node:worker_threads'
import type { ByteRange } from '../storage.ts'
import type { HashAnswer, HashQuestion } from './hash-messages.ts'

/** The sha256 of pieces in shared memory, computed beside the loop that everybody waits for: a core of few years does 300 MB in a second. */
export interface HashInThread {
  /** Resolves when the piece was taken in, and its memory may be used again. */
  update(piece: Buffer): Promise<void>
  /** Has the thread read the bytes of a file itself, which stays open until they are in; `check` may throw in between. */
  read(fd: number, range: ByteRange, check: () => void): Promise<void>
  digest(): Promise<string>
  /** One that goes on from here by itself; asked for when every `update` has resolved. */
  copy(): HashInThread
  /** Once, whether it was finished or not. */
  close(): void
}

interface HashThread {
  hashes: number
  ask(question: HashQuestion): Promise<string>
  tell(question: HashQuestion): void
}

/** What a thread reads at a time: others that wait for it get their turns. */
const readBytes = 4 * 1024 * 1024
/** One that had nothing to do for so long ends. */
const idleMilliseconds = 60_000
const mostThreads = 2
const threads = new Set<HashThread>()
let openedCount = 0

export const openHash = (): HashInThread => openHashIn(findThread())

function openHashIn(thread: HashThread, from?: number): HashInThread {
  const id = openedCount++
  thread.hashes++
  if (from !== undefined) thread.tell({ id, kind: 'copy', from })
  return {
    async update(piece) {
      const { buffer, byteOffset: start, byteLength: length } = piece
      if (!(buffer instanceof SharedArrayBuffer)) throw new TypeError('The piece is in memory of its own.')
      await thread.ask({ id, kind: 'update', buffer, start, length })
    },
    async read(fd, { start, end }, check) {
      for (let position = start; position < end; position += readBytes) {
        check()
        await thread.ask({ id, kind: 'read', fd, start: position, length: Math.min(readBytes, end - position) })
      }
    },
    digest: () => thread.ask({ id, kind: 'digest' }),
    copy: () => openHashIn(thread, id),
    close() {
      thread.hashes--
      thread.tell({ id, kind: 'close' })
    },
  }
}

/** The one with the least to do; another while there are few. */
function findThread(): HashThread {
  const [least] = [...threads].toSorted((a, b) => a.hashes - b.hashes)
  if (least && (least.hashes === 0 || threads.size >= mostThreads)) return least
  return startThread()
}

function startThread(): HashThread {
  const worker = new Worker(new URL('./hash-entry.ts', import.meta.url))
  // Answers come in the order of the questions.
  const waiting: PromiseWithResolvers<string>[] = []
  let idle: NodeJS.Timeout | undefined
  let ended: Error | undefined
  const end = (error: Error): void => {
    ended ??= error
    threads.delete(thread)
    clearTimeout(idle)
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  const rest = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (thread.hashes > 0) return
      threads.delete(thread)
      void worker.terminate()
    }, idleMilliseconds).unref()
  }
  const thread: HashThread = {
    hashes: 0,
    ask(question) {
      // A hash may outlive its thread, which would never answer.
      if (ended) return Promise.reject(ended)
      const answer = Promise.withResolvers<string>()
      // A program that waits for it has something to do, and is not over.
      if (waiting.push(answer) === 1) worker.ref()
      worker.postMessage(question)
      return answer.promise
    },
    tell(question) {
      worker.postMessage(question)
      if (thread.hashes === 0) rest()
    },
  }
  worker.on('message', (answer: HashAnswer) => {
    const asked = waiting.shift()
    if (typeof answer === 'string') asked?.resolve(answer)
    else asked?.reject(new Error(answer.error))
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', end)
  worker.on('exit', () => end(new Error('The thread that computes sha256 ended.')))
  // Without a question it keeps no program alive.
  worker.unref()
  threads.add(thread)
  return thread
}
