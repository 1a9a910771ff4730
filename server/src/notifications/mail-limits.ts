import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import * as repository from './repository.ts'

const mostToReceiver = 10

interface Cause {
  /** Null: somebody who is not signed in. */
  senderId: string | null
  orgId: string | null
  to: string
}

/**
 * Counts a mail that one person causes to another, in the transaction of what is written in it, and refuses it where there were too many
 * in the last hour: by its sender, in the name of the organization, to the receiver from anybody. All processes count together.
 */
export async function countCausedMail(
  trx: Transaction,
  { NMP_MAILS_PER_HOUR: most }: Pick<Config, 'NMP_MAILS_PER_HOUR'>,
  { senderId, orgId, to }: Cause,
): Promise<void> {
  if (most === 0) return
  const receiverSha256 = createHash('sha256').update(to.toLowerCase()).digest()
  const cause = { senderId, orgId, receiverSha256 }
  await repository.lockCauses(trx, cause)
  const { sender, org, receiver } = await repository.countCauses(trx, cause)
  refuse(sender, most, `You have caused ${most} mails within an hour (NMP_MAILS_PER_HOUR)`)
  refuse(org, 2 * most, `${2 * most} mails were sent for this organization within an hour (NMP_MAILS_PER_HOUR)`)
  refuse(receiver, mostToReceiver, `${mostToReceiver} mails were sent to this address within an hour`)
  await repository.insertCause(trx, cause)
}

function refuse({ count, seconds }: { count: number; seconds: number }, most: number, sentence: string): void {
  if (count < most) return
  const retryAfterSeconds = Math.max(1, seconds)
  const minutes = Math.ceil(retryAfterSeconds / 60)
  throw new ServiceError(
    'too_many_requests',
    `${sentence}. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds },
  )
}
