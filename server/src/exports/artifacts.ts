import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { notFound, ServiceError } from '../errors.ts'
import { findBlob, listBlobs } from '../storage/blobs.ts'
import { attachmentDisposition } from '../storage/serving/disposition.ts'
import { artifactOwner, filesPrefix, tarPath } from '../versions/owners.ts'
import type { Version } from '../versions/service.ts'
import { signTar } from './artifact-tar.ts'

/** How long a download may wait to begin. */
const downloadMinutes = 15

const own = {
  manifest: { path: 'manifest.json', mediaType: 'application/json', ending: '-manifest.json' },
  lerobot: { path: tarPath('lerobot'), mediaType: 'application/x-tar', ending: '.tar' },
} as const

const locateArtifact = (key: string) =>
  key === 'manifest' || key === 'lerobot'
    ? own[key]
    : { path: tarPath(key), mediaType: 'application/x-tar', ending: `-${key}.tar` }

/** As it is saved by who downloads it. */
export const nameArtifact = (version: Version, key: string): string =>
  `${version.slug}-v${version.version}${locateArtifact(key).ending}`

/** Exactly a URL and its end: whoever holds it may download until then, by Range too. */
export async function signArtifact(context: Context, version: Version, key: string) {
  const artifact = version.artifacts.find((entry) => entry.key === key)
  if (!artifact) throw notFound()
  if (artifact.status !== 'ready')
    throw new ServiceError(
      'artifact_not_ready',
      `The artifact ${key} is ${artifact.status}. Queue an export, or wait for the running one.`,
    )
  const { path, mediaType } = locateArtifact(key)
  const blob = await findBlob(context.db, artifactOwner(version.id, version.orgId), path)
  const expiresInSeconds = downloadMinutes * 60
  if (blob) {
    const disposition = attachmentDisposition(nameArtifact(version, key))
    const signing = { expiresInSeconds, contentType: mediaType, disposition }
    const { url, expiresAt } = await context.storage.signGet(blob.storeKey, signing)
    return { url, expires_at: expiresAt.toISOString() }
  }
  if (key === 'manifest' || artifact.checksumSha256 === null) throw notFound()
  const address = { versionId: version.id, checksum: artifact.checksumSha256, key }
  const { url, expiresAt } = signTar(context, address, expiresInSeconds)
  return { url, expires_at: expiresAt.toISOString() }
}

interface FilesRequest {
  /** Of the artifact. */
  key: string
  limit: number
  cursor: string | undefined
}

/** The files of an artifact one by one, for clients that need a part of it. */
export async function listArtifactFiles(context: Context, version: Version, { key, limit, cursor }: FilesRequest) {
  const artifact = version.artifacts.find((entry) => entry.key === key)
  if (artifact?.status !== 'ready')
    throw new ServiceError(
      'artifact_not_ready',
      `The artifact ${key} is ${artifact?.status ?? 'not made'}. Queue an export first.`,
    )
  const prefix = filesPrefix(key)
  const owner = artifactOwner(version.id, version.orgId)
  const cursors = cursorsOf('version files', `${version.id} ${key}`)
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
