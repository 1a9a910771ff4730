import { isIPv6 } from 'node:net'
import { BoundedMap } from '@nmp/formats/bounded-map'

export interface Throttle {
  /** Seconds to wait, when this key has failed too often. */
  findWait(key: string): number | undefined
  count(key: string): void
  /** What was counted in advance turned out well. Others that count stay: one good password pays for no guesses. */
  takeBack(key: string): void
  clear(key: string): void
}

const mostKeys = 20_000

/**
 * Counts failures by key in a window that starts with the first. In memory and per process: n processes allow n times as
 * many, which is still far too few to guess a password. Bounded in keys; the one not seen for longest goes first.
 */
export function createThrottle(most: number, windowMs: number): Throttle {
  const failures = new BoundedMap<string, { count: number; since: number }>(mostKeys)
  const findCurrent = (key: string) => {
    const found = failures.get(key)
    return found && Date.now() - found.since < windowMs ? found : undefined
  }
  return {
    findWait(key) {
      const found = findCurrent(key)
      if (!found || found.count < most) return undefined
      return Math.ceil((found.since + windowMs - Date.now()) / 1000)
    },
    count(key) {
      const next = findCurrent(key) ?? { count: 0, since: Date.now() }
      next.count += 1
      failures.set(key, next)
    },
    takeBack(key) {
      const found = findCurrent(key)
      if (found) found.count -= 1
    },
    clear(key) {
      failures.delete(key)
    },
  }
}

/** An IPv6 customer owns a whole /64, so that is what counts as one address. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = address.includes('::') ? new Array<string>(8 - left.length - right.length).fill('0') : []
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
