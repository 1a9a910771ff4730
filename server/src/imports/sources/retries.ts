import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import type { TransferLimits } from './transfer-limits.ts'

/** Whether the same request may go better a moment later. */
export const isPassing = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'source_unavailable'

/** Waits before try number `failures` + 1, as long as the source asked or by doubling steps; a long wait is left to the job. */
export const waitForNextTry = async (
  error: ServiceError,
  failures: number,
  limits: TransferLimits,
  signal: AbortSignal,
): Promise<void> => {
  const asked = error.retryAfterSeconds
  if (asked !== undefined && asked * 1000 > limits.longestWaitMs) throw error
  const steps = limits.backoffMs * 2 ** Math.min(failures - 1, 6)
  await sleep(asked === undefined ? steps * (0.5 + Math.random()) : asked * 1000, undefined, { signal })
}

export const inTries = async <T>(work: () => Promise<T>, limits: TransferLimits, signal: AbortSignal): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error) || failures >= limits.attempts) throw error
      await waitForNextTry(error, failures, limits, signal)
    }
  }
}

const statusesThatPass = new Set([408, 425, 429])

export const isPassingStatus = (status: number): boolean => status >= 500 || statusesThatPass.has(status)

/** The refusal for a status that may pass, with the wait the source asks for. */
export const describeOverload = (host: string, status: number, headers: IncomingHttpHeaders): ServiceError => {
  const retryAfterSeconds = findWait(headers)
  const reason = status === 429 ? 'asks us to come back later: too many requests' : `answered with status ${status}`
  return new ServiceError('source_unavailable', `${host} ${reason}.`, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** `RateLimit: "resolvers";r=0;t=55` where nothing is left, else `Retry-After` in seconds or as a date; at most a day. */
const findWait = (headers: IncomingHttpHeaders): number | undefined => {
  const limit = /;\s*r=0\s*;\s*t=(\d{1,6})/.exec(String(headers.ratelimit ?? '').slice(0, 256))?.[1]
  const after = headers['retry-after']
  const seconds =
    limit !== undefined
      ? Number(limit) + 1
      : after === undefined
        ? Number.NaN
        : /^\d{1,9}$/.test(after)
          ? Number(after)
          : (Date.parse(after) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 86_400) : undefined
}
