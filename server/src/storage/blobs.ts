import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { newBlobKey } from './keys.ts'
import {
  type Blob,
  type BlobOwner,
  type BlobReference,
  deleteReferences,
  insertReferences,
  type SeenBlob,
  selectReference,
  selectReferences,
  sumOrgUsage,
  touchBlobs,
  upsertBlobs,
} from './repository.ts'
import type { ObjectStorage, OpenedObject, ReadOptions } from './storage.ts'

/** Rows per statement. */
const batchSize = 5_000

/** One attempt of a job; for a writer without a job any id of its own and epoch 0. */
export interface Run {
  id: string
  epoch: number
}

export interface StageOptions {
  /** What the source announced; bytes that differ are dropped and refused. */
  expectedSha256?: string
  expectedSizeBytes?: number
  signal?: AbortSignal
}

/** A name in an owner's result. Without `storeKey` the content must be live already (`keepBlobs`). */
export interface PublishedEntry {
  logicalPath: string
  sha256: string
  sizeBytes: number
  storeKey?: string
}

/** Writes content where it will stay. It is nobody's until `publishBlobs`, and is collected if that never comes. */
export const stageBlob = async (
  storage: ObjectStorage,
  run: Run,
  body: AsyncIterable<Uint8Array>,
  { expectedSha256, expectedSizeBytes, signal }: StageOptions = {},
): Promise<Blob> => {
  const storeKey = newBlobKey(run.id, run.epoch)
  const { sha256, sizeBytes } = await storage.putObject(storeKey, body, {
    ...(signal ? { signal } : {}),
    ...(expectedSizeBytes === undefined ? {} : { sizeHintBytes: expectedSizeBytes }),
  })
  if (sha256 === (expectedSha256 ?? sha256) && sizeBytes === (expectedSizeBytes ?? sizeBytes)) {
    return { sha256, sizeBytes, storeKey }
  }
  await storage.deleteObject(storeKey)
  throw new ServiceError(
    'not_ready',
    `The bytes that arrived do not match: ${sizeBytes} bytes with sha256 ${sha256} instead of ` +
      `${expectedSizeBytes ?? 'any number of'} bytes with sha256 ${expectedSha256 ?? 'unknown'}. Fetch them again.`,
  )
}

/** The same with a finished file of this machine that nobody changes any more; a folder store takes it without a copy. */
export const stageFile = async (
  storage: ObjectStorage,
  run: Run,
  path: string,
  signal?: AbortSignal,
  known?: { sizeBytes: number; sha256: string },
): Promise<Blob> => {
  const storeKey = newBlobKey(run.id, run.epoch)
  const options = { ...(signal ? { signal } : {}), ...(known ? { known } : {}) }
  const { sha256, sizeBytes } = await storage.putFile(storeKey, path, options)
  return { sha256, sizeBytes, storeKey }
}

/**
 * For content whose hash is known before its bytes: those answered are stored, and stay so for the grace time. What is known to be bad
 * is not among them: whoever has its bytes is to send them, which heals it.
 */
export const keepBlobs = async (db: Database, hashes: readonly string[]): Promise<Map<string, Blob>> => {
  const kept = new Map<string, Blob>()
  for (const blob of await touchAll(db, hashes)) if (!blob.fault) kept.set(blob.sha256, blob)
  return kept
}

const touchAll = async (db: Database, hashes: readonly string[]): Promise<SeenBlob[]> => {
  const touched: SeenBlob[] = []
  for (const batch of batches(hashes)) touched.push(...(await touchBlobs(db, batch)))
  return touched
}

/**
 * Makes an owner's result visible, in the transaction that makes its job succeed. Answers the staged objects that turned out to be
 * copies of contents already stored: delete them after the commit, or leave them to `collectRuns`.
 */
export const publishBlobs = async (
  trx: Transaction,
  owner: BlobOwner,
  entries: readonly PublishedEntry[],
): Promise<{ redundantKeys: string[] }> => {
  const staged = new Map<string, Blob>()
  const known = new Map<string, PublishedEntry>()
  for (const entry of entries) {
    checkLogicalPath(entry.logicalPath)
    const { sha256, sizeBytes, storeKey } = entry
    if (storeKey === undefined) known.set(sha256, entry)
    else if (!staged.has(sha256)) staged.set(sha256, { sha256, sizeBytes, storeKey })
  }
  const live = new Map<string, Blob>()
  for (const batch of batches(sortByHash(staged.values()))) {
    for (const blob of await upsertBlobs(trx, batch)) live.set(blob.sha256, blob)
  }
  const unstaged = sortByHash([...known.values()].filter(({ sha256 }) => !staged.has(sha256)))
  // Bad ones may be named too, and can be read when they are healed: a dataset with one such file can still be renamed or pushed to.
  const hashes = unstaged.map(({ sha256 }) => sha256)
  for (const blob of await touchAll(trx, hashes)) live.set(blob.sha256, blob)

  for (const entry of entries) checkLive(entry, live.get(entry.sha256))
  for (const batch of batches(entries)) await insertReferences(trx, owner, batch)
  const usedKeys = new Set([...live.values()].map((blob) => blob.storeKey))
  return { redundantKeys: entries.flatMap(({ storeKey }) => (storeKey && !usedKeys.has(storeKey) ? [storeKey] : [])) }
}

/** The owner needs its contents no more; they are collected after the grace time unless another owner needs them. */
export const dropBlobs = (trx: Transaction, owner: BlobOwner, prefix = ''): Promise<number> =>
  deleteReferences(trx, owner, prefix)

/** What an organization's results take, each content counted once. */
export const getOrgUsage = (db: Database, orgId: string): Promise<{ objectCount: number; sizeBytes: number }> =>
  sumOrgUsage(db, orgId)

export const findBlob = (db: Database, owner: BlobOwner, logicalPath: string): Promise<BlobReference | undefined> =>
  selectReference(db, owner, logicalPath)

/** For who would otherwise write it: what is known to be bad is not there. */
export const findSoundBlob = async (
  db: Database,
  owner: BlobOwner,
  logicalPath: string,
): Promise<BlobReference | undefined> => {
  const blob = await findBlob(db, owner, logicalPath)
  return blob?.fault ? undefined : blob
}

/** By logical path, which `afterPath` continues. */
export const listBlobs = (
  db: Database,
  owner: BlobOwner,
  { afterPath = '', limit = 1_000 }: { afterPath?: string; limit?: number } = {},
): Promise<BlobReference[]> => selectReferences(db, owner, afterPath, limit)

/** All of them under `prefix`, a thousand at a time. */
export async function* iterateBlobs(
  db: Database,
  owner: BlobOwner,
  { prefix = '', afterPath = prefix }: { prefix?: string; afterPath?: string } = {},
): AsyncGenerator<BlobReference> {
  const limit = 1_000
  for (let after: string | undefined = afterPath; after !== undefined; ) {
    const blobs: BlobReference[] = await listBlobs(db, owner, { afterPath: after, limit })
    for (const blob of blobs) {
      if (!blob.logicalPath.startsWith(prefix)) return
      yield blob
    }
    after = blobs.length === limit ? blobs.at(-1)?.logicalPath : undefined
  }
}

export const openBlob = async (
  db: Database,
  storage: ObjectStorage,
  owner: BlobOwner,
  logicalPath: string,
  options: ReadOptions = {},
): Promise<OpenedObject & { blob: BlobReference }> => {
  const blob = await findBlob(db, owner, logicalPath)
  if (!blob) throw notFound()
  return { blob, ...(await storage.getObject(blob.storeKey, options)) }
}

/** One value for a whole result: equal when every path, size and content is equal. */
export const computeResultDigest = (entries: readonly PublishedEntry[]): string => {
  const lines = entries.map(({ logicalPath, sizeBytes, sha256 }) => `${logicalPath}\0${sizeBytes}\0${sha256}\n`)
  return createHash('sha256').update(lines.sort().join('')).digest('hex')
}

const checkLive = ({ logicalPath, sha256, sizeBytes }: PublishedEntry, blob: Blob | undefined): void => {
  if (!blob)
    throw new ServiceError(
      'not_ready',
      `The content of ${logicalPath} was garbage-collected in the meantime. Write it again.`,
    )
  if (blob.sizeBytes === sizeBytes) return
  throw new ServiceError(
    'internal_error',
    `${logicalPath} has ${sizeBytes} bytes, but ${blob.sizeBytes} are stored under its sha256 ${sha256}.`,
  )
}

const checkLogicalPath = (path: string): void => {
  const isFit = path !== '' && path.isWellFormed() && !path.includes('\0') && Buffer.byteLength(path) <= 1024
  if (!isFit)
    throw new ServiceError(
      'internal_error',
      `${JSON.stringify(path.slice(0, 120))} is not a valid name for a stored file.`,
    )
}

const sortByHash = <T extends { sha256: string }>(blobs: Iterable<T>): T[] =>
  [...blobs].sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1))

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += batchSize) yield items.slice(start, start + batchSize)
}
