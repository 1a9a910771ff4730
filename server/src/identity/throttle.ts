import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Database } from '../db/database.ts'
import * as repository from './repository.ts'

export interface Throttle {
  /** Counts a try before its outcome is known. Seconds to wait where this key has too many; then it is not counted. */
  count(key: string): Promise<number | undefined>
  /** What was counted in advance turned out well. Others that count stay: one good password pays for no guesses. */
  takeBack(key: string): Promise<void>
  clear(key: string): Promise<void>
}

/** Counts tries by key, in a window that starts with the first, for all processes of the database together. */
export function createThrottle(db: Database, name: string, limit: { most: number; minutes: number }): Throttle {
  const digest = (key: string): Buffer => createHash('sha256').update(`${name} ${key}`).digest()
  return {
    count: (key) => repository.countAttempt(db, digest(key), limit),
    takeBack: (key) => repository.takeBackAttempt(db, digest(key)),
    clear: (key) => repository.clearAttempts(db, digest(key)),
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
