import type { Context } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import * as repository from './repository.ts'
import { notify } from './service.ts'

const digestHour = 8
/** A program that was down on Monday morning still writes; on Tuesday morning the week has lost its news. */
const openHours = 24
const batchSize = 200

/** Writes last week's digest to everybody for whom Monday 08:00 has come. Any process may, as often as it likes. */
export async function writeDigests(context: Context, now = new Date()): Promise<number> {
  let written = 0
  for (const timezone of await repository.listTimezones(context.db)) {
    const monday = findMonday(timezone, now)
    if (!monday) continue
    for (;;) {
      const readers = await repository.listDigestReaders(context.db, timezone, monday, batchSize)
      for (const userId of readers) if (await writeDigest(context, userId, monday, now)) written += 1
      if (readers.length < batchSize) break
    }
  }
  return written
}

const writeDigest = ({ db }: Context, userId: string, monday: string, now: Date): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    if (!(await repository.recordDigest(trx, userId, monday))) return false
    const projects = await repository.countWeek(trx, userId, now)
    if (projects.length === 0) return false // a quiet week needs no mail
    const total = (of: (one: repository.DigestCount) => number) => projects.reduce((sum, one) => sum + of(one), 0)
    await notify(trx, {
      kind: 'weekly_digest',
      userIds: [userId],
      orgId: null,
      resourceKind: 'user',
      resourceId: userId,
      title: `Your week on nmp: ${describeCounts({
        importedCount: total((one) => one.importedCount),
        exportedCount: total((one) => one.exportedCount),
        failedCount: total((one) => one.failedCount),
      })}.`,
      path: '/',
      lines: projects.map((one) => `${one.orgSlug}/${one.projectSlug}: ${describeCounts(one)}`),
    })
    return true
  })

type Counts = Pick<repository.DigestCount, 'importedCount' | 'exportedCount' | 'failedCount'>

const describeCounts = ({ importedCount, exportedCount, failedCount }: Counts): string => {
  const parts = [
    count(importedCount, 'import'),
    count(exportedCount, 'export'),
    failedCount > 0 ? `${failedCount} failed` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

const count = (number: number, noun: string): string =>
  number === 0 ? '' : `${number} ${number === 1 ? noun : `${noun}s`}`

/** The date of the Monday whose digest is due in this time zone now; undefined at other times, and for zones nobody knows. */
export function findMonday(timezone: string, now: Date): string | undefined {
  const local = readLocalTime(timezone, now)
  if (!local) return undefined
  const hoursIntoWeek = ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours()
  if (hoursIntoWeek < digestHour || hoursIntoWeek >= digestHour + openHours) return undefined
  const monday = new Date(local)
  monday.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7))
  return monday.toISOString().slice(0, 10)
}

/** The clock on the wall there, as if it were UTC. */
function readLocalTime(timezone: string, now: Date): Date | undefined {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' })
    return new Date(`${format.format(now).replace(' ', 'T')}Z`)
  } catch {
    return undefined
  }
}
