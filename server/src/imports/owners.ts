import type { BlobOwner } from '../storage/repository.ts'

/** The report and the previews: also of imports that failed. */
export const importOwner = (importId: string, orgId: string): BlobOwner => ({ kind: 'import', id: importId, orgId })

/** Contents an import was given by another part of the program: held until it is over. */
export const sourceOwner = (importId: string, orgId: string): BlobOwner => ({
  kind: 'import-source',
  id: importId,
  orgId,
})

/** Canonical files, read model and raw sources of what an import made. */
export const revisionOwner = (revisionId: string, orgId: string): BlobOwner => ({
  kind: 'revision',
  id: revisionId,
  orgId,
})
