import { ApiError, ConnectionError } from './api-error.ts'

const baseMs = 250
const longestMs = 20_000
const longestAskedMs = 120_000
const passingStatuses = [429, 502, 503, 504]

/** Full jitter: anywhere between nothing and the doubled bound, and never before the server asked to be called again. */
export function backOffMs(attempt: number, askedMs: number | undefined): number {
  const bound = Math.min(longestMs, baseMs * 2 ** attempt)
  const jitter = Math.random() * bound
  return askedMs === undefined ? jitter : Math.min(longestAskedMs, askedMs) + Math.random() * baseMs
}

/** Whether the same call may succeed later. A 429 was refused before anything was done, so any call may come again. */
export function isPassing(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ApiError) return error.status === 429 || (repeatable && passingStatuses.includes(error.status))
  return repeatable && error instanceof ConnectionError
}

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

/** Runs `attempt` until it succeeds, fails for good, or has failed as often as `attempts` says, which is asked after each. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  options: { attempts: () => number; repeatable: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (options.signal?.aborted || count + 1 >= options.attempts() || !isPassing(error, options.repeatable))
        throw error
      await sleep(backOffMs(count, error instanceof ApiError ? error.retryAfterMs : undefined), options.signal)
    }
  }
}
