import { sql } from 'kysely'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Database, isConnectionError, type OpenDatabase, openDatabase, sqlStateOf } from './database.ts'

/** For reads that may be some seconds old, and that nobody's rights depend on. */
export interface Replica {
  /** Asks the replica while it keeps up, otherwise the server itself. */
  read<T>(ask: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface ReplicaOptions {
  url: string
  primary: Database
  log: Log
  /** One that is further behind is not asked. */
  maxLagSeconds?: number
  /** How long a judgement on it holds. */
  judgeSeconds?: number
}

export const withoutReplica = (db: Database): Replica => ({ read: (ask) => ask(db), close: async () => undefined })

export function openReplica({ url, primary, log, maxLagSeconds = 30, judgeSeconds = 5 }: ReplicaOptions): Replica {
  const replica = openDatabase({ connection: { connectionString: url }, log, waitSeconds: 3 })
  const judge = createJudge(replica, primary, maxLagSeconds)
  let complaint: string | undefined
  let judgedAt = Number.NEGATIVE_INFINITY
  let judging: Promise<void> | undefined

  const decide = (found: string | undefined): void => {
    if (found && !complaint) log.warn({ reason: found }, 'the read replica is not asked')
    if (!found && complaint) log.info('the read replica is asked again')
    complaint = found
    judgedAt = Date.now()
  }
  const renew = (): Promise<void> => {
    judging ??= within(answerSeconds, judge())
      .catch((error) => describeError(error))
      .then(decide)
      .finally(() => {
        judging = undefined
      })
    return judging
  }
  return {
    async read(ask) {
      const isFirst = judgedAt === Number.NEGATIVE_INFINITY
      if (Date.now() - judgedAt > judgeSeconds * 1000) {
        const renewed = renew()
        if (isFirst) await renewed
      }
      if (complaint) return ask(primary)
      try {
        return await within(answerSeconds, ask(replica.db))
      } catch (error) {
        if (!(error instanceof NoAnswer) && !isConnectionError(error) && !isOfReplicas(error)) throw error
        decide(describeError(error))
        return ask(primary)
      }
    },
    close: () => replica.close(),
  }
}

/** A server that is cut off refuses nothing: it is silent. */
const answerSeconds = 5
class NoAnswer extends Error {}

function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new NoAnswer(`it did not answer within ${seconds} s`)), seconds * 1000)
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}

/** A query that stood in the way of what was replayed, and a table or column that the replica does not have yet. */
const replicaStates = new Set(['40001', '42P01', '42703'])
const isOfReplicas = (error: unknown): boolean => replicaStates.has(sqlStateOf(error) ?? '')

interface Place {
  at: number
  /** A position in PostgreSQL's log. */
  lsn: bigint
}

const maxPlaces = 1000

/**
 * Says what speaks against asking the replica. How far it is behind is known from where the server was when: the time of the last
 * transaction that was replayed says nothing while nobody writes.
 */
function createJudge({ pool }: OpenDatabase, primary: Database, maxLagSeconds: number) {
  let places: Place[] = []
  return async (): Promise<string | undefined> => {
    if (places.length < maxPlaces) places.push({ at: Date.now(), lsn: await findLsn(primary) })
    const { rows } = await pool.query<{ replayed: string | null }>(
      `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text end as replayed`,
    )
    const replayed = rows[0]?.replayed
    if (replayed == null) return 'the server of NMP_DATABASE_REPLICA_URL replays no log: it is no replica'
    places = places.filter(({ lsn }) => lsn > BigInt(replayed))
    const lagSeconds = places[0] ? Math.round((Date.now() - places[0].at) / 1000) : 0
    return lagSeconds > maxLagSeconds ? `it is ${lagSeconds} s behind` : undefined
  }
}

async function findLsn(primary: Database): Promise<bigint> {
  const { rows } = await sql<{ lsn: string }>`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as lsn`.execute(
    primary,
  )
  return BigInt(rows[0]?.lsn ?? 0)
}
