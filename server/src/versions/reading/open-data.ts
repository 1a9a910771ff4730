import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { withRoles } from '@nmp/formats/signal-roles'
import { applyRecipes } from '@nmp/formats/steps/recipe'
import type { Context } from '../../context.ts'
import { findManifest, getReadModel } from '../../datasets/read-model/cache.ts'
import { locateFiles } from '../../datasets/revision-content.ts'
import type { Revision } from '../../datasets/seen-dataset.ts'
import { findRevision, getRevision } from '../../datasets/service.ts'
import { listStoredFiles, type StoredFile } from '../../datasets/stored-files.ts'
import { ServiceError } from '../../errors.ts'
import { layOutVerified } from '../../storage/local-tree.ts'
import { listLinks } from '../chain.ts'
import { mergeStored } from '../merge/merge-stored.ts'
import type { StoredMerge } from '../merge/stored-merge.ts'
import { artifactOwner } from '../owners.ts'
import { toSteps } from '../plan/plan.ts'
import { getVersion } from '../service.ts'

/** Several sources as one; undefined where the files of one of them are gone. */
async function openMerged(
  context: Context,
  merge: StoredMerge,
  folder: string,
  signal: AbortSignal,
): Promise<Dataset | undefined> {
  const revisions = await Promise.all(merge.sources.map(({ root_revision_id: id }) => findRevision(context.db, id)))
  if (revisions.includes(undefined)) return undefined
  await using opened = new AsyncDisposableStack()
  const datasets: Dataset[] = []
  for (const [place, { links }] of merge.sources.entries()) {
    const revision = revisions[place] as Revision
    const own = join(folder, String(place))
    await mkdir(own)
    const files = await Array.fromAsync(listStoredFiles(context.db, locateFiles(revision)))
    await layOutVerified(context.storage, files, own, { signal })
    const stored = opened.use(await openDataset(await openFolder(own, { links: 'anywhere' }), { signal }))
    const { roles } = (await getReadModel(context, revision)).manifest
    datasets.push(applyRecipes(withRoles(stored, roles), links.map(toSteps)))
  }
  const dataset = await mergeStored(datasets, merge)
  const held = opened.move()
  return {
    ...dataset,
    getEpisode: (position) => ({ ...dataset.getEpisode(position), sourceIndex: position }),
    close: () => held.disposeAsync(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** The version as its export would hold it: the stored dataset through every recipe, or its own files where that is gone. */
export async function openVersionData(
  context: Context,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<Dataset> {
  const version = await getVersion(context.db, id)
  const merged = version.merge && (await openMerged(context, version.merge, folder, signal))
  if (merged) return merged
  const isDerived = version.revisionId !== null && !version.merge
  const source = isDerived && version.revisionId ? await getRevision(context.db, version.revisionId) : undefined
  const own = artifactOwner(version.id, version.orgId)
  const place = source ? locateFiles(source) : { owner: own, prefix: 'files/' }
  const files: StoredFile[] = []
  for await (const file of listStoredFiles(context.db, place)) files.push(file)
  if (files.length === 0)
    throw new ServiceError('conflict', 'The source of this version was deleted before the version was exported.')
  await layOutVerified(context.storage, files, folder, { signal })
  const stored = await openDataset(await openFolder(folder, { links: 'anywhere' }), { signal })
  const links = isDerived ? await listLinks(context.db, version) : []
  const manifest = source ? (await getReadModel(context, source)).manifest : await findManifest(context, own)
  const dataset = applyRecipes(withRoles(stored, manifest?.roles), links.map(toSteps))
  return {
    ...dataset,
    getEpisode: (position) => ({ ...dataset.getEpisode(position), sourceIndex: position }),
    close: () => stored.close(),
    [Symbol.asyncDispose]: () => stored.close(),
  }
}
