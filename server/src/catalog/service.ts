import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { cursorsOf } from '../cursor.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { findShownReadme } from '../datasets/refresh-shown.ts'
import type { RevisionPlace } from '../datasets/revision-content.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { findReadable } from '../datasets/service.ts'
import { getOwnFiles, listStoredFiles } from '../datasets/stored-files.ts'
import { invalidValue, notFound } from '../errors.ts'
import { type PlacedStream, placeStream } from '../media/streams.ts'
import { clipUrl, fileUrl, posterUrl, videoUrl } from '../media/urls.ts'
import { planTar, type Tar, type TarFile } from '../storage/serving/tar.ts'
import { presentEpisode } from './present.ts'
import type { framesPage, navigation, thumbnails } from './schemas.ts'

/** A dataset that the caller may see, opened for reading. */
export interface OpenedDataset {
  seen: SeenDataset
  model: ReadModel
}

export const openDataset = async (
  context: Context,
  principal: Principal | undefined,
  datasetId: string,
): Promise<OpenedDataset> => openSeen(context, await findReadable(context, principal, datasetId))

export const openSeen = async (context: Context, seen: SeenDataset): Promise<OpenedDataset> => ({
  seen,
  model: await getReadModel(context, seen.revision),
})

/** Refuses a split that no episode is in, as a camera that no episode has. */
export function requireSplit({ manifest }: ReadModel, split: string | undefined): void {
  const { split_names: names } = manifest
  if (split === undefined || names.includes(split)) return
  const known = names.length === 0 ? 'no episode is in a split' : `the splits are ${names.join(', ')}`
  throw invalidValue(['query', 'split'], known, split)
}

export function navigate({ seen, model }: OpenedDataset, index: number): Static<typeof navigation> {
  if (!model.hasEpisode(index)) throw notFound()
  const sources = seen.derived?.sources
  const at = (place: number) => (model.hasEpisode(place) ? presentEpisode(model, place, sources) : null)
  return {
    current: presentEpisode(model, index, sources),
    total: model.episodeCount,
    previous: at(index - 1),
    next: at(index + 1),
  }
}

export function listFrames(
  context: Context,
  { seen, model }: OpenedDataset,
  { offset, limit, view, camera_key }: { offset: number; limit: number; view: string; camera_key?: string },
): Static<typeof framesPage> {
  const { cameras } = model.manifest
  const wanted = camera_key === undefined ? cameras : cameras.filter(({ key }) => key === camera_key)
  if (camera_key !== undefined && wanted.length === 0)
    throw invalidValue(
      ['query', 'camera_key'],
      cameras.length === 0 ? 'the dataset has no camera' : `the cameras are ${model.cameraKeys.join(', ')}`,
      camera_key,
    )
  const { total, indices } = model.listEpisodes({ offset, limit })
  // One file holds many episodes, and a signature costs more than all else of an item.
  const urls = new Map<string, string>()
  const urlOf = (path: string): string => {
    const url = urls.get(path) ?? videoUrl(context, seen, path)
    urls.set(path, url)
    return url
  }
  /** Seconds count in the file that the URL names; of a camera kept as pictures, from the start of the episode. */
  const describeStream = (episode: number, camera: string, stream: PlacedStream | undefined, frame: number) => {
    const { fps } = model.manifest
    if (!stream) return { url: null, preview_time_sec: frame / fps, transforms: [] }
    const { path, fromSec, toSec, startFrame, transforms } = stream
    const url = path === undefined ? clipUrl(context, seen, { episode, camera }) : urlOf(path)
    return { url: `${url}#t=${fromSec},${toSec}`, preview_time_sec: (startFrame + frame) / fps, transforms }
  }
  const items = indices.map((index) => {
    const episode = model.getEpisode(index)
    const frame = view === 'last' ? Math.max(0, episode.lengthFrames - 1) : 0
    return {
      episode_index: index,
      length_frames: episode.lengthFrames,
      duration_sec: episode.durationSec,
      tasks: episode.tasks,
      streams: wanted.map(({ key, label }) => ({
        camera_key: key,
        label,
        ...describeStream(index, key, placeStream(seen, model, episode, key), frame),
        duration_sec: episode.durationSec,
        poster_url: posterUrl(context, seen, { episode: index, camera: key, frame }),
      })),
    }
  })
  return { offset, limit, total, camera_key: camera_key ?? cameras[0]?.key ?? null, view, items }
}

const thumbnailCount = 6

/** The middle frames of a few episodes, spread over the dataset. */
export function listThumbnails(context: Context, { seen, model }: OpenedDataset): Static<typeof thumbnails> {
  const { cameras } = model.manifest
  const camera = cameras.find(({ depth_map }) => !depth_map) ?? cameras[0]
  const count = camera ? Math.min(thumbnailCount, model.episodeCount) : 0
  const urls = Array.from({ length: count }, (_, place) => {
    const episode = Math.floor((place * model.episodeCount) / count)
    const frame = Math.floor((model.columns.lengthFrames[episode] ?? 0) / 2)
    return posterUrl(context, seen, { episode, camera: camera?.key ?? '', frame })
  })
  return { dataset_id: seen.dataset.id, urls }
}

export async function listFiles(
  context: Context,
  seen: SeenDataset,
  { limit, cursor }: { limit: number; cursor?: string },
) {
  const { revision } = seen
  const files: { path: string; sizeBytes: number; sha256: string }[] = []
  const cursors = cursorsOf('files', seen.dataset.id)
  const afterPath = cursors.decode(cursor) ?? ''
  for await (const file of listStoredFiles(context.db, getOwnFiles(revision), { afterPath })) {
    files.push(file)
    if (files.length > limit) break
  }
  const { rows, nextCursor } = cursors.cut(files, limit, ({ path }) => path)
  const items = rows.map(({ path, sizeBytes, sha256 }) => ({
    path,
    size_bytes: sizeBytes,
    sha256,
    href: fileUrl(context, seen, path),
  }))
  return { items, next_cursor: nextCursor }
}

/** The stored dataset in a folder of its name, with its card. */
export async function planArchive(
  { db }: Pick<Context, 'db'>,
  { dataset, revision }: { dataset: { id: string; slug: string }; revision: RevisionPlace },
): Promise<Tar & { etag: string }> {
  const files: TarFile[] = []
  const digest = createHash('sha256')
  const readme = await findShownReadme(db, dataset.id)
  for await (const { path, sizeBytes, sha256, storeKey } of listStoredFiles(db, getOwnFiles(revision))) {
    if (readme && path === 'README.md') continue
    files.push({ path: `${dataset.slug}/${path}`, sizeBytes, storeKey })
    digest.update(`${path}\0${sha256}\n`)
  }
  if (files.length === 0) throw notFound()
  if (readme) {
    const bytes = Buffer.from(readme.content)
    files.push({ path: `${dataset.slug}/README.md`, sizeBytes: bytes.byteLength, bytes })
    digest.update(`README.md\0${readme.sha256}\n`)
  }
  return { ...planTar(files), etag: `"${digest.digest('hex')}"` }
}
