import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findReadable } from '../datasets/service.ts'
import { invalidValue, notFound } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import { findBlob } from '../storage/blobs.ts'
import type { BlobReference } from '../storage/repository.ts'
import { findMediaRevision, type MediaRevision } from './repository.ts'
import { checkMediaSignature, type GivenSignature, type MediaKind, type MediaParameters } from './urls.ts'

export interface MediaAddress {
  kind: MediaKind
  datasetId: string
  revisionId: string
  parameters: MediaParameters
}

export interface OpenedMedia extends MediaRevision {
  maxAgeSeconds: number
}

const unsignedSeconds = 300

/**
 * Who holds a signed link sees what it was signed for, as long as the dataset is what it was then: a public link ends when the
 * dataset is withdrawn, every link when it is deleted. Without a signature the caller must be able to read the dataset.
 */
export async function openMedia(
  context: Context,
  principal: Principal | undefined,
  address: MediaAddress,
  given: GivenSignature,
): Promise<OpenedMedia> {
  const isSigned = given.signature !== undefined || given.expires !== undefined || given.access !== undefined
  const access = isSigned ? checkMediaSignature(context, address, given) : undefined
  if (!isSigned) await findReadable(context, principal, address.datasetId)
  const found = await findMediaRevision(context.db, address.datasetId, address.revisionId)
  if (!found) throw notFound()
  if (access === 'public' && found.dataset.visibility !== 'public') throw notFound()
  const maxAgeSeconds = given.expires === undefined ? unsignedSeconds : given.expires - Date.now() / 1000
  return { ...found, maxAgeSeconds }
}

/** A file of the dataset by its path in it. */
export async function getDatasetFile(
  { db }: Pick<Context, 'db'>,
  { revision }: MediaRevision,
  path: string,
): Promise<BlobReference> {
  const blob = await findBlob(db, { kind: 'revision', id: revision.id, orgId: revision.orgId }, `dataset/${path}`)
  if (!blob) throw notFound()
  return blob
}

export const openModel = (context: Context, { revision }: MediaRevision): Promise<ReadModel> =>
  getReadModel(context, revision)

export function getEpisodeOf(model: ReadModel, episode: number, place: string[] = ['query', 'episode']): EpisodeEntry {
  if (episode < model.episodeCount) return model.getEpisode(episode)
  throw invalidValue(place, `the dataset has the episodes 0 to ${model.episodeCount - 1}`, episode)
}

export type Camera = ReadModel['manifest']['cameras'][number]

export function getCameraOf(model: ReadModel, key: string, place: string[] = ['query', 'camera']): Camera {
  const { cameras } = model.manifest
  const camera = cameras.find((candidate) => candidate.key === key)
  if (camera) return camera
  const keys = cameras.map((candidate) => candidate.key).join(', ')
  throw invalidValue(place, cameras.length ? `the cameras are ${keys}` : 'there is no camera', key)
}
