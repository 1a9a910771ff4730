import pg from 'pg'
import type { Connection } from '../db/database.ts'
import type { BlobFault, BlobState } from '../storage/tables.ts'
import { type Lsn, parseLsn, renderLsn } from './lsn.ts'

/** One who writes backups of this database at a time. */
const lockKey = 5_862_310_217
/** What a chain that goes on keeps the log by: `nmp_backup_` and the chain's id. */
const slotPrefix = 'nmp_backup_'

export type Session = pg.Client

/** Waits for whoever is at it. */
export const inPatientSession = <T>(connection: Connection, work: (session: Session) => Promise<T>): Promise<T> =>
  inSession(connection, async (session) => {
    await session.query('select pg_advisory_lock($1)', [lockKey])
    return work(session)
  })

/** Undefined when somebody else is at it. */
export const inFreeSession = <T>(
  connection: Connection,
  work: (session: Session) => Promise<T>,
): Promise<T | undefined> =>
  inSession(connection, async (session) => {
    const { rows } = await session.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [lockKey])
    return rows[0]?.got ? work(session) : undefined
  })

/** A connection of its own, for work that takes long. */
async function inSession<T>(connection: Connection, work: (session: Session) => Promise<T>): Promise<T> {
  const session = new pg.Client({ ...connection, options: '-c statement_timeout=0 -c timezone=UTC' })
  session.on('error', () => undefined)
  await session.connect()
  try {
    return await work(session)
  } finally {
    await session.end().catch(() => undefined)
  }
}

export interface ServerFacts {
  dataFolder: string
  postgresMajor: number
  systemIdentifier: string
  timeline: number
  segmentBytes: number
}

export async function findServerFacts(session: Session): Promise<ServerFacts> {
  const { rows } = await session.query<ServerFacts>(
    `select current_setting('data_directory') as "dataFolder",
       current_setting('server_version_num')::int / 10000 as "postgresMajor",
       (select system_identifier::text from pg_control_system()) as "systemIdentifier",
       (select timeline_id from pg_control_checkpoint()) as "timeline",
       pg_size_bytes(current_setting('wal_segment_size'))::int as "segmentBytes"`,
  )
  return rows[0] as ServerFacts
}

export interface Moment {
  /** Whatever was acknowledged before this is in the log up to `lsn`. In milliseconds. */
  until: number
  /** Where a record ends, and on the disk. */
  lsn: Lsn
  /** Rows that a later moment sees and this one does not were changed after this. */
  blobsSince: string
}

export async function findMoment(session: Session): Promise<Moment> {
  const before = await session.query<{ until: number; since: string }>(
    `select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as until,
       least(clock_timestamp(), (select min(xact_start) from pg_stat_activity where datname = current_database()))::text as since`,
  )
  const after = await session.query<{ lsn: string; isOnDisk: boolean; segmentBytes: number }>(
    `select pg_current_wal_insert_lsn()::text as lsn, pg_size_bytes(current_setting('wal_segment_size'))::int as "segmentBytes",
       pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as "isOnDisk"`,
  )
  // A commit of something that is logged brings everything before it to the disk.
  if (!after.rows[0]?.isOnDisk) await session.query("select pg_logical_emit_message(true, 'nmp', '')")
  return {
    until: before.rows[0]?.until ?? 0,
    lsn: endOfRecord(parseLsn(after.rows[0]?.lsn ?? '0/0'), Number(after.rows[0]?.segmentBytes)),
    blobsSince: before.rows[0]?.since ?? '-infinity',
  }
}

const pageBytes = 8192n
const pageHeadBytes = 24n
const segmentHeadBytes = 40n

/** Where the server would write next is behind the head of a page that may not be written yet; the record before ends before it. */
const endOfRecord = (lsn: Lsn, segmentBytes: number): Lsn => {
  if (lsn % BigInt(segmentBytes) === segmentHeadBytes) return lsn - segmentHeadBytes
  return lsn % pageBytes === pageHeadBytes ? lsn - pageHeadBytes : lsn
}

/** Keeps the log from now on. A temporary one is gone with the session. */
export async function createSlot(session: Session, id: string, isTemporary: boolean): Promise<void> {
  await session.query('select pg_create_physical_replication_slot($1, true, $2)', [`${slotPrefix}${id}`, isTemporary])
}

/** From where the log is still there; undefined when nothing keeps it, or it was given up for want of room. */
export async function findSlotLsn(session: Session, id: string): Promise<Lsn | undefined> {
  const { rows } = await session.query<{ lsn: string | null }>(
    `select restart_lsn::text as lsn from pg_replication_slots
     where slot_name = $1 and wal_status <> 'lost'`,
    [`${slotPrefix}${id}`],
  )
  return rows[0]?.lsn ? parseLsn(rows[0].lsn) : undefined
}

export async function advanceSlot(session: Session, id: string, lsn: Lsn): Promise<void> {
  const slot = [`${slotPrefix}${id}`, renderLsn(lsn)]
  await session.query(
    'select pg_replication_slot_advance(slot_name, $2::pg_lsn) from pg_replication_slots where slot_name = $1 and restart_lsn < $2::pg_lsn',
    slot,
  )
}

/** Of chains that nobody goes on with: they would keep the log for ever. Only those that keep at least so much of it. */
export async function dropSlots(session: Session, keptBytes: number): Promise<void> {
  await session.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots
     where starts_with(slot_name, $1) and not active and not temporary
       and coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 'infinity') >= $2::bigint`,
    [slotPrefix, keptBytes],
  )
}

export async function beginBase(session: Session): Promise<Lsn> {
  const { rows } = await session.query<{ lsn: string }>("select pg_backup_start('nmp', fast => true)::text as lsn")
  return parseLsn(rows[0]?.lsn ?? '0/0')
}

export interface EndedBase {
  stopLsn: Lsn
  labelFile: string
}

export async function endBase(session: Session): Promise<EndedBase> {
  const { rows } = await session.query<{ lsn: string; label: string; spaces: string }>(
    'select lsn::text as lsn, labelfile as label, spcmapfile as spaces from pg_backup_stop(wait_for_archive => false)',
  )
  const [row] = rows
  if (!row) throw new Error('PostgreSQL did not say where the backup ends.')
  if (row.spaces.trim() !== '') throw new Error('The database has tablespaces, which the backup cannot bring back.')
  return { stopLsn: parseLsn(row.lsn), labelFile: row.label }
}

export interface StoredBlob {
  sha256: string
  sizeBytes: number
  storeKey: string
  state: BlobState
  fault: BlobFault | null
}

/** In the order of their hashes: those that were changed since, or all. */
export async function selectBlobs(
  session: Pick<Session, 'query'>,
  since: string,
  afterSha256: string,
  limit: number,
): Promise<StoredBlob[]> {
  const { rows } = await session.query<StoredBlob>(
    `select blobs.sha256, size_bytes::float8 as "sizeBytes", blobs.store_key as "storeKey", state, fault
     from blobs left join damaged_objects on damaged_objects.store_key = blobs.store_key
     where last_referenced_at >= $1::timestamptz and blobs.sha256 > $2 order by blobs.sha256 limit $3`,
    [since, afterSha256, limit],
  )
  return rows
}

/** What is not there is asked of whoever has its bytes, which heals it, and is not served before. */
export async function markMissing(session: Pick<Session, 'query'>, { storeKey, sha256 }: StoredBlob): Promise<void> {
  await session.query(
    `insert into damaged_objects (store_key, sha256, fault, sentence)
     values ($1, $2, 'missing', 'It was not in the backup that was restored.') on conflict (store_key) do nothing`,
    [storeKey, sha256],
  )
}

export async function unmarkDamage(session: Pick<Session, 'query'>, { storeKey }: StoredBlob): Promise<void> {
  await session.query('delete from damaged_objects where store_key = $1', [storeKey])
}

export async function findStoreId(session: Pick<Session, 'query'>): Promise<string | undefined> {
  const { rows } = await session.query<{ id: string }>('select store_id as id from object_store')
  return rows[0]?.id
}

/**
 * What was on its way at the minute of a restore: pieces of uploads and fetched files that were no content yet are not in the backup.
 * Whoever was sending sends again; an import fetches again.
 */
export async function forgetUnfinished(session: Pick<Session, 'query'>): Promise<void> {
  await session.query('delete from uploads where finished_at is null')
  await session.query(
    'delete from import_files where not exists (select from blobs where blobs.store_key = import_files.store_key)',
  )
}

/** How far the log was played when this server was restored. */
export async function findPlayedLsn(session: Pick<Session, 'query'>): Promise<Lsn> {
  const { rows } = await session.query<{ lsn: string | null }>('select pg_last_wal_replay_lsn()::text as lsn')
  return parseLsn(rows[0]?.lsn ?? '0/0')
}

/** The cluster's own account gets the password of the folder it is in now. */
export async function setPassword(session: Pick<Session, 'query'>, user: string, password: string): Promise<void> {
  await session.query(`alter role ${pg.escapeIdentifier(user)} password ${pg.escapeLiteral(password)}`)
}

export async function findSchemaVersion(session: Pick<Session, 'query'>): Promise<number> {
  const { rows } = await session.query<{ version: number }>('select max(version) as version from schema_migrations')
  return rows[0]?.version ?? 0
}
