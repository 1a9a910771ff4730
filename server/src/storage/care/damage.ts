import { type Database, inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { newBlobKey, parseRunKey } from '../keys.ts'
import * as repository from '../repository.ts'
import type { ObjectStorage } from '../storage.ts'
import { type BlobFinding, inspectBlob } from './inspect.ts'
import type { SoundMemory } from './sound-memory.ts'

/** How operators hear of it. */
export interface DamageReport {
  log: Log
  /** Of what was found bad, refused to readers, and made good again. */
  count(event: 'found' | 'refused' | 'healed', fault: string): void
}

export const contentDamaged = (sha256: string): ServiceError =>
  new ServiceError(
    'content_damaged',
    `The stored bytes of this file (sha256 ${sha256}) are damaged or gone, so they are not given out. ` +
      'The operator has been told. Upload, push or import the file again to restore it everywhere.',
  )

/** From now on nothing of it is given out. What could not be looked at is not accused. */
export async function quarantine(db: Database, { log, count }: DamageReport, finding: BlobFinding): Promise<void> {
  if (finding.fault === 'unreadable') return
  if (!(await repository.insertDamage(db, finding, finding))) return
  const { sha256, storeKey, fault, sentence } = finding
  log.error(
    { sha256, storeKey, fault, sentence },
    'a stored content is damaged: it is quarantined until good bytes come in',
  )
  count('found', fault)
}

/** Its bytes were read and hold: a disk that came back, a backup that was restored. */
export async function release(db: Database, { log, count }: DamageReport, storeKey: string): Promise<void> {
  if (!(await repository.deleteDamage(db, storeKey))) return
  log.warn({ storeKey }, 'a stored content is what it was again')
  count('healed', 'none')
}

/**
 * Good bytes came in. Where the copy that was stored before is bad they take its place, under a key of their own: what was staged stays
 * the writer's. The older copy is read for it, as it is about to be relied on for the new owner too, unless it was read a moment ago.
 * True where it was healed.
 */
export async function healTwin(
  db: Database,
  storage: ObjectStorage,
  { log, count, sound }: DamageReport & { sound: SoundMemory },
  staged: repository.Blob,
): Promise<boolean> {
  const run = parseRunKey(staged.storeKey)
  const twin = await repository.selectLiveBlob(db, staged.sha256)
  if (!run || !twin || twin.storeKey === staged.storeKey) return false
  // Where it cannot even be found, the look below says why.
  const head = await storage.findObject(twin.storeKey).catch(() => undefined)
  if (head && !twin.fault && sound.has(head)) return false
  const finding = await inspectBlob(storage, twin, { level: 'content' })
  if (!finding) {
    if (head) sound.add(head)
    if (twin.fault) await release(db, { log, count }, twin.storeKey)
    else await repository.setRead(db, twin)
    return twin.fault !== null
  }
  const storeKey = newBlobKey(run.jobId, run.epoch)
  await storage.copyObject(staged.storeKey, storeKey)
  const isReplaced = await inTransaction(db, async (trx) => {
    await repository.insertDamage(trx, twin, finding)
    return repository.replaceObject(trx, twin, storeKey)
  })
  if (!isReplaced) {
    await storage.deleteObject(storeKey)
    return false
  }
  const { sha256, fault, sentence } = finding
  log.warn(
    { sha256, storeKey, damagedKey: twin.storeKey, fault, sentence },
    'a damaged content was healed by new bytes',
  )
  count('healed', fault)
  return true
}
