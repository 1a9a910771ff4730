import type { BlobOwner } from '../storage/repository.ts'

/** Who needs what a version's export made: `manifest.json`, `lerobot.tar`, `files/<path>`, `read-model/<file>`, and the other targets. */
export const artifactOwner = (versionId: string, orgId: string): BlobOwner => ({
  kind: 'artifact',
  id: versionId,
  orgId,
})

/** Who needs the pictures and clips that were made of a version on demand. */
export const picturesOwner = (versionId: string, orgId: string): BlobOwner => ({ kind: 'media', id: versionId, orgId })

export const manifestPath = (versionId: string): string => `artifacts/${versionId}/manifest.json`
/** Where the files of another target lie beside those of the version itself, and their tar. */
export const targetPrefix = (key: string): string => `targets/${key}/`
export const targetTar = (key: string): string => `targets/${key}.tar`

export const targetPath = (versionId: string, key: string): string => `artifacts/${versionId}/${key}.tar`
export const lerobotPath = (versionId: string): string => `artifacts/${versionId}/lerobot.tar`
