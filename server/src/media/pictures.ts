import { decodeImage, encodeJpeg, encodeWebp, type Pixels, reshapePixels } from '@nmp/formats/containers/image'
import { readImageColumn } from '@nmp/formats/containers/parquet-images'
import { FormatError } from '@nmp/formats/errors'
import type { Context } from '../context.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { findStartRow } from './episode-rows.ts'
import type { KeptPicture } from './kept-pictures.ts'
import { getLocalFile } from './local-files.ts'
import type { MediaRevision } from './repository.ts'
import { type Camera, getCameraOf, getDatasetFile, getEpisodeOf, openModel } from './service.ts'
import { getStudio } from './studio.ts'

export type PictureFormat = 'jpeg' | 'webp'

/** A width that is asked for is rounded up to one of these, so that a frame has few pictures. */
const posterWidths = [160, 320, 640, 1280] as const
export const maxPosterWidth = 1280

const encode = (picture: Pixels, format: PictureFormat): Promise<Uint8Array> =>
  format === 'webp' ? encodeWebp(picture) : encodeJpeg(picture)

export interface PosterRequest {
  episode: number
  camera: string
  /** Within the episode. */
  frame: number
  width: number
  format: PictureFormat
}

export async function getPoster(context: Context, media: MediaRevision, request: PosterRequest): Promise<KeptPicture> {
  const { episode, frame, format } = request
  const model = await openModel(context, media)
  const entry = getEpisodeOf(model, episode)
  const camera = getCameraOf(model, request.camera)
  if (frame >= entry.lengthFrames)
    throw invalidValue(['query', 'frame'], `episode ${episode} has the frames 0 to ${entry.lengthFrames - 1}`, frame)
  const width = posterWidths.find((candidate) => candidate >= request.width) ?? maxPosterWidth
  return getStudio(context).pictures.get({
    revisionId: media.revision.id,
    orgId: media.revision.orgId,
    path: `posters/${encodeURIComponent(camera.key)}/${episode}/${frame}-${width}.${format}`,
    isStored: frame === 0 || frame === entry.lengthFrames - 1,
    make: () => takeFrame(context, media, model, entry, camera, frame, width, (picture) => encode(picture, format)),
  })
}

/** One frame of an episode, however its camera is stored. */
async function takeFrame<T>(
  context: Context,
  media: MediaRevision,
  model: ReadModel,
  entry: EpisodeEntry,
  camera: Camera,
  frame: number,
  maxWidth: number,
  use: (picture: Pixels) => Promise<T>,
): Promise<T> {
  try {
    const place = entry.videos.get(camera.key)
    if (place) {
      const blob = await getDatasetFile(context, media, place.path)
      const file = { blob, name: place.path }
      return await getStudio(context).decoder.decode(file, maxWidth, place.startFrame + frame, use)
    }
    return await use(await readImage(context, media, model, entry, camera, frame, maxWidth))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new ServiceError(
      'not_found',
      `Frame ${frame} of ${camera.key} in episode ${entry.episodeIndex} cannot be shown: ${error.message}`,
      { cause: error },
    )
  }
}

async function readImage(
  context: Context,
  media: MediaRevision,
  model: ReadModel,
  entry: EpisodeEntry,
  camera: Camera,
  frame: number,
  maxWidth: number,
): Promise<Pixels> {
  const path = await getLocalFile(context, await getDatasetFile(context, media, entry.dataFile))
  const startRow = findStartRow(model, entry)
  const range = { startRow: startRow + frame, rowCount: 1 }
  for await (const { bytes } of readImageColumn(path, entry.dataFile, camera.key, range)) {
    const picture = await decodeImage(bytes)
    if (picture.width <= maxWidth) return picture
    const height = Math.max(1, Math.round((picture.height * maxWidth) / picture.width))
    return reshapePixels(picture, { resize: { width: maxWidth, height, mode: 'stretch' } })
  }
  throw new FormatError('episode_unreadable', `${entry.dataFile} ends before row ${range.startRow}.`)
}

export const spriteFrames = 8
const tileWidth = 160
const smallTileWidth = 96

export const measureEpisodeTile = ({ width, height }: Camera): { tile_width: number; tile_height: number } =>
  width <= smallTileWidth
    ? { tile_width: width, tile_height: height }
    : { tile_width: smallTileWidth, tile_height: Math.max(1, Math.round((height * smallTileWidth) / width)) }

/** Eight frames over the length of an episode, side by side: what a pointer that moves over a picture shows. */
export async function getSprite(
  context: Context,
  media: MediaRevision,
  { episode, camera: key }: { episode: number; camera: string },
): Promise<KeptPicture> {
  const model = await openModel(context, media)
  const entry = getEpisodeOf(model, episode)
  const camera = getCameraOf(model, key)
  const frames = Array.from({ length: spriteFrames }, (_, index) =>
    Math.round((index * (entry.lengthFrames - 1)) / (spriteFrames - 1)),
  )
  return getStudio(context).pictures.get({
    revisionId: media.revision.id,
    orgId: media.revision.orgId,
    path: `sprites/${encodeURIComponent(camera.key)}/${episode}.jpeg`,
    isStored: true,
    make: async () => {
      const tiles = await Promise.all(
        frames.map((frame) => takeFrame(context, media, model, entry, camera, frame, tileWidth, async (tile) => tile)),
      )
      return encodeJpeg(joinTiles(tiles, 'across'), { quality: 75 })
    },
  })
}

/** The first frame of each episode of a page, one below the other: a table then asks for one picture, not fifty. */
export async function getEpisodeSprite(
  context: Context,
  media: MediaRevision,
  { camera: key, offset, limit }: { camera: string; offset: number; limit: number },
): Promise<KeptPicture> {
  const model = await openModel(context, media)
  const camera = getCameraOf(model, key)
  getEpisodeOf(model, offset, ['query', 'offset'])
  const episodes = Array.from({ length: Math.min(limit, model.episodeCount - offset) }, (_, index) => offset + index)
  return getStudio(context).pictures.get({
    revisionId: media.revision.id,
    orgId: media.revision.orgId,
    path: `episode-sprites/${encodeURIComponent(camera.key)}/${offset}-${limit}.jpeg`,
    isStored: false,
    make: async () => {
      const tiles = await Promise.all(
        episodes.map((episode) =>
          takeFrame(context, media, model, model.getEpisode(episode), camera, 0, smallTileWidth, async (tile) => tile),
        ),
      )
      return encodeJpeg(joinTiles(tiles, 'down'), { quality: 75 })
    },
  })
}

/** All tiles have the size of the first: they come from one camera. */
export function joinTiles(tiles: readonly Pixels[], direction: 'across' | 'down'): Pixels {
  const [first] = tiles
  if (!first) throw new ServiceError('internal_error', 'A sprite needs a picture.')
  const { width, height } = first
  const rowBytes = width * 3
  const isAcross = direction === 'across'
  const columns = isAcross ? tiles.length : 1
  const data = new Uint8Array(tiles.length * height * rowBytes)
  for (const [index, tile] of tiles.entries()) {
    if (tile.width !== width || tile.height !== height) continue
    const base = isAcross ? index * rowBytes : index * height * rowBytes
    for (let row = 0; row < height; row++)
      data.set(tile.data.subarray(row * rowBytes, (row + 1) * rowBytes), base + row * rowBytes * columns)
  }
  return { width: width * columns, height: isAcross ? height : height * tiles.length, channels: 3, data }
}
