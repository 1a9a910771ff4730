import type { Peers } from '../db/peers.ts'

/** A key that is not asked for any more leaves with the 20,000th after it. */
const mostKeys = 20_000
const tellMilliseconds = 100
/** Of the window: what is less than this in a second is not told to the others. */
const untoldShare = 1 / 16
const forgetUntoldMilliseconds = 1_000
/** Sums of parts of a window are off in the last digits. */
const rounding = 1e-6

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The store of @fastify/rate-limit: counts a request of a key. */
export interface RateStore {
  incr(key: string, callback: Counted, windowMilliseconds: number, most: number): void
  child(): RateStore
}

/**
 * Requests by key, of all APIs together: each counts what it is asked and tells the others ten times a second what the busy keys have used.
 * Use is kept in milliseconds of budget, which come back as time passes. What the others were not told in time is a debt: so a client that
 * asks n APIs at once may begin with n budgets, and has over any longer time what one API would give it, and a sixteenth more for each
 * further API. No request waits for another process.
 */
export function createSharedRate(peers: Peers): RateStore {
  const wholeAt = new Map<string, number>()
  const untold = new Map<string, { used: number; since: number }>()
  let timer: NodeJS.Timeout | undefined

  const use = (key: string, milliseconds: number, now: number): number => {
    const at = Math.max(now, wholeAt.get(key) ?? 0) + milliseconds
    // The last used is the last to go.
    wholeAt.delete(key)
    wholeAt.set(key, at)
    const [oldest] = wholeAt.size > mostKeys ? wholeAt.keys() : []
    if (oldest !== undefined) wholeAt.delete(oldest)
    return at - now
  }
  const tell = (windowMilliseconds: number): void => {
    timer = undefined
    const now = performance.now()
    const lines: string[] = []
    for (const [key, { used, since }] of untold) {
      const isBusy = used >= windowMilliseconds * untoldShare
      if (isBusy) lines.push(`${Math.round(used)} ${key}`)
      if (isBusy || now - since > forgetUntoldMilliseconds) untold.delete(key)
    }
    peers.tell('rates', lines)
    tellSoon(windowMilliseconds)
  }
  const tellSoon = (windowMilliseconds: number): void => {
    if (untold.size === 0 || timer) return
    timer = setTimeout(tell, tellMilliseconds, windowMilliseconds)
    timer.unref()
  }
  peers.follow({
    name: 'rates',
    hear(_from, line) {
      const space = line.indexOf(' ')
      const used = Number(line.slice(0, space))
      if (used > 0) use(line.slice(space + 1), used, performance.now())
    },
    // What was used comes back in a second: there is nothing to tell again, and nothing to forget.
    listAll: () => [],
    forget: () => undefined,
  })

  const store: RateStore = {
    incr(key, callback, windowMilliseconds, most) {
      const now = performance.now()
      const cost = windowMilliseconds / most
      const used = Math.max(0, (wholeAt.get(key) ?? 0) - now)
      const over = used + cost - windowMilliseconds
      if (over > rounding) return callback(null, { current: most + 1, ttl: over })
      const ttl = use(key, cost, now)
      if (peers.hasOthers()) {
        const entry = untold.get(key)
        if (entry) entry.used += cost
        else untold.set(key, { used: cost, since: now })
        tellSoon(windowMilliseconds)
      }
      callback(null, { current: Math.ceil(ttl / cost - rounding), ttl })
    },
    child: () => store,
  }
  return store
}
