import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { notFound, ServiceError } from '../errors.ts'
import { findBlob, listBlobs } from '../storage/blobs.ts'
import { attachmentDisposition } from '../storage/disposition.ts'
import { artifactOwner } from '../versions/owners.ts'
import type { Version } from '../versions/service.ts'

/** How long a download may wait to begin. */
const downloadMinutes = 15

const files = {
  manifest: { path: 'manifest.json', mediaType: 'application/json', extension: 'json' },
  lerobot: { path: 'lerobot.tar', mediaType: 'application/x-tar', extension: 'tar' },
} as const

/** Exactly a URL and its end: whoever holds it may download until then, by Range too. */
export async function signArtifact(context: Context, version: Version, key: string) {
  const artifact = version.artifacts.find((entry) => entry.key === key)
  if (!artifact) throw notFound()
  if (artifact.status !== 'ready')
    throw new ServiceError(
      'artifact_not_ready',
      `The artifact ${key} is ${artifact.status}. Queue an export, or wait for the running one.`,
    )
  const { path, mediaType, extension } = files[artifact.key]
  const blob = await findBlob(context.db, artifactOwner(version.id, version.orgId), path)
  if (!blob) throw notFound()
  const name = `${version.slug}-v${version.version}${key === 'manifest' ? '-manifest' : ''}.${extension}`
  const { url, expiresAt } = await context.storage.signGet(blob.storeKey, {
    expiresInSeconds: downloadMinutes * 60,
    contentType: mediaType,
    disposition: attachmentDisposition(name),
  })
  return { url, expires_at: expiresAt.toISOString() }
}

const prefix = 'files/'

/** The dataset's files one by one, for clients that need a part of it. */
export async function listArtifactFiles(context: Context, version: Version, limit: number, cursor: string | undefined) {
  const artifact = version.artifacts.find(({ key }) => key === 'lerobot')
  if (artifact?.status !== 'ready')
    throw new ServiceError('artifact_not_ready', `The artifact lerobot is ${artifact?.status}. Queue an export first.`)
  const owner = artifactOwner(version.id, version.orgId)
  const cursors = cursorsOf('version files', version.id)
  const afterPath = prefix + (cursors.decode(cursor) ?? '')
  const blobs = (await listBlobs(context.db, owner, { afterPath, limit: limit + 1 })).filter(({ logicalPath }) =>
    logicalPath.startsWith(prefix),
  )
  const { rows, nextCursor } = cursors.cut(blobs, limit, ({ logicalPath }) => logicalPath.slice(prefix.length))
  const items = []
  for (const { logicalPath, sizeBytes, sha256, storeKey } of rows) {
    const path = logicalPath.slice(prefix.length)
    const { url, expiresAt } = await context.storage.signGet(storeKey, {
      expiresInSeconds: downloadMinutes * 60,
      contentType: findMediaType(path),
      disposition: attachmentDisposition(path.split('/').at(-1) ?? path),
    })
    items.push({ path, size_bytes: sizeBytes, checksum_sha256: sha256, url, expires_at: expiresAt.toISOString() })
  }
  return { items, next_cursor: nextCursor }
}

const findMediaType = (path: string): string => {
  if (path.endsWith('.mp4')) return 'video/mp4'
  if (path.endsWith('.json')) return 'application/json'
  if (path.endsWith('.parquet')) return 'application/vnd.apache.parquet'
  return 'application/octet-stream'
}
