import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { type BlobOwner, type SeenBlob, selectLiveBlobs, selectNeededBlobs, selectReferences } from '../repository.ts'
import type { ObjectStorage } from '../storage.ts'
import { checkStoreId } from '../store-id.ts'
import type { BlobFault } from '../tables.ts'
import { listInBatches, listUnclaimedKeys } from './collection.ts'
import { type BlobFinding, type CheckLevel, inspectBlob } from './inspect.ts'

export interface CheckOptions {
  level?: CheckLevel
  /** A fault counts when it is seen twice, this far apart. */
  secondLookSeconds?: number
  signal?: AbortSignal
}

/** In the words of an import's `consistency_status`. */
export interface OwnerCheck {
  status: 'ok' | 'missing_artifact' | 'checksum_mismatch' | 'error'
  examined: number
  findings: (BlobFinding & { logicalPaths: string[] })[]
  /** Were known to be bad and are well again. */
  soundKeys: string[]
}

export interface StoreCheck {
  examinedBlobs: number
  examinedObjects: number
  /** Rows whose object is missing, differs or cannot be read. */
  findings: BlobFinding[]
  /** Objects without a row, past the grace time, of no job that may still publish. Waste, not damage. */
  orphanKeys: string[]
  /** More than one in a hundred, or a hundred, had a fault: something larger is wrong, and the check ended there. */
  stopped: boolean
}

export interface Suspect {
  blob: SeenBlob
  fault: BlobFault
}

const maxFindings = 100
const maxOrphanKeys = 10_000
const pageSize = 500

/** Checks what one owner needs; what is known to be bad is read again, whatever the level. Changes nothing. Throws `not_ready` when the store itself is not there or not ours. */
export const checkOwner = async (
  db: Database,
  storage: ObjectStorage,
  owner: BlobOwner,
  options: CheckOptions = {},
): Promise<OwnerCheck> => {
  await checkStoreId(db, storage)
  const pathsByHash = new Map<string, string[]>()
  const suspects: Suspect[] = []
  const soundKeys: string[] = []
  let page = await selectReferences(db, owner, '', pageSize)
  while (page.length > 0) {
    const unseen = new Map<string, SeenBlob>()
    for (const reference of page) {
      const paths = pathsByHash.get(reference.sha256)
      if (paths) paths.push(reference.logicalPath)
      else {
        pathsByHash.set(reference.sha256, [reference.logicalPath])
        unseen.set(reference.sha256, reference)
      }
    }
    for (const blob of unseen.values()) {
      const finding = await inspectBlob(storage, blob, options)
      if (finding) suspects.push({ blob, fault: finding.fault })
      else if (blob.fault) soundKeys.push(blob.storeKey)
    }
    page = await selectReferences(db, owner, page.at(-1)?.logicalPath ?? '', pageSize)
  }
  const findings = await lookAgain(db, storage, suspects, options)
  return {
    status: summarize(findings),
    examined: pathsByHash.size,
    findings: findings.map((finding) => ({ ...finding, logicalPaths: pathsByHash.get(finding.sha256) ?? [] })),
    soundKeys,
  }
}

interface StoreCheckOptions extends CheckOptions {
  graceSeconds?: number
  /** As for `collectRuns`. */
  listActiveJobs(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** Checks both ways: every needed row against its object, every object against the rows. Changes nothing. */
export const checkStore = async (
  db: Database,
  storage: ObjectStorage,
  { listActiveJobs, graceSeconds = 24 * 3600, ...options }: StoreCheckOptions,
): Promise<StoreCheck> => {
  await checkStoreId(db, storage)
  const check: StoreCheck = { examinedBlobs: 0, examinedObjects: 0, findings: [], orphanKeys: [], stopped: false }
  const suspects: Suspect[] = []
  let page = await selectNeededBlobs(db, '', pageSize)
  while (page.length > 0 && !check.stopped) {
    for (const blob of page) {
      check.examinedBlobs++
      const finding = await inspectBlob(storage, blob, options)
      if (finding) suspects.push({ blob, fault: finding.fault })
      check.stopped = isTooMuch(suspects.length, check.examinedBlobs)
      if (check.stopped) break
    }
    if (!check.stopped) page = await selectNeededBlobs(db, page.at(-1)?.sha256 ?? '', pageSize)
  }
  check.findings = await lookAgain(db, storage, suspects, options)
  if (check.stopped) return check

  const olderThan = Date.now() - graceSeconds * 1000
  for await (const batch of listInBatches(storage, pageSize)) {
    options.signal?.throwIfAborted()
    check.examinedObjects += batch.length
    const old = batch.filter((object) => object.lastModified.getTime() <= olderThan)
    check.orphanKeys.push(...(await listUnclaimedKeys(db, old, listActiveJobs)))
    if (check.orphanKeys.length >= maxOrphanKeys) break
  }
  return check
}

/** Something larger is wrong than the contents that were looked at. */
export const isTooMuch = (suspectCount: number, examined: number): boolean =>
  suspectCount >= maxFindings || (examined >= 1_000 && suspectCount > examined / 100)

/** The second look: the store must still be ours, the row must still say so, and the fault must be the same. */
export const lookAgain = async (
  db: Database,
  storage: ObjectStorage,
  suspects: readonly Suspect[],
  options: CheckOptions,
): Promise<BlobFinding[]> => {
  if (suspects.length === 0) return []
  const { secondLookSeconds = 60, signal } = options
  await sleep(secondLookSeconds * 1000, undefined, signal ? { signal } : {})
  await checkStoreId(db, storage)
  const stillLive = await selectLiveBlobs(
    db,
    suspects.map(({ blob }) => blob.sha256),
  )
  const findings: BlobFinding[] = []
  for (const { blob, fault } of suspects) {
    if (!stillLive.some((live) => live.sha256 === blob.sha256 && live.storeKey === blob.storeKey)) continue
    const finding = await inspectBlob(storage, blob, options)
    // Two different faults are no proof of either.
    if (finding) findings.push(finding.fault === fault ? finding : { ...finding, fault: 'unreadable' })
  }
  return findings
}

const summarize = (findings: readonly BlobFinding[]): OwnerCheck['status'] => {
  const has = (fault: BlobFault): boolean => findings.some((finding) => finding.fault === fault)
  if (has('mismatch')) return 'checksum_mismatch'
  if (has('missing')) return 'missing_artifact'
  return has('unreadable') ? 'error' : 'ok'
}
