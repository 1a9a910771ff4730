import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely'
import pg from 'pg'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { nameMarkedStatements } from './prepared.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
export type Transaction = KyselyTransaction<Schema>

/** Where the database is: a URL, or what the embedded one says. */
export type Connection =
  | {
      connectionString: string
      /** PostgreSQL itself, where the other address is that of a pooler that lends a connection for one transaction at a time. */
      directUrl?: string | undefined
      /** Most connections of one process. */
      most?: number
    }
  | Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'password' | 'database'>

const usualConnections = 10

/** What PostgreSQL shows of sessions of the program itself, in `pg_stat_activity`. */
export const programName = 'nmp'

const isPooled = (connection: Connection): boolean =>
  'connectionString' in connection && connection.directUrl !== undefined

/** Past a pooler: for what needs a session of its own (LISTEN, a lock that outlives a transaction). */
export const withoutPooler = (connection: Connection): Connection =>
  'connectionString' in connection
    ? { connectionString: connection.directUrl ?? connection.connectionString }
    : connection

interface DatabaseOptions {
  connection: Connection
  log: Log
  maxConnections?: number
  /** How long a query may wait for a free connection before it is refused. */
  waitSeconds?: number
  statementSeconds?: number
  /** What PostgreSQL shows of its sessions. */
  applicationName?: string | undefined
}

export interface OpenDatabase {
  db: Database
  /** For what Kysely does not do: LISTEN, COPY, the lease statements. */
  pool: pg.Pool
  close(): Promise<void>
}

export const openDatabase = ({
  connection,
  log,
  maxConnections = 'connectionString' in connection ? (connection.most ?? usualConnections) : usualConnections,
  waitSeconds = 10,
  statementSeconds = 30,
  applicationName = programName,
}: DatabaseOptions): OpenDatabase => {
  const pooled = isPooled(connection)
  const pool = new pg.Pool({
    ...('connectionString' in connection ? { connectionString: connection.connectionString } : connection),
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: waitSeconds * 1000,
    idleTimeoutMillis: 30_000,
    types: typeParsers,
    keepAlive: true,
    // A pooler refuses or forgets what a session begins with, and gives the next statement to another one that has prepared nothing.
    ...(pooled ? {} : { options: sessionOptions(statementSeconds) }),
  })
  // One that dies between two statements of a transaction says so on itself, and the next statement fails with it.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    if (!pooled) nameMarkedStatements(client)
  })
  let isClosing = false
  // A connection that dies while idle is replaced by the pool; without a listener it would end the program.
  pool.on('error', (error) => {
    // The pool says it has ended before its sockets have, so the embedded server may be the one to close them.
    if (!isClosing) log.warn({ error: describeError(error) }, 'an idle database connection was lost')
  })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const close = async (): Promise<void> => {
    isClosing = true
    await db.destroy()
    // Kysely leaves a pool alone that it never asked anything.
    if (!pool.ending) await pool.end()
  }
  return { db, pool, close }
}

/** They bound what a lost or forgotten session can hold. */
const sessionOptions = (statementSeconds: number): string =>
  [
    `statement_timeout=${statementSeconds * 1000}`,
    'lock_timeout=10000',
    'idle_in_transaction_session_timeout=30000',
    'timezone=UTC',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ')

const int8 = 20

/** Counts and byte sizes stay far below 2^53, so bigint arrives as a number. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

const serializationFailure = '40001'
const deadlock = '40P01'
const maxTries = 5

/**
 * Runs `work` in one transaction and again when PostgreSQL asks for it (deadlock, serialization failure), so it must
 * change nothing but the database. Inside a transaction it takes part in that one.
 */
export const inTransaction = async <T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> => {
  if (db.isTransaction) return work(db as Transaction)
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const code = sqlStateOf(error)
      if ((code !== serializationFailure && code !== deadlock) || tries === maxTries) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries))
    }
  }
}

/** The five characters by which PostgreSQL names an error. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

const connectionStates = new Set(['57P01', '57P02', '57P03', '53300'])
const connectionCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The database could not be reached or went away: what was asked may or may not have been done. */
export const isConnectionError = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  if (state) return state.startsWith('08') || connectionStates.has(state)
  if (!(error instanceof Error)) return false
  if ('code' in error && connectionCodes.has(String(error.code))) return true
  return /connection (terminated|ended|timeout)|terminating connection|timeout exceeded when trying to connect|client (was closed|has encountered a connection error)/i.test(
    error.message,
  )
}

export const pingDatabase = async (db: Database): Promise<void> => {
  await db.selectNoFrom((row) => row.lit(1).as('one')).execute()
}
