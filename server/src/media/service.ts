import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { showsMore } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findFile, findPart } from '../datasets/read-model/parts.ts'
import { findReadableKind } from '../datasets/readable.ts'
import { locateFiles } from '../datasets/revision-content.ts'
import { findReadable } from '../datasets/service.ts'
import { getStoredFile } from '../datasets/stored-files.ts'
import { invalidValue, notFound } from '../errors.ts'
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
  /** Files of a version's source that hold more than the version are given out: to who may read the source, or holds a link to one. */
  isSourceOpen: boolean
  maxAgeSeconds: number
}

const unsignedSeconds = 300

/**
 * Who holds a signed link sees what it was signed for, as long as the dataset is what it was then: a public link ends when the
 * dataset is withdrawn, every link when it is deleted. Without a signature the caller must be able to read the dataset, and that revision
 * of it.
 */
export async function openMedia(
  context: Context,
  principal: Principal | undefined,
  address: MediaAddress,
  given: GivenSignature,
): Promise<OpenedMedia> {
  const isSigned = given.signature !== undefined || given.expires !== undefined || given.access !== undefined
  const access = isSigned ? checkMediaSignature(context, address, given) : undefined
  const seen = isSigned ? undefined : await findReadable(context, principal, address.datasetId)
  const { datasetId, revisionId } = address
  const kind = findReadableKind(context, datasetId)
  const found = await (kind
    ? kind.findRevision(context, datasetId, revisionId)
    : findMediaRevision(context.db, datasetId, revisionId))
  if (!found) throw notFound()
  const needsPublic = isSigned ? access === 'public' : seen?.role === null
  if (needsPublic && !found.isPublic) throw notFound()
  const maxAgeSeconds = given.expires === undefined ? unsignedSeconds : given.expires - Date.now() / 1000
  return { ...found, maxAgeSeconds, isSourceOpen: seen?.derived?.isSourceOpen ?? true }
}

/** A file that the frames and rows of the dataset are read from, by its path in it. */
export const getDatasetFile = (
  { db }: Pick<Context, 'db'>,
  { revision }: MediaRevision,
  path: string,
): Promise<BlobReference> => getStoredFile(db, locateFiles(revision), path)

/** One that the dataset plays: of a version that is shown from its source's files, no other camera's, and none of episodes that it left out. */
export async function getVideoFile(context: Context, media: OpenedMedia, path: string): Promise<BlobReference> {
  if (media.revision.content?.deriveModel) {
    const model = await openModel(context, media)
    const camera = findCameraOfFile(model, path)
    if (camera === undefined) throw notFound()
    const inPart = model.parts && findFile(model.parts, path)
    const { derivation } = inPart?.part.model ?? model
    const stored = inPart?.path ?? path
    if (!media.isSourceOpen && derivation && showsMore(derivation, camera, stored)) throw notFound()
    if (inPart) return getStoredFile(context.db, locateFiles(inPart.part.place), stored)
  }
  return getDatasetFile(context, media, path)
}

function findCameraOfFile({ manifest, columns }: ReadModel, path: string): string | undefined {
  return manifest.video_files.find(({ files }, video) => {
    const file = files.indexOf(path)
    return file >= 0 && (columns.videoFile[video]?.includes(file) ?? false)
  })?.key
}

/** What the frames and rows of an episode are read from: of several sources, the one that it came from, in whose numbers `entry` is. */
export function locateEpisode<T extends { media: MediaRevision; model: ReadModel; entry: EpisodeEntry }>(whole: T): T {
  const { media, model, entry } = whole
  if (!model.parts) return whole
  const { start, place, model: own } = findPart(model.parts, entry.episodeIndex)
  return {
    ...whole,
    media: { ...media, revision: place },
    model: own,
    entry: own.getEpisode(entry.episodeIndex - start),
  }
}

export const openModel = (context: Context, { revision }: MediaRevision): Promise<ReadModel> =>
  getReadModel(context, revision)

export function getEpisodeOf(model: ReadModel, episode: number, place: string[] = ['query', 'episode']): EpisodeEntry {
  if (episode < model.episodeCount) return model.getEpisode(episode)
  throw invalidValue(place, `the dataset has the episodes 0 to ${model.episodeCount - 1}`, episode)
}

/** The episode that has the frame. */
export function getFrameOf(model: ReadModel, episode: number, frame: number): EpisodeEntry {
  const entry = getEpisodeOf(model, episode)
  if (frame < entry.lengthFrames) return entry
  throw invalidValue(['query', 'frame'], `episode ${episode} has the frames 0 to ${entry.lengthFrames - 1}`, frame)
}

export type Camera = ReadModel['manifest']['cameras'][number]

export function getCameraOf(model: ReadModel, key: string, place: string[] = ['query', 'camera']): Camera {
  const { cameras } = model.manifest
  const camera = cameras.find((candidate) => candidate.key === key)
  if (camera) return camera
  const keys = cameras.map((candidate) => candidate.key).join(', ')
  throw invalidValue(place, cameras.length ? `the cameras are ${keys}` : 'there is no camera', key)
}
