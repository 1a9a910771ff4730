import { FormatError } from '@nmp/formats/errors'
import {
  type DepthPixels,
  decodeDepthImage,
  decodeImage,
  encodeJpeg,
  encodeWebp,
  type Pixels,
  type PixelTransform,
} from '@nmp/formats/image'
import { createLimiter } from '@nmp/formats/limiter'
import { readImageColumn } from '@nmp/formats/parquet/images'
import type { Context } from '../context.ts'
import { findStoredFrame, findStoredName } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findStartRow } from '../datasets/read-model/start-row.ts'
import { ServiceError } from '../errors.ts'
import { paintDepth } from './depth-colours.ts'
import { measureDepth, readDepth } from './depth-reading.ts'
import type { VideoFile } from './frame-decoder.ts'
import { getLocalFile } from './local-files.ts'
import { getPictureMakers } from './picture-makers.ts'
import type { MediaRevision } from './repository.ts'
import { type Camera, getDatasetFile, locateEpisode } from './service.ts'

export type PictureFormat = 'jpeg' | 'webp'

/** Which frame, and how wide at most. */
export interface FramePlace {
  model: ReadModel
  entry: EpisodeEntry
  camera: Camera
  /** Within the episode. */
  frame: number
  maxWidth: number
}

/** One frame as a picture file, however its camera is stored. */
export const makePicture = (
  context: Context,
  media: MediaRevision,
  place: FramePlace,
  format: PictureFormat,
): Promise<Uint8Array> =>
  explainFailure(place, async () => {
    const { decoder } = getPictureMakers(context)
    const encode = format === 'webp' ? encodeWebp : encodeJpeg
    const painted = await paintFrame(context, media, place)
    if (painted) return encode(painted)
    const found = await findVideo(context, media, place)
    if (!found) return encode(await readImage(context, media, place))
    const { file, frame } = found
    if (format === 'jpeg') return decoder.render(file, place.maxWidth, frame)
    return decoder.decode(file, place.maxWidth, frame, (picture) => encode(picture))
  })

/** One frame as pixels, to be put together with others. */
export const takePixels = (context: Context, media: MediaRevision, place: FramePlace): Promise<Pixels> =>
  explainFailure(place, async () => {
    const painted = await paintFrame(context, media, place)
    if (painted) return painted
    const found = await findVideo(context, media, place)
    if (!found) return readImage(context, media, place)
    return getPictureMakers(context).decoder.decode(found.file, place.maxWidth, found.frame, async (picture) => picture)
  })

/** One frame of a depth camera in the values that are stored, fewer of them where it is wider than asked for. */
export const takeDepth = (context: Context, media: MediaRevision, place: FramePlace): Promise<DepthPixels> =>
  explainFailure(place, () => readStoredDepth(context, media, place))

async function readStoredDepth(context: Context, media: MediaRevision, place: FramePlace): Promise<DepthPixels> {
  const found = await findVideo(context, media, place)
  if (found) return getPictureMakers(context).decoder.decodeDepth(found.file, place.maxWidth, found.frame)
  return withImage(context, media, place, ({ bytes, transform }) =>
    decodeDepthImage(bytes, { transform, maxWidth: place.maxWidth }),
  )
}

/** A frame of a depth camera in the colours of the player; undefined where what is stored is a picture already. */
async function paintFrame(context: Context, media: MediaRevision, place: FramePlace): Promise<Pixels | undefined> {
  const { camera, model, entry } = place
  const reading = await readDepth(context, { media, model, entry }, camera)
  if (!reading) return undefined
  if (!('unknown' in reading)) return paintDepth(measureDepth(await readStoredDepth(context, media, place), reading))
  // Numbers of an unknown unit have a span, too. A video without codes of depth is shown as it is.
  return camera.storage === 'video' ? undefined : paintDepth(await readStoredDepth(context, media, place))
}

async function findVideo(
  context: Context,
  of: MediaRevision,
  { camera, frame, ...whole }: FramePlace,
): Promise<{ file: VideoFile; frame: number } | undefined> {
  const { media, model, entry } = locateEpisode({ media: of, ...whole })
  const place = entry.videos.get(camera.key)
  if (!place) return undefined
  const blob = await getDatasetFile(context, media, place.path)
  const transform = model.derivation?.transforms.get(camera.key)
  const change = transform && { transform, isDepth: camera.depth_map }
  const { episodeIndex } = entry
  const [first, shown] = [0, frame].map((number) => findStoredFrame(model.derivation, episodeIndex, number))
  const moved = (shown as number) - (first as number)
  return { file: { blob, name: place.path, change }, frame: place.startFrame + moved }
}

/** Those who wait have nothing in memory, and each that is decoded keeps a process of its own busy. */
const { run: inTurn } = createLimiter(2)
/** A picture is up to 256 MiB: whoever has read a large one reads alone until it is decoded. */
const { take: takeReading } = createLimiter(1)
const largeFromBytes = 16 * 1024 * 1024

interface StoredImage {
  bytes: Uint8Array
  transform: PixelTransform | undefined
}

const withImage = <T>(
  context: Context,
  media: MediaRevision,
  place: FramePlace,
  work: (image: StoredImage) => Promise<T>,
): Promise<T> =>
  inTurn(async () => {
    await using reading = new AsyncDisposableStack()
    reading.defer(await takeReading())
    const image = await readImageBytes(context, media, place)
    if (image.bytes.byteLength < largeFromBytes) await reading.disposeAsync()
    return await work(image)
  })

const readImage = (context: Context, media: MediaRevision, place: FramePlace): Promise<Pixels> =>
  withImage(context, media, place, ({ bytes, transform }) =>
    decodeImage(bytes, { transform, maxWidth: place.maxWidth }),
  )

/** A picture that is kept in the rows, and what a version does to it. */
async function readImageBytes(context: Context, of: MediaRevision, place: FramePlace): Promise<StoredImage> {
  const { media, model, entry, camera, frame } = locateEpisode({ media: of, ...place })
  const path = await getLocalFile(context, await getDatasetFile(context, media, entry.dataFile))
  const startRow = findStartRow(model, entry.episodeIndex)
  const range = { startRow: startRow + findStoredFrame(model.derivation, entry.episodeIndex, frame), rowCount: 1 }
  const stored = findStoredName(model.derivation, camera.key)
  for await (const { bytes } of readImageColumn(path, entry.dataFile, stored, range))
    return { bytes, transform: model.derivation?.transforms.get(camera.key) }
  throw new FormatError('episode_unreadable', `${entry.dataFile} ends before row ${range.startRow}.`)
}

/** A frame that was damaged before it came here is no fault of ours. */
async function explainFailure<T>({ entry, camera, frame }: FramePlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FormatError) || error.code === 'codec_missing') throw error
    throw new ServiceError(
      'not_found',
      `Frame ${frame} of ${camera.key} in episode ${entry.episodeIndex} cannot be shown: ${error.message}`,
      { cause: error },
    )
  }
}
