import type { Database } from '../../db/database.ts'
import {
  type SeenBlob,
  type StoreHealth,
  selectDamaged,
  selectStoreHealth,
  selectUnread,
  setRead,
  sumStoredBytes,
  type WalkPlace,
} from '../repository.ts'
import type { GuardedStorage } from '../storage.ts'
import { checkStoreId } from '../store-id.ts'
import { isTooMuch, lookAgain, type Suspect } from './check.ts'
import { inspectBlob } from './inspect.ts'

export interface WalkOptions {
  /** Every content is read at least once in this time. */
  periodDays: number
  /** Since the last walk: its share of the period is the share of the bytes that is read now. */
  sinceSeconds: number
  /** No content is begun after this long. */
  budgetSeconds: number
  /** A fault counts when it is seen twice, this far apart. */
  secondLookSeconds?: number
  signal?: AbortSignal
}

export interface StoreWalk {
  readCount: number
  readBytes: number
  /** Contents that were found bad, or well again. */
  damaged: string[]
  healed: string[]
  /** Too much was wrong to be believed: nothing was quarantined. */
  isStopped: boolean
}

const pageSize = 200
const mostDamaged = 1_000
/** Some walks are missed, and some contents arrive in between. */
const haste = 1.25
const daySeconds = 24 * 3600

export const findStoreHealth = (db: Database): Promise<StoreHealth> => selectStoreHealth(db)

/**
 * Reads contents in the order in which they were last read, as many bytes as it takes to come round within the period, and what has
 * waited longer than that as far as the time goes. What is bad is quarantined; what was and is well again is given out again.
 */
export async function walkStore(db: Database, storage: GuardedStorage, options: WalkOptions): Promise<StoreWalk> {
  await checkStoreId(db, storage)
  const walk: StoreWalk = { readCount: 0, readBytes: 0, damaged: [], healed: [], isStopped: false }
  for (const blob of await selectDamaged(db, mostDamaged)) {
    if (await inspectBlob(storage, blob, { level: 'content', ...signalOf(options) })) continue
    await storage.release(blob.storeKey)
    walk.healed.push(blob.sha256)
  }
  const suspects: Suspect[] = []
  for await (const blob of listDue(db, walk, options)) {
    const finding = await inspectBlob(storage, blob, { level: 'content', ...signalOf(options) })
    walk.readCount += 1
    walk.readBytes += blob.sizeBytes
    if (finding) suspects.push({ blob, fault: finding.fault })
    else await setRead(db, blob)
    walk.isStopped = isTooMuch(suspects.length, walk.readCount)
    if (walk.isStopped) return walk
  }
  for (const finding of await lookAgain(db, storage, suspects, { ...options, level: 'content' })) {
    if (finding.fault === 'unreadable') continue
    await storage.quarantine(finding)
    walk.damaged.push(finding.sha256)
  }
  return walk
}

async function* listDue(db: Database, walk: StoreWalk, options: WalkOptions): AsyncGenerator<SeenBlob> {
  const { periodDays, sinceSeconds, budgetSeconds } = options
  const before = new Date()
  const deadline = performance.now() + budgetSeconds * 1000
  const overdueBefore = before.getTime() - periodDays * daySeconds * 1000
  const sizeBytes = await sumStoredBytes(db)
  const shareBytes = Math.min(1, (haste * sinceSeconds) / (periodDays * daySeconds)) * sizeBytes
  for (let after: WalkPlace | undefined = { readAt: '-infinity', sha256: '' }; after; ) {
    const page: (SeenBlob & WalkPlace)[] = await selectUnread(db, { after, before, limit: pageSize })
    for (const blob of page) {
      const isDue = walk.readBytes < shareBytes || new Date(blob.readAt).getTime() < overdueBefore
      if (!isDue || performance.now() > deadline) return
      yield blob
    }
    after = page.length === pageSize ? page.at(-1) : undefined
  }
}

const signalOf = ({ signal }: WalkOptions) => (signal ? { signal } : {})
