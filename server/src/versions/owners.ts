import type { BlobOwner } from '../storage/repository.ts'

/**
 * Who needs what a version's export made: `manifest.json`, `files/<path>`, `read-model/<file>`, and the other targets; `lerobot.tar`
 * where clients fetch it from the bucket themselves, and of exports that were made before tars were made while they are sent.
 */
export const artifactOwner = (versionId: string, orgId: string): BlobOwner => ({
  kind: 'artifact',
  id: versionId,
  orgId,
})

/** Who needs the pictures and clips that were made of a version on demand. */
export const picturesOwner = (versionId: string, orgId: string): BlobOwner => ({ kind: 'media', id: versionId, orgId })

export const manifestPath = (versionId: string): string => `artifacts/${versionId}/manifest.json`
/** Where the files of another target lie beside those of the version itself. */
export const targetPrefix = (key: string): string => `targets/${key}/`
/** The tar of an artifact, where it is stored. */
export const tarPath = (key: string): string => (key === 'lerobot' ? 'lerobot.tar' : `targets/${key}.tar`)
/** Where the files of an artifact lie. */
export const filesPrefix = (key: string): string => (key === 'lerobot' ? 'files/' : targetPrefix(key))

export const targetPath = (versionId: string, key: string): string => `artifacts/${versionId}/${key}.tar`
export const lerobotPath = (versionId: string): string => `artifacts/${versionId}/lerobot.tar`
