import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import { creatorLock, lockUsage } from '../storage/quota.ts'
import type { UploadedPart } from '../storage/storage.ts'

export interface UploadRow {
  id: string
  userId: string
  orgId: string | null
  path: string
  metadata: Record<string, string | null>
  sizeBytes: number
  offsetBytes: number
  expectedSha256: string | null
  sha256: string | null
  storeKey: string
  multipartId: string | null
  partSizeBytes: number
  tailKey: string | null
  lastByteAt: Date
  finishedAt: Date | null
}

const columns =
  sql.raw<UploadRow>(`id, user_id as "userId", org_id as "orgId", path, metadata, size_bytes as "sizeBytes",
  offset_bytes as "offsetBytes", expected_sha256 as "expectedSha256", sha256, store_key as "storeKey",
  multipart_id as "multipartId", part_size_bytes as "partSizeBytes", tail_key as "tailKey",
  last_byte_at as "lastByteAt", finished_at as "finishedAt"`)

export interface NewUpload {
  id: string
  userId: string
  orgId: string | null
  projectId: string | null
  path: string
  metadata: Record<string, string | null>
  sizeBytes: number
  expectedSha256: string | null
  storeKey: string
  partSizeBytes: number
  lockToken: string
  lockSeconds: number
}

export const insertUpload = async (trx: Transaction, upload: NewUpload): Promise<void> => {
  await sql`
    insert into uploads (id, user_id, org_id, project_id, path, metadata, size_bytes, expected_sha256, store_key,
      part_size_bytes, lock_token, lock_expires_at)
    values (${upload.id}, ${upload.userId}, ${upload.orgId}, ${upload.projectId}, ${upload.path},
      ${JSON.stringify(upload.metadata)}, ${upload.sizeBytes}, ${upload.expectedSha256}, ${upload.storeKey},
      ${upload.partSizeBytes}, ${upload.lockToken}, now() + make_interval(secs => ${upload.lockSeconds}::float8))`.execute(
    trx,
  )
}

export const findUpload = async (db: Database, id: string): Promise<UploadRow | undefined> => {
  const { rows } = await sql<UploadRow>`select ${columns} from uploads where id = ${id}`.execute(db)
  return rows[0]
}

/** What a person, or an organization, has announced and not finished; a lock on the name lets one caller count at a time. */
export const sumOpenUploads = async (
  trx: Transaction,
  of: { orgId: string } | { userId: string } | { creatorId: string },
): Promise<{ count: number; sizeBytes: number }> => {
  const [owner, condition] =
    'orgId' in of
      ? [of.orgId, sql`org_id = ${of.orgId}`]
      : 'userId' in of
        ? [of.userId, sql`user_id = ${of.userId}`]
        : [creatorLock(of.creatorId), sql`org_id in (select id from organizations where created_by = ${of.creatorId})`]
  await lockUsage(trx, owner)
  const { rows } = await sql<{ count: number; sizeBytes: number }>`
    select count(*) as count, coalesce(sum(size_bytes), 0)::bigint as "sizeBytes" from uploads
    where finished_at is null and ${condition}`.execute(trx)
  return rows[0] ?? { count: 0, sizeBytes: 0 }
}

/** Finished uploads that count for no organization. */
export const sumPersonalUploads = async (trx: Transaction, userId: string): Promise<number> => {
  const { rows } = await sql<{ sizeBytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as "sizeBytes" from uploads
    where user_id = ${userId} and org_id is null and finished_at is not null`.execute(trx)
  return rows[0]?.sizeBytes ?? 0
}

type LockAnswer = 'taken' | 'busy' | 'absent'

/** Takes the lock, or leaves word for its holder. A holder that fell silent loses it when its time is over. */
export const takeLock = async (db: Database, id: string, token: string, lockSeconds: number): Promise<LockAnswer> => {
  const taken = await sql`
    update uploads set lock_token = ${token}, lock_is_wanted = false,
      lock_expires_at = now() + make_interval(secs => ${lockSeconds}::float8)
    where id = ${id} and (lock_token is null or lock_expires_at < now())`.execute(db)
  if (taken.numAffectedRows === 1n) return 'taken'
  const asked = await sql`update uploads set lock_is_wanted = true where id = ${id}`.execute(db)
  return asked.numAffectedRows === 1n ? 'busy' : 'absent'
}

/** `lost`: the lock is somebody else's by now. */
export const renewLock = async (
  db: Database,
  id: string,
  token: string,
  lockSeconds: number,
): Promise<'held' | 'wanted' | 'lost'> => {
  const { rows } = await sql<{ isWanted: boolean }>`
    update uploads set lock_expires_at = now() + make_interval(secs => ${lockSeconds}::float8)
    where id = ${id} and lock_token = ${token} returning lock_is_wanted as "isWanted"`.execute(db)
  if (!rows[0]) return 'lost'
  return rows[0].isWanted ? 'wanted' : 'held'
}

export const releaseLock = async (db: Database, id: string, token: string): Promise<void> => {
  await sql`
    update uploads set lock_token = null, lock_expires_at = null, lock_is_wanted = false
    where id = ${id} and lock_token = ${token}`.execute(db)
}

export interface Advance {
  offsetBytes: number
  tailKey: string | null
  part?: UploadedPart
}

/** Acknowledges bytes that are stored. False when the lock was lost: then nothing changes. */
export const advanceUpload = async (
  trx: Transaction,
  id: string,
  token: string,
  { offsetBytes, tailKey, part }: Advance,
): Promise<boolean> => {
  const moved = await sql`
    update uploads set offset_bytes = ${offsetBytes}::bigint, tail_key = ${tailKey}::text, last_byte_at = now()
    where id = ${id} and lock_token = ${token} and finished_at is null`.execute(trx)
  if (moved.numAffectedRows !== 1n) return false
  if (part)
    await sql`
      insert into upload_parts (upload_id, part_number, size_bytes, etag)
      values (${id}, ${part.partNumber}, ${part.sizeBytes}, ${part.etag})
      on conflict (upload_id, part_number) do update set size_bytes = excluded.size_bytes, etag = excluded.etag`.execute(
      trx,
    )
  return true
}

export const recordMultipart = async (
  db: Database,
  id: string,
  token: string,
  multipartId: string,
): Promise<boolean> => {
  const updated = await sql`
    update uploads set multipart_id = ${multipartId} where id = ${id} and lock_token = ${token}`.execute(db)
  return updated.numAffectedRows === 1n
}

export const listParts = async (db: Database, id: string): Promise<UploadedPart[]> => {
  const { rows } = await sql<UploadedPart>`
    select part_number as "partNumber", size_bytes as "sizeBytes", etag from upload_parts
    where upload_id = ${id} order by part_number`.execute(db)
  return rows
}

export const finishUpload = async (trx: Transaction, id: string, token: string, sha256: string): Promise<boolean> => {
  const finished = await sql`
    update uploads set offset_bytes = size_bytes, tail_key = null, sha256 = ${sha256}, finished_at = now(),
      last_byte_at = now()
    where id = ${id} and lock_token = ${token} and finished_at is null`.execute(trx)
  await sql`delete from upload_parts where upload_id = ${id}`.execute(trx)
  return finished.numAffectedRows === 1n
}

export const deleteUpload = async (db: Database, id: string): Promise<void> => {
  await sql`delete from uploads where id = ${id}`.execute(db)
}

/** Whether a job that is not over names it. The row is held, so that no import begins to need it meanwhile. */
export const isNeeded = async (trx: Transaction, id: string): Promise<boolean> => {
  await sql`select 1 from uploads where id = ${id} for update`.execute(trx)
  const { rows } = await sql`
    select 1 from upload_claims join jobs on jobs.id = upload_claims.import_id
    where upload_id = ${id} and jobs.finished_at is null limit 1`.execute(trx)
  return rows.length > 0
}

/** Finished uploads of a person, in the order asked for; locked, so that their expiry waits for the import that names them. */
export const lockFinishedUploads = async (
  trx: Transaction,
  userId: string,
  ids: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select id from uploads where id = any(${ids}::text[]) and user_id = ${userId} and finished_at is not null
    order by id for share`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

export const insertClaims = async (trx: Transaction, importId: string, uploadIds: readonly string[]): Promise<void> => {
  await sql`
    insert into upload_claims (import_id, position, upload_id)
    select ${importId}, ordinality, upload_id
    from unnest(${uploadIds}::text[]) with ordinality as named (upload_id, ordinality)`.execute(trx)
}

export const copyClaims = async (trx: Transaction, fromImportId: string, toImportId: string): Promise<number> => {
  const copied = await sql`
    insert into upload_claims (import_id, position, upload_id)
    select ${toImportId}, position, upload_id from upload_claims where import_id = ${fromImportId}`.execute(trx)
  return Number(copied.numAffectedRows ?? 0n)
}

export interface ClaimedUpload {
  id: string
  path: string
  sizeBytes: number
  sha256: string
  storeKey: string
}

export const listClaimedUploads = async (db: Database, importId: string): Promise<ClaimedUpload[]> => {
  const { rows } = await sql<ClaimedUpload>`
    select uploads.id, uploads.path, blobs.size_bytes as "sizeBytes", blobs.sha256, blobs.store_key as "storeKey"
    from upload_claims join uploads on uploads.id = upload_claims.upload_id
      join blob_references on owner_kind = 'upload' and owner_id = uploads.id and logical_path = 'content'
      join blobs on blobs.sha256 = blob_references.sha256
    where import_id = ${importId} order by position`.execute(db)
  return rows
}

type Leftover = Pick<UploadRow, 'id' | 'storeKey' | 'multipartId' | 'partSizeBytes' | 'tailKey' | 'finishedAt'>

/** Past their time: unfinished ones by their last byte, finished ones also by the end of the last job that names them. */
export const deleteExpiredUploads = async (db: Database, hours: number, limit: number): Promise<Leftover[]> => {
  const { rows } = await sql<Leftover>`
    delete from uploads where id in (
      select id from uploads
      where last_byte_at < now() - make_interval(hours => ${hours}::integer)
        and (lock_expires_at is null or lock_expires_at < now())
        and not exists (
          select 1 from upload_claims join jobs on jobs.id = upload_claims.import_id
          where upload_id = uploads.id
            and (jobs.finished_at is null or jobs.finished_at > now() - make_interval(hours => ${hours}::integer)))
      order by last_byte_at limit ${limit} for update skip locked)
    returning id, store_key as "storeKey", multipart_id as "multipartId", part_size_bytes as "partSizeBytes",
      tail_key as "tailKey", finished_at as "finishedAt"`.execute(db)
  return rows
}
