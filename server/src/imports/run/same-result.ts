import { resolveRoles } from '@nmp/formats/signal-roles'
import { takeSameChecks } from '../../checks/import-checks.ts'
import { fingerprintsFolder } from '../../datasets/fingerprints.ts'
import { findManifest } from '../../datasets/read-model/cache.ts'
import { findCard } from '../../datasets/refresh-shown.ts'
import { getRevision } from '../../datasets/service.ts'
import { ServiceError } from '../../errors.ts'
import { isSame } from '../../signals/service.ts'
import { iterateBlobs, keepBlobs, type PublishedEntry } from '../../storage/blobs.ts'
import type { BlobOwner } from '../../storage/repository.ts'
import type { GuardedStorage } from '../../storage/storage.ts'
import { importOwner, revisionOwner } from '../owners.ts'
import type { PreviewAsset } from '../prepare/preview-asset.ts'
import { reportPath } from '../report/report.ts'
import { loadReport } from '../report/results.ts'
import { findSameImport } from '../repository.ts'
import { hideSecrets } from '../source-uri.ts'
import type { Publication, StoredResult } from './publish.ts'
import { computeSourceDigest } from './source-digest.ts'

/**
 * What another import of the organization made of the very same files and options, if all of it is still stored: the same
 * work is not done twice. Undefined when there is none, or when anything of it cannot be found.
 */
export async function findSameResult(publication: Publication): Promise<StoredResult | undefined> {
  const { context, run, row, fetched, roles } = publication
  const { db } = context
  const { orgId } = run.job
  const same = await findSameImport(db, orgId, computeSourceDigest(fetched.files, row))
  if (!same?.revisionId) return undefined
  const revision = await getRevision(db, same.revisionId).catch(ignoreAbsence)
  if (!revision) return undefined
  const manifest = await findManifest(context, revisionOwner(revision.id, orgId))
  // Measured by other columns, its numbers would be others.
  if (!manifest || !isSame(resolveRoles(roles, manifest.features).roles, manifest.roles)) return undefined
  const made = await listAll(publication, revisionOwner(revision.id, orgId))
  const shown = await listAll(publication, importOwner(same.id, orgId))
  if (!made || !shown?.some(({ logicalPath }) => logicalPath === reportPath)) return undefined
  const startsWith = (prefix: string) => (entry: PublishedEntry) => entry.logicalPath.startsWith(prefix)
  const report = await loadReport(context, orgId, same.id)
  const previewAssets = same.previewAssets.map((asset) => renameAsset(asset, row.id))
  return {
    dataset: made.filter(startsWith('dataset/')),
    readModel: made.filter(startsWith('read-model/')),
    fingerprints: made.filter(startsWith(`${fingerprintsFolder}/`)),
    previews: shown.filter(startsWith('previews/')),
    previewAssets,
    hdf5: same.hdf5 && { ...same.hdf5, preview_assets: previewAssets },
    summary: revision.summary,
    card: await findCard(db, revision.id),
    checks: await takeSameChecks(context, row, revision),
    report: {
      ...report,
      import_id: row.id,
      source: {
        ...report.source,
        kind: row.sourceKind,
        uri: hideSecrets(fetched.sourceUri),
        revision: fetched.revision,
      },
    },
  }
}

const renameAsset = (asset: PreviewAsset, importId: string): PreviewAsset => ({
  ...asset,
  path: `imports/${importId}/previews/${asset.path.split('/').at(-1)}`,
})

/** Read to its end: what another import comes to rely on must not be rot. */
async function isWell(storage: GuardedStorage, storeKey: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await storage.getObject(storeKey, { signal })
    for await (const _ of body);
    return true
  } catch (error) {
    ignoreAbsence(error)
    return false
  }
}

const absent: ReadonlySet<string> = new Set(['not_found', 'content_damaged'])

const ignoreAbsence = (error: unknown): undefined => {
  if (!(error instanceof ServiceError) || !absent.has(error.code)) throw error
}

/** An owner's entries, kept for another day; undefined when one of them is not in the store any more as it was: it is made anew then. */
async function listAll(
  { context, run, fetched }: Publication,
  owner: BlobOwner,
): Promise<PublishedEntry[] | undefined> {
  const { db, storage } = context
  // Those very objects are read as the source, and nothing is published before they are found to be well.
  const readAnyway = new Set(fetched.files.map(({ storeKey }) => storeKey))
  const blobs = await Array.fromAsync(iterateBlobs(db, owner))
  const kept = await keepBlobs(
    db,
    blobs.map(({ sha256 }) => sha256),
  )
  const entries: PublishedEntry[] = []
  for (const { logicalPath, sha256, sizeBytes, storeKey } of blobs) {
    run.signal.throwIfAborted()
    // Raw files are the import's own, whatever the other one kept.
    if (logicalPath.startsWith('raw/')) continue
    if (!kept.has(sha256)) return undefined
    if (!readAnyway.has(storeKey) && !(await isWell(storage, storeKey, run.signal))) return undefined
    entries.push({ logicalPath, sha256, sizeBytes })
  }
  return entries
}
