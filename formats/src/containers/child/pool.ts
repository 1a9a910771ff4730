import { createLimiter } from '../../limiter.ts'
import { type Child, type ChildMessage, type ChildOptions, openInChild } from './child.ts'
import type { GiveMemory } from './message-reader.ts'

export interface ChildPool {
  /** As `Child.call`, on a free child. */
  call(
    name: string,
    params: unknown,
    input: AsyncIterable<ChildMessage>,
    options: CallOptions,
  ): AsyncGenerator<ChildMessage, ChildMessage, undefined>
  close(): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Run in a process that has done nothing else, and does nothing after. */
  isFresh?: boolean
  /** For the bodies of answers. */
  giveMemory?: GiveMemory | undefined
}

// A process that has served this many calls is replaced, so that no leak of a native library lives long.
const callsPerChild = 500

// About what a start takes: short films one after the other by one process are done sooner than by four that have to start.
const patienceMilliseconds = 150

interface Lease {
  child: Child
  calls: number
}

/** Children of one kind: at most `maxProcesses`, reused while they are sound, and no more of them than the work keeps busy. */
export function createChildPool(describe: () => Promise<ChildOptions>, maxProcesses: number): ChildPool {
  const idle: Lease[] = []
  const waiting: ((lease: Lease) => void)[] = []
  const places = createLimiter(maxProcesses)
  const all = new Set<Child>()
  let isClosed = false

  async function open(isFresh: boolean): Promise<Lease> {
    const found = isFresh ? undefined : (idle.pop() ?? (all.size > 0 ? await waitForIdle() : undefined))
    if (found) return found
    const options = await describe()
    if (isClosed) throw new Error('these processes were closed')
    const child = openInChild(options)
    all.add(child)
    return { child, calls: isFresh ? callsPerChild : 0 }
  }

  function waitForIdle(): Promise<Lease | undefined> {
    return new Promise((resolve) => {
      const take = (lease?: Lease) => {
        clearTimeout(patience)
        resolve(lease)
      }
      const patience = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1)
        take()
      }, patienceMilliseconds)
      waiting.push(take)
    })
  }

  async function release(lease: Lease): Promise<void> {
    lease.calls++
    if (lease.child.isAlive && lease.calls < callsPerChild) {
      const next = waiting.shift()
      if (next) next(lease)
      else idle.push(lease)
    } else {
      await lease.child.close()
      all.delete(lease.child)
    }
  }

  return {
    async *call(name, params, input, { signal, isFresh = false, giveMemory }) {
      signal?.throwIfAborted()
      const leave = await places.take()
      try {
        const lease = await open(isFresh)
        const onAbort = () => lease.child.abort(signal?.reason)
        signal?.addEventListener('abort', onAbort, { once: true })
        try {
          signal?.throwIfAborted()
          return yield* lease.child.call(name, params, input, giveMemory)
        } finally {
          signal?.removeEventListener('abort', onAbort)
          await release(lease)
        }
      } finally {
        leave()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...all].map((child) => child.close()))
      idle.length = 0
      all.clear()
    },
  }
}
