import { encodeJpeg, fitPicture, type Pixels } from '@nmp/formats/image'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { makePicture, type PictureFormat, takePixels } from './frames.ts'
import { type KeptPicture, locatePictures } from './kept-pictures.ts'
import { getPictureMakers } from './picture-makers.ts'
import type { MediaRevision } from './repository.ts'
import { type Camera, getCameraOf, getEpisodeOf, getFrameOf, openModel } from './service.ts'

/** A width that is asked for is rounded up to one of these, so that a frame has few pictures. */
const posterWidths = [160, 320, 640, 1280] as const
export const maxPosterWidth = 1280

export const pickWidth = (asked: number): number =>
  posterWidths.find((candidate) => candidate >= asked) ?? maxPosterWidth

/** Distances were grey once, and such pictures may still be kept. */
const lookOf = ({ depth_map: isDepth }: Camera): string => (isDepth ? '-colours' : '')

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
  const entry = getFrameOf(model, episode, frame)
  const camera = getCameraOf(model, request.camera)
  const width = pickWidth(request.width)
  return getPictureMakers(context).pictures.get({
    place: locatePictures(media.revision),
    path: `posters/${encodeURIComponent(camera.key)}/${episode}/${frame}-${width}${lookOf(camera)}.${format}`,
    isStored: frame === 0 || frame === entry.lengthFrames - 1,
    make: () => makePicture(context, media, { model, entry, camera, frame, maxWidth: width }, format),
  })
}

const spriteFrames = 8
const tileWidth = 160
const smallTileWidth = 96

export function measureEpisodeTile(camera: Camera): { tile_width: number; tile_height: number } {
  const { width, height } = fitPicture(camera, smallTileWidth)
  return { tile_width: width, tile_height: height }
}

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
  return getPictureMakers(context).pictures.get({
    place: locatePictures(media.revision),
    path: `sprites/${encodeURIComponent(camera.key)}/${episode}${lookOf(camera)}.jpeg`,
    isStored: true,
    make: async () => {
      const tiles = await Promise.all(
        frames.map((frame) => takePixels(context, media, { model, entry, camera, frame, maxWidth: tileWidth })),
      )
      return encodeJpeg(joinTiles(tiles, 'across'), { quality: 75 })
    },
  })
}

/** One frame of each episode of a page, one below the other: a table then asks for one picture, not fifty. */
export async function getEpisodeSprite(
  context: Context,
  media: MediaRevision,
  { camera: key, offset, limit, at }: { camera: string; offset: number; limit: number; at: number },
): Promise<KeptPicture> {
  const model = await openModel(context, media)
  const camera = getCameraOf(model, key)
  getEpisodeOf(model, offset, ['query', 'offset'])
  const episodes = Array.from({ length: Math.min(limit, model.episodeCount - offset) }, (_, index) => offset + index)
  return getPictureMakers(context).pictures.get({
    place: locatePictures(media.revision),
    path: `episode-sprites/${encodeURIComponent(camera.key)}/${offset}-${limit}-${at}.jpeg`,
    isStored: false,
    make: async () => {
      const tiles = await Promise.all(
        episodes.map((episode) => {
          const entry = model.getEpisode(episode)
          const frame = Math.floor((Math.max(0, entry.lengthFrames - 1) * at) / 100)
          return takePixels(context, media, { model, entry, camera, frame, maxWidth: smallTileWidth })
        }),
      )
      return encodeJpeg(joinTiles(tiles, 'down'), { quality: 75 })
    },
  })
}

/** All tiles have the size of the first: they come from one camera. */
function joinTiles(tiles: readonly Pixels[], direction: 'across' | 'down'): Pixels {
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
