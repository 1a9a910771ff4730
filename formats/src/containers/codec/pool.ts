import { createLimiter } from '../../limiter.ts'
import { type Child, type ChildMessage, type ChildOptions, openInChild } from '../child/child.ts'

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
}

// A process that has served this many calls is replaced, so that no leak of a native library lives long.
const callsPerChild = 500

/** Children of one kind: at most `maxProcesses`, reused while they are sound. */
export function createChildPool(options: ChildOptions, maxProcesses: number): ChildPool {
  const idle: { child: Child; calls: number }[] = []
  const places = createLimiter(maxProcesses)
  const all = new Set<Child>()

  function open(isFresh: boolean): { child: Child; calls: number } {
    const found = isFresh ? undefined : idle.pop()
    if (found) return found
    const child = openInChild(options)
    all.add(child)
    return { child, calls: isFresh ? callsPerChild : 0 }
  }

  async function release(lease: { child: Child; calls: number }): Promise<void> {
    lease.calls++
    if (lease.child.isAlive && lease.calls < callsPerChild) idle.push(lease)
    else {
      await lease.child.close()
      all.delete(lease.child)
    }
  }

  return {
    async *call(name, params, input, { signal, isFresh = false }) {
      signal?.throwIfAborted()
      const leave = await places.take()
      const lease = open(isFresh)
      const onAbort = () => lease.child.abort(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        return yield* lease.child.call(name, params, input)
      } finally {
        signal?.removeEventListener('abort', onAbort)
        await release(lease)
        leave()
      }
    },
    async close() {
      await Promise.all([...all].map((child) => child.close()))
      idle.length = 0
      all.clear()
    },
  }
}
