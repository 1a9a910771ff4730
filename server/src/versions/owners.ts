import type { BlobOwner } from '../storage/repository.ts'

/** Who needs what a version's export made: `manifest.json`, `lerobot.tar` and `files/<path>`. */
export const artifactOwner = (versionId: string, orgId: string): BlobOwner => ({
  kind: 'artifact',
  id: versionId,
  orgId,
})

export const manifestPath = (versionId: string): string => `artifacts/${versionId}/manifest.json`
export const lerobotPath = (versionId: string): string => `artifacts/${versionId}/lerobot.tar`
