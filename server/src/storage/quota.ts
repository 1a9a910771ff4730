import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import * as repository from './repository.ts'

/** One transaction at a time counts what somebody has and adds to it: an organization, or a person. */
export const lockUsage = (trx: Transaction, owner: string): Promise<void> => repository.lockUsage(trx, owner)

/** What adds to what an organization stores, as a sentence names it, and what people can do when it does not fit. */
const additions = {
  export: { what: 'the export', remedy: 'Delete datasets or versions, export less' },
  copy: { what: 'the copy', remedy: 'Delete datasets or versions' },
  push: { what: 'this push', remedy: 'Delete datasets' },
  source: { what: 'the source', remedy: 'Delete datasets' },
  upload: { what: 'this upload', remedy: 'Delete datasets or uploads' },
} as const

export interface Quota {
  orgId: string
  /** 0: none. */
  quotaBytes: number
  /** Of all organizations that the one who made this one has made. 0: none. */
  personQuotaBytes: number
  addition: keyof typeof additions
}

type QuotaSettings = Pick<Config, 'NMP_ORG_QUOTA_BYTES' | 'NMP_PERSON_QUOTA_BYTES'>

export const personQuotaOf = (config: QuotaSettings): number =>
  config.NMP_PERSON_QUOTA_BYTES ?? config.NMP_ORG_QUOTA_BYTES

export const quotaOf = (config: QuotaSettings, orgId: string, addition: Quota['addition']): Quota => ({
  orgId,
  quotaBytes: config.NMP_ORG_QUOTA_BYTES,
  personQuotaBytes: personQuotaOf(config),
  addition,
})

export const sumPersonUsage = (db: Database, userId: string): Promise<number> => repository.sumPersonUsage(db, userId)

/** Whose quota an organization counts for, beside its own. */
export const findCreator = (db: Database, orgId: string): Promise<string | undefined> =>
  repository.findCreator(db, orgId)

/** Before any work: what cannot fit is not begun. `pending` is promised to others and not stored yet. */
export async function requireRoom(
  db: Database,
  quota: Quota,
  neededBytes: number,
  pending = { orgBytes: 0, personBytes: 0 },
): Promise<void> {
  const { orgId, quotaBytes, personQuotaBytes } = quota
  if (quotaBytes > 0) {
    const { sizeBytes } = await repository.sumOrgUsage(db, orgId)
    refuseOver(quota, { whose: 'The organization has', usedBytes: sizeBytes + pending.orgBytes, neededBytes })
  }
  const creator = personQuotaBytes > 0 ? await repository.findCreator(db, orgId) : undefined
  if (creator === undefined) return
  const usedBytes = (await repository.sumPersonUsage(db, creator)) + pending.personBytes
  const personal = { ...quota, quotaBytes: personQuotaBytes, setting: personSetting }
  refuseOver(personal, { whose: 'The organizations of the person who made this one have', usedBytes, neededBytes })
}

/** Apart from the lock of a person who uploads: people who upload to each other's organizations would wait in a circle. */
export const creatorLock = (userId: string): string => `creator ${userId}`

const personSetting = 'NMP_PERSON_QUOTA_BYTES'

interface Room {
  /** The beginning of the sentence that refuses. */
  whose: string
  usedBytes: number
  neededBytes: number
}

/** Throws where more is needed than is left. */
export function refuseOver(
  { quotaBytes, addition, setting }: Pick<Quota, 'quotaBytes' | 'addition'> & { setting?: string },
  { whose, usedBytes, neededBytes }: Room,
): void {
  const free = Math.max(0, quotaBytes - usedBytes)
  if (quotaBytes === 0 || neededBytes <= free) return
  const { what, remedy } = additions[addition]
  throw tooMuch(`${whose} ${free} of ${quotaBytes} bytes left; ${what} needs ${neededBytes}.`, remedy, setting)
}

/** Adds to what an organization has, one transaction at a time; where that is too much, nothing is added. Contents it had already count once. */
export async function addWithinQuota(
  trx: Transaction,
  { orgId, quotaBytes, personQuotaBytes, addition }: Quota,
  add: () => Promise<unknown>,
): Promise<void> {
  const creator = personQuotaBytes > 0 ? await repository.findCreator(trx, orgId) : undefined
  // The person first, always: two that add to organizations of one person wait for each other here.
  if (creator !== undefined) await lockUsage(trx, creatorLock(creator))
  if (quotaBytes > 0) await lockUsage(trx, orgId)
  await add()
  const { what, remedy } = additions[addition]
  if (quotaBytes > 0) {
    const { sizeBytes } = await repository.sumOrgUsage(trx, orgId)
    if (sizeBytes > quotaBytes)
      throw tooMuch(`With ${what} the organization would have ${sizeBytes} of ${quotaBytes} bytes.`, remedy)
  }
  if (creator === undefined) return
  const sizeBytes = await repository.sumPersonUsage(trx, creator)
  const whose = 'the organizations of the person who made this one'
  if (sizeBytes > personQuotaBytes)
    throw tooMuch(`With ${what} ${whose} would have ${sizeBytes} of ${personQuotaBytes} bytes.`, remedy, personSetting)
}

const tooMuch = (sentence: string, remedy: string, setting = 'NMP_ORG_QUOTA_BYTES'): ServiceError =>
  new ServiceError('quota_exceeded', `${sentence} ${remedy}, or ask the operator for more (${setting}).`)
