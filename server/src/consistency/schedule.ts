import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { findSetting, storeSetting } from '../db/settings.ts'
import { ServiceError } from '../errors.ts'
import { findStoreHealth, type StoreWalk, walkStore } from '../storage/care/walk.ts'
import * as repository from './repository.ts'
import { checkImports, checkImportsOf } from './service.ts'

/** How often a worker process looks for what is due. */
export const roundSeconds = 600
const presenceDays = 1
const presenceSeconds = 200
const readingSeconds = 300
/** A claim that was never released: the two, and their second looks. */
const claimSeconds = 900
const daySeconds = 24 * 3600

const walkName = 'store_walk'

interface LastWalk {
  endedAt: string
  readCount: number
  readBytes: number
  isStopped: boolean
}

/**
 * The rolling schedule of worker processes, of which one does it at a time: everything that imports stored is looked at daily, and every
 * content is read within the period that is set.
 */
export async function checkWhatIsDue(
  context: Pick<Context, 'db' | 'storage' | 'log' | 'config'>,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await repository.claimRound(context.db, claimSeconds))) return
  const options = signal ? { signal } : {}
  try {
    await checkImports(context, {
      level: 'presence',
      dueDays: presenceDays,
      budgetSeconds: presenceSeconds,
      ...options,
    })
    await walk(context, options)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    context.log.error({ error: error.message }, 'what is stored was not checked')
  } finally {
    await repository.releaseRound(context.db)
  }
}

interface WalkSettings {
  secondLookSeconds?: number
  signal?: AbortSignal
}

/** One stretch of the walk over every content, and what came of it for those who need them. */
export async function walk(
  context: Pick<Context, 'db' | 'storage' | 'log' | 'config'>,
  options: WalkSettings = {},
): Promise<StoreWalk> {
  const { db, storage, log, config } = context
  const last = await findLastWalk(db)
  const sinceSeconds = last ? (Date.now() - Date.parse(last.endedAt)) / 1000 : roundSeconds
  const periodDays = config.NMP_CHECK_PERIOD_DAYS
  const done = await walkStore(db, storage, { periodDays, sinceSeconds, budgetSeconds: readingSeconds, ...options })
  const { readCount, readBytes, isStopped } = done
  if (isStopped)
    log.error(
      { readCount },
      'the walk over stored contents was stopped: too much seems wrong at once. Check the storage first; nothing was quarantined.',
    )
  const said: LastWalk = { endedAt: new Date().toISOString(), readCount, readBytes, isStopped }
  await storeSetting(db, walkName, said)
  await checkImportsOf(context, [...done.damaged, ...done.healed])
  return done
}

const findLastWalk = async (db: Database): Promise<LastWalk | undefined> =>
  (await findSetting(db, walkName)) as LastWalk | undefined

/** How it stands with what is stored, for operators: counts and times, no names. */
export async function describeCheck({ db, config }: Pick<Context, 'db' | 'config'>) {
  const periodDays = config.NMP_CHECK_PERIOD_DAYS
  const { damagedCount, longestUnreadAt } = await findStoreHealth(db)
  const last = await findLastWalk(db)
  const oldest = longestUnreadAt?.getTime() ?? Date.now()
  return {
    period_days: periodDays,
    damaged_count: damagedCount,
    longest_unread_at: longestUnreadAt?.toISOString() ?? null,
    is_on_schedule: Date.now() - oldest <= periodDays * daySeconds * 1000,
    last_walk: last
      ? {
          ended_at: last.endedAt,
          content_count: last.readCount,
          size_bytes: last.readBytes,
          was_stopped: last.isStopped,
        }
      : null,
  }
}
