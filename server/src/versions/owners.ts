import type { BlobOwner } from '../storage/repository.ts'

/** Who needs what a version's export made: `manifest.json`, `lerobot.tar`, `files/<path>` and `read-model/<file>`. */
export const artifactOwner = (versionId: string, orgId: string): BlobOwner => ({
  kind: 'artifact',
  id: versionId,
  orgId,
})

/** Who needs the pictures and clips that were made of a version on demand. */
export const picturesOwner = (versionId: string, orgId: string): BlobOwner => ({ kind: 'media', id: versionId, orgId })

export const manifestPath = (versionId: string): string => `artifacts/${versionId}/manifest.json`
export const lerobotPath = (versionId: string): string => `artifacts/${versionId}/lerobot.tar`
