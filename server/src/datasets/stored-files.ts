import type { Database } from '../db/database.ts'
import { notFound, ServiceError } from '../errors.ts'
import { findBlob, iterateBlobs } from '../storage/blobs.ts'
import type { BlobReference } from '../storage/repository.ts'
import { type FilesPlace, locateFiles, type RevisionPlace } from './revision-content.ts'

export interface StoredFile {
  path: string
  sizeBytes: number
  sha256: string
  storeKey: string
}

/** The files that can be listed and downloaded: those of a version are there once it is exported. */
export function getOwnFiles(revision: RevisionPlace): FilesPlace {
  const { content } = revision
  if (!content) return locateFiles(revision)
  if (content.own) return content.own
  throw new ServiceError('artifact_not_ready', content.missing ?? 'There are no files yet.')
}

/** By the path that the dataset gives it. */
export async function getStoredFile(db: Database, { owner, prefix }: FilesPlace, path: string): Promise<BlobReference> {
  const blob = await findBlob(db, owner, prefix + path)
  if (!blob) throw notFound()
  return blob
}

/** By path, without the prefix they are stored under. */
export async function* listStoredFiles(
  db: Database,
  { owner, prefix }: FilesPlace,
  { afterPath = '' }: { afterPath?: string } = {},
): AsyncGenerator<StoredFile> {
  const stored = iterateBlobs(db, owner, { prefix, afterPath: prefix + afterPath })
  for await (const { logicalPath, sizeBytes, sha256, storeKey } of stored)
    yield { path: logicalPath.slice(prefix.length), sizeBytes, sha256, storeKey }
}
