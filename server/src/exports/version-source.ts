import type { CameraFeature, Feature } from '@nmp/formats/feature'
import { isCamera } from '@nmp/formats/feature'
import type { SignalRoles } from '@nmp/formats/signal-roles'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { getRevision } from '../datasets/service.ts'
import { ServiceError } from '../errors.ts'
import { type ChainLink, listLinks, planChain } from '../versions/chain.ts'
import { deriveRoles } from '../versions/derive/derive-features.ts'
import { type EstimatedSize, estimateBytes, joinEstimates } from '../versions/estimate.ts'
import { type EncodedCameras, findEncoded } from '../versions/merge/merged-codecs.ts'
import { deriveChain, planStoredMerge } from '../versions/merge/merged-model.ts'
import type { StoredMerge } from '../versions/merge/stored-merge.ts'
import type { RecipePlan } from '../versions/plan/plan.ts'
import type { Version } from '../versions/service.ts'

/** One stored dataset that a version is made from. */
export interface SourcePart {
  /** The stored dataset, and its read model. */
  revision: Revision
  model: ReadModel
  /** Every recipe from there to the version. */
  links: readonly ChainLink[]
  /** All of them as one, in numbers and sizes of the stored dataset. */
  plan: RecipePlan
  /** Which features are state and action after them, where somebody has said so. */
  roles: SignalRoles | undefined
}

/** What a version is made from, pinned at its creation: one part for each source. */
export interface VersionSourceModel {
  parts: readonly [SourcePart, ...SourcePart[]]
  /** How several parts become one; null where there is one. */
  merge: StoredMerge | null
  /** What the files will hold. */
  result: ResultFacts
}

export interface ResultFacts {
  episodeCount: number
  frameCount: number
  cameras: readonly Pick<CameraFeature, 'name' | 'storage' | 'width' | 'height'>[]
  /** Of several sources; of one they follow from its plan. */
  features: readonly Feature[] | null
  /** Which of its features are state and action, where its sources say so. */
  roles: SignalRoles | undefined
  /** Of several sources: what of each is encoded because others have it so. */
  encoded: readonly EncodedCameras[]
}

export async function openVersionSource(context: Context, version: Version): Promise<VersionSourceModel> {
  const { merge, revisionId } = version
  if (!merge) {
    const part = await openPart(context, revisionId, await listLinks(context.db, version))
    const { plan, roles } = part
    const cameras = plan.cameras.map(({ camera, name, width, height }) => ({
      name,
      storage: camera.storage,
      width,
      height,
    }))
    const counts = { episodeCount: plan.episodes.length, frameCount: plan.frameCount }
    const result = { ...counts, cameras, features: null, roles, encoded: [] }
    return { parts: [part], merge, result }
  }
  const parts: SourcePart[] = []
  for (const { root_revision_id: id, links } of merge.sources) parts.push(await openPart(context, id, links))
  return { parts: parts as [SourcePart, ...SourcePart[]], merge, result: describeMerged(parts, merge) }
}

async function openPart(context: Context, revisionId: string | null, links: readonly ChainLink[]): Promise<SourcePart> {
  const last = links.at(-1)
  const revision = revisionId && (await getRevision(context.db, revisionId).catch(absent))
  if (!revision || !last)
    throw new ServiceError('conflict', 'The source of this version was deleted, so it can no longer be exported.')
  const model = await getReadModel(context, revision)
  const { source, plan, stored } = planChain(model, links.slice(0, -1), last)
  return { revision, model, links, plan: stored, roles: deriveRoles(source, plan) }
}

const absent = (error: unknown): undefined => {
  if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
}

function describeMerged(parts: readonly SourcePart[], merge: StoredMerge): ResultFacts {
  const models = parts.map(({ model, links }) => ({ root: model, derived: deriveChain(model, links) }))
  const plan = planStoredMerge(models, merge)
  return {
    episodeCount: parts.reduce((sum, part) => sum + part.plan.episodes.length, 0),
    frameCount: parts.reduce((sum, part) => sum + part.plan.frameCount, 0),
    cameras: plan.features.filter(isCamera),
    features: plan.features,
    roles: plan.roles,
    encoded: findEncoded(
      parts.map((part) => part.plan),
      plan,
    ),
  }
}

/** Bytes that the result will have, from those of the stored files. */
export async function estimateVersion(
  context: Context,
  { parts, result: { encoded } }: Pick<VersionSourceModel, 'parts' | 'result'>,
): Promise<EstimatedSize> {
  const sizes: EstimatedSize[] = []
  for (const [place, { revision, model, plan }] of parts.entries())
    sizes.push(await estimateBytes(context, revision, model, plan, { encoded: encoded[place], isFurther: place > 0 }))
  const videoBytes = new Map<string, number>()
  for (const size of sizes)
    for (const [camera, bytes] of size.videoBytes) videoBytes.set(camera, (videoBytes.get(camera) ?? 0) + bytes)
  return {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    estimate: joinEstimates(sizes),
    videoBytes,
    rowsBytes: sizes.reduce((sum, { rowsBytes }) => sum + rowsBytes, 0),
  }
}
