import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import type { BlobFault } from './tables.ts'

export interface Blob {
  sha256: string
  sizeBytes: number
  storeKey: string
}

/** Who needs a content, and under which name. An owner is immutable: a job's result, a dataset revision, a version. */
export interface BlobOwner {
  kind: string
  id: string
  /** Whose storage it counts as; none for what belongs to the program itself. */
  orgId?: string
}

export interface BlobReference extends Blob {
  logicalPath: string
  /** Its object is known to be bad: nothing of it is given out until good bytes come in. */
  fault: BlobFault | null
}

/** A content, and what is known to be wrong with the object that has its bytes. */
export interface SeenBlob extends Blob {
  fault: BlobFault | null
}

const blobColumns = sql.raw<Blob>('blobs.sha256, blobs.size_bytes as "sizeBytes", blobs.store_key as "storeKey"')

const seenColumns = sql.raw<SeenBlob>(
  'blobs.sha256, blobs.size_bytes as "sizeBytes", blobs.store_key as "storeKey", damaged_objects.fault as "fault"',
)
const withDamage = sql.raw('left join damaged_objects on damaged_objects.store_key = blobs.store_key')

/**
 * Makes contents live: new ones under the key they were staged at, known ones under the key they have. One that is being removed
 * changes to the new key, so that its removal hits the old object only. Ordered, so that two publishers do not deadlock.
 */
export const upsertBlobs = async (trx: Transaction, blobs: readonly Blob[]): Promise<Blob[]> => {
  const { rows } = await sql<Blob>`
    insert into blobs (sha256, size_bytes, store_key)
    select * from unnest(
      ${blobs.map((blob) => blob.sha256)}::text[],
      ${blobs.map((blob) => blob.sizeBytes)}::bigint[],
      ${blobs.map((blob) => blob.storeKey)}::text[]) as staged (sha256, size_bytes, store_key)
    order by sha256
    on conflict (sha256) do update set last_referenced_at = now(), state = 'live',
      store_key = case when blobs.state = 'deleting' then excluded.store_key else blobs.store_key end
      where blobs.state = 'live' or blobs.store_key <> excluded.store_key
    returning ${blobColumns}`.execute(trx)
  return rows
}

/** Keeps contents for another grace time and answers those that are live. */
export const touchBlobs = async (db: Database, hashes: readonly string[]): Promise<SeenBlob[]> => {
  const { rows } = await sql<SeenBlob>`
    with wanted as materialized (
      select sha256 as wanted_sha256 from blobs where sha256 = any(${hashes}::text[]) order by sha256 for no key update
    )
    update blobs set last_referenced_at = now() from wanted where sha256 = wanted_sha256 and state = 'live'
    returning ${blobColumns}, (
      select fault from damaged_objects where damaged_objects.store_key = blobs.store_key
    ) as "fault"`.execute(db)
  return rows
}

export const insertReferences = async (
  trx: Transaction,
  owner: BlobOwner,
  references: readonly { logicalPath: string; sha256: string }[],
): Promise<void> => {
  await sql`
    insert into blob_references (owner_kind, owner_id, org_id, logical_path, sha256, size_bytes)
    select ${owner.kind}, ${owner.id}, ${owner.orgId ?? null}::text, logical_path, sha256, blobs.size_bytes from unnest(
      ${references.map((reference) => reference.logicalPath)}::text[],
      ${references.map((reference) => reference.sha256)}::text[]) as named (logical_path, sha256)
    left join blobs using (sha256)`.execute(trx)
}

/** The grace time of what an owner gives up begins now. */
export const deleteReferences = async (trx: Transaction, owner: BlobOwner, prefix = ''): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with dropped as (
      delete from blob_references where owner_kind = ${owner.kind} and owner_id = ${owner.id}
        and starts_with(logical_path, ${prefix}) returning sha256
    ), kept as (
      update blobs set last_referenced_at = now() where sha256 in (select sha256 from dropped)
    )
    select count(*) as count from dropped`.execute(trx)
  return rows[0]?.count ?? 0
}

export const selectReference = async (
  db: Database,
  owner: BlobOwner,
  logicalPath: string,
): Promise<BlobReference | undefined> => {
  const { rows } = await sql<BlobReference>`
    select logical_path as "logicalPath", ${seenColumns} from blob_references join blobs using (sha256) ${withDamage}
    where owner_kind = ${owner.kind} and owner_id = ${owner.id} and logical_path = ${logicalPath}`.execute(db)
  return rows[0]
}

export const selectReferences = async (
  db: Database,
  owner: BlobOwner,
  afterPath: string,
  limit: number,
): Promise<BlobReference[]> => {
  const { rows } = await sql<BlobReference>`
    select logical_path as "logicalPath", ${seenColumns} from blob_references join blobs using (sha256) ${withDamage}
    where owner_kind = ${owner.kind} and owner_id = ${owner.id} and logical_path > ${afterPath}
    order by logical_path limit ${limit}`.execute(db)
  return rows
}

/** What an older program has written has no size beside it. */
const usedSize = sql.raw(
  'coalesce(used.size_bytes, (select blobs.size_bytes from blobs where blobs.sha256 = used.sha256))',
)

/** A content that an organization uses under several names counts once. */
export const sumOrgUsage = async (db: Database, orgId: string): Promise<{ objectCount: number; sizeBytes: number }> => {
  const { rows } = await sql<{ objectCount: number; sizeBytes: number }>`
    select count(*) as "objectCount", coalesce(sum(${usedSize}), 0)::bigint as "sizeBytes"
    from (select distinct on (sha256) sha256, size_bytes from blob_references where org_id = ${orgId} order by sha256) as used`.execute(
    db,
  )
  return rows[0] ?? { objectCount: 0, sizeBytes: 0 }
}

/** What every organization of a person stores, each counted by itself. */
export const sumPersonUsage = async (db: Database, userId: string): Promise<number> => {
  const { rows } = await sql<{ sizeBytes: number }>`
    select coalesce(sum(${usedSize}), 0)::bigint as "sizeBytes"
    from organizations, lateral (
      select distinct on (sha256) sha256, size_bytes from blob_references where org_id = organizations.id order by sha256
    ) as used
    where organizations.created_by = ${userId}`.execute(db)
  return rows[0]?.sizeBytes ?? 0
}

/** Who made an organization; undefined where that is nobody's quota. */
export const findCreator = async (db: Database, orgId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ createdBy: string | null }>`
    select created_by as "createdBy" from organizations where id = ${orgId}`.execute(db)
  return rows[0]?.createdBy ?? undefined
}

/** One transaction at a time counts what somebody has and adds to it: an organization, or a person. */
export const lockUsage = async (trx: Transaction, owner: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('usage ' || ${owner}, 0))`.execute(trx)
}

export const selectLiveBlobs = async (db: Database, hashes: readonly string[]): Promise<Blob[]> => {
  const { rows } = await sql<Blob>`
    select ${blobColumns} from blobs where sha256 = any(${hashes}::text[]) and state = 'live'`.execute(db)
  return rows
}

/** Referenced contents in the order of their hashes: what must be in the store. */
export const selectNeededBlobs = async (db: Database, afterSha256: string, limit: number): Promise<SeenBlob[]> => {
  const { rows } = await sql<SeenBlob>`
    select ${seenColumns} from blobs ${withDamage}
    where blobs.sha256 > ${afterSha256} and exists (select 1 from blob_references where blob_references.sha256 = blobs.sha256)
    order by blobs.sha256 limit ${limit}`.execute(db)
  return rows
}

/** Which of these objects have a row, in whatever state. */
export const selectKnownKeys = async (db: Database, storeKeys: readonly string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ storeKey: string }>`
    select store_key as "storeKey" from blobs where store_key = any(${storeKeys}::text[])`.execute(db)
  return new Set(rows.map((row) => row.storeKey))
}

interface MarkedWindow {
  /** Where the next window begins; undefined at the end. */
  lastSha256: string | undefined
  examined: number
  marked: number
}

/**
 * Looks at a window of contents and marks those that nobody has needed for the grace time. The locks come first, in a statement of
 * their own: the next one then sees every reference there can be, since a new one has to wait for the lock.
 */
export const markUnneeded = async (
  trx: Transaction,
  afterSha256: string,
  windowSize: number,
  graceSeconds: number,
): Promise<MarkedWindow> => {
  const window = await sql<{ sha256: string }>`
    select sha256 from blobs where sha256 > ${afterSha256} order by sha256 limit ${windowSize}`.execute(trx)
  const hashes = window.rows.map((row) => row.sha256)
  const locked = await sql<{ sha256: string }>`
    select sha256 from blobs
    where sha256 = any(${hashes}::text[]) and state = 'live'
      and last_referenced_at <= now() - make_interval(secs => ${graceSeconds}::float8)
      and not exists (select 1 from blob_references where blob_references.sha256 = blobs.sha256)
    order by sha256 for update skip locked`.execute(trx)
  const marked = await sql`
    update blobs set state = 'deleting'
    where sha256 = any(${locked.rows.map((row) => row.sha256)}::text[])
      and not exists (select 1 from blob_references where blob_references.sha256 = blobs.sha256)`.execute(trx)
  return {
    lastSha256: hashes.length === windowSize ? hashes.at(-1) : undefined,
    examined: hashes.length,
    marked: Number(marked.numAffectedRows ?? 0n),
  }
}

export const selectDeletingBlobs = async (db: Database, limit: number): Promise<Blob[]> => {
  const { rows } = await sql<Blob>`
    select ${blobColumns} from blobs where state = 'deleting' order by sha256 limit ${limit}`.execute(db)
  return rows
}

/** The key is part of the condition: a content that came back has another one. */
export const deleteBlobRow = async (db: Database, { sha256, storeKey }: Blob): Promise<void> => {
  await sql`delete from blobs where sha256 = ${sha256} and store_key = ${storeKey} and state = 'deleting'`.execute(db)
}

export const findStoreId = async (db: Database): Promise<string | undefined> =>
  (await db.selectFrom('object_store').select('store_id').executeTakeFirst())?.store_id

/** Answers the id that holds: the first one wins. */
export const insertStoreId = async (db: Database, storeId: string): Promise<string> => {
  await db
    .insertInto('object_store')
    .values({ store_id: storeId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findStoreId(db)) ?? storeId
}

export const hasBlobs = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('blobs').select('sha256').limit(1).executeTakeFirst()) !== undefined

/** A content by the key of an object that has, or had, its bytes. */
export interface KeyedBlob {
  sha256: string
  /** Where its bytes are now; null when it is gone and only its damage is remembered. */
  storeKey: string | null
  sizeBytes: number | null
  fault: BlobFault | null
}

/** A key whose object was found bad leads to the one that took its place. Undefined for objects that are no content (yet). */
export const selectByKey = async (db: Database, storeKey: string): Promise<KeyedBlob | undefined> => {
  const { rows } = await sql<KeyedBlob>`${prepared('blob-by-key')}
    select named.sha256, blobs.size_bytes as "sizeBytes", blobs.store_key as "storeKey", damaged_objects.fault
    from (
      select sha256 from blobs where store_key = ${storeKey}
      union all select sha256 from damaged_objects where store_key = ${storeKey} limit 1
    ) as named left join blobs on blobs.sha256 = named.sha256 ${withDamage}`.execute(db)
  return rows[0]
}

export const selectLiveBlob = async (db: Database, sha256: string): Promise<SeenBlob | undefined> => {
  const { rows } = await sql<SeenBlob>`
    select ${seenColumns} from blobs ${withDamage} where blobs.sha256 = ${sha256} and state = 'live'`.execute(db)
  return rows[0]
}

export interface Damage {
  fault: BlobFault
  sentence: string
}

/** False when the content has other bytes by now, or the same was known already. */
export const insertDamage = async (
  db: Database,
  { sha256, storeKey }: Pick<Blob, 'sha256' | 'storeKey'>,
  { fault, sentence }: Damage,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    insert into damaged_objects (store_key, sha256, fault, sentence)
    select store_key, sha256, ${fault}, left(${sentence}, 1000) from blobs
    where sha256 = ${sha256} and store_key = ${storeKey}
    on conflict (store_key) do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** The object is what it was: a disk that came back, a restored backup. */
export const deleteDamage = async (db: Database, storeKey: string): Promise<boolean> => {
  const { numAffectedRows } = await sql`delete from damaged_objects where store_key = ${storeKey}`.execute(db)
  return numAffectedRows === 1n
}

/** What was found bad and took no other's place longer ago than any link to it lives. */
export const deleteOldDamage = async (db: Database, days: number): Promise<void> => {
  await sql`
    delete from damaged_objects where found_at < now() - make_interval(days => ${days}::integer)
      and not exists (select 1 from blobs where blobs.store_key = damaged_objects.store_key)`.execute(db)
}

/** Another object has the content's bytes from now on; false when something else has changed it meanwhile. */
export const replaceObject = async (trx: Transaction, { sha256, storeKey }: Blob, newKey: string): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update blobs set store_key = ${newKey}, read_at = now()
    where sha256 = ${sha256} and store_key = ${storeKey} and state = 'live'`.execute(trx)
  return numAffectedRows === 1n
}

/** Where a walk has come to; the time as PostgreSQL writes it, which is finer than a Date. */
export interface WalkPlace {
  readAt: string
  sha256: string
}

/** Contents not known to be bad in the order in which they were last read, up to when the walk began. */
export const selectUnread = async (
  db: Database,
  { after, before, limit }: { after: WalkPlace; before: Date; limit: number },
): Promise<(SeenBlob & WalkPlace)[]> => {
  const { rows } = await sql<SeenBlob & WalkPlace>`
    select ${seenColumns}, read_at::text as "readAt" from blobs ${withDamage}
    where state = 'live' and fault is null and read_at < ${before}
      and (read_at, blobs.sha256) > (${after.readAt}::timestamptz, ${after.sha256})
    order by read_at, blobs.sha256 limit ${limit}`.execute(db)
  return rows
}

/** Contents that are known to be bad. */
export const selectDamaged = async (db: Database, limit: number): Promise<SeenBlob[]> => {
  const { rows } = await sql<SeenBlob>`
    select ${seenColumns} from blobs join damaged_objects using (store_key)
    where state = 'live' order by found_at desc limit ${limit}`.execute(db)
  return rows
}

export const setRead = async (db: Database, { sha256, storeKey }: Blob): Promise<void> => {
  await sql`update blobs set read_at = now() where sha256 = ${sha256} and store_key = ${storeKey}`.execute(db)
}

export const sumStoredBytes = async (db: Database): Promise<number> => {
  const { rows } = await sql<{ sizeBytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as "sizeBytes" from blobs where state = 'live'`.execute(db)
  return rows[0]?.sizeBytes ?? 0
}

export interface StoreHealth {
  damagedCount: number
  longestUnreadAt: Date | null
}

/** By the index of what was read when, and what is bad, which is little: anybody may ask. */
export const selectStoreHealth = async (db: Database): Promise<StoreHealth> => {
  const { rows } = await sql<StoreHealth>`
    select (select min(read_at) from blobs where state = 'live') as "longestUnreadAt",
      (select count(*) from damaged_objects join blobs using (store_key) where state = 'live') as "damagedCount"`.execute(
    db,
  )
  return rows[0] ?? { damagedCount: 0, longestUnreadAt: null }
}
