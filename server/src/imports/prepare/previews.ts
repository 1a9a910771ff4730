import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile } from '@nmp/formats/bytes'
import type { Codec, EncodeSettings } from '@nmp/formats/codec'
import type { Dataset, Episode, ImageFrames, PacketFrames } from '@nmp/formats/dataset'
import { requireSpace } from '@nmp/formats/disk-space'
import { FormatError } from '@nmp/formats/errors'
import { type CameraFeature, isCamera } from '@nmp/formats/feature'
import { decodeImage, encodePng, reshapePixels } from '@nmp/formats/image'
import { mapAtMost } from '@nmp/formats/limiter'
import { openVideo, type Video } from '@nmp/formats/video'
import { copyToWebm } from '@nmp/formats/video/webm'
import { createMp4Writer } from '@nmp/formats/video/writer'
import { writeTimeseries } from '@nmp/formats/writers/timeseries'
import type { PrepareHooks } from './prepare-hooks.ts'
import type { PreviewAsset } from './preview-asset.ts'

/** A preview as it lies in the work folder. */
export interface PreviewFile {
  name: string
  kind: PreviewAsset['kind']
  label: string
  contentType: PreviewAsset['content_type']
  metadata: Record<string, unknown>
}

const mostPictures = 16
const mostClips = 4
const clipSeconds = 8
/** Of what has to be encoded: all of it, 480 pixels wide, was half of what an import of 18,000 frames cost. */
const [clipWidth, clipFps] = [320, 15]
const clipQuality = { av1: 45, h264: 23, depth: 0 }
const smallestClip = 64
const mostCopiedBytes = 8 * 1024 * 1024
const camerasAtATime = 2

/**
 * Something to look at before the viewer is opened: a picture per camera, short clips that every browser plays, and the
 * numbers of the first episode. A preview that cannot be made is left out: it must not cost the import.
 */
export async function makePreviews(
  dataset: Dataset,
  codec: Codec,
  folder: string,
  hooks: PrepareHooks,
): Promise<PreviewFile[]> {
  const { signal, onProgress } = hooks
  const episode = dataset.getEpisode(0)
  const cameras = dataset.features.filter(isCamera)
  const works = [
    ...(['parquet', 'arrow'] as const).map((format) => () => previewNumbers(dataset, folder, format, signal)),
    ...cameras
      .slice(0, mostPictures)
      .map((camera, index) => () => previewCamera({ dataset, episode, camera, codec, folder, signal }, index)),
  ]
  let done = 0
  const made = await mapAtMost(camerasAtATime, works, async (work) => {
    const files = await work().catch(async (error: unknown) => {
      if (!(error instanceof FormatError) || signal.aborted) throw error
      await requireSpace(folder)
      return []
    })
    onProgress(++done, works.length)
    return files
  })
  return made.flat()
}

async function previewNumbers(dataset: Dataset, folder: string, format: 'parquet' | 'arrow', signal: AbortSignal) {
  const name = `episode-0.${format}`
  await writeTimeseries(dataset, 0, join(folder, name), format, { signal })
  const preview: PreviewFile = {
    name,
    kind: format === 'parquet' ? 'timeseries_parquet' : 'timeseries_arrow',
    label: 'Episode 0, numbers over time',
    contentType: format === 'parquet' ? 'application/vnd.apache.parquet' : 'application/vnd.apache.arrow.file',
    metadata: { episode_index: 0, frames: dataset.getEpisode(0).length, fps: dataset.fps },
  }
  return [preview]
}

interface CameraPlace {
  dataset: Dataset
  episode: Episode
  camera: CameraFeature
  codec: Codec
  folder: string
  signal: AbortSignal
}

async function previewCamera(place: CameraPlace, index: number): Promise<PreviewFile[]> {
  const { episode, camera } = place
  const frames = await episode.openCamera(camera.name)
  const frame = Math.floor(episode.length / 2)
  const fileName = nameFile(camera.name, index)
  if (frames.kind === 'images')
    return camera.depth ? [] : previewImages(place, frames, frame, fileName, index < mostClips)
  if (frames.kind !== 'packets' || camera.depth) return []
  return previewVideo(place, frames, frame, fileName, index < mostClips)
}

/** Camera names are the source's: only plain characters reach a file name, and the number keeps them apart. */
const nameFile = (camera: string, index: number): string =>
  `${index}-${camera
    .replace(/^observation\.images?\./, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 60)}`

async function previewImages(
  place: CameraPlace,
  frames: ImageFrames,
  frame: number,
  fileName: string,
  withClips: boolean,
): Promise<PreviewFile[]> {
  const { dataset, codec, folder, signal } = place
  let size = { width: smallestClip, height: smallestClip }
  for await (const { bytes } of frames.read({ frames: [frame], signal })) {
    const picture = await decodeImage(bytes)
    size = sizeClip(picture)
    await writeFile(join(folder, `${fileName}.png`), await encodePng(picture))
  }
  const picture = describePicture(place, frame, fileName)
  if (!withClips) return [picture]
  const length = Math.min(frames.frameCount, Math.round(clipSeconds * dataset.fps))
  const resize = { ...size, mode: 'stretch' } as const
  const film = thinOut(length, dataset.fps)
  async function* readPixels(): AsyncGenerator<Uint8Array> {
    for await (const { bytes } of frames.read({ frames: film.frames, signal }))
      yield (await reshapePixels(await decodeImage(bytes), { resize })).data
  }
  const clips = await makeClips(place, fileName, length, async (path, settings) => {
    await codec.encode({ path, ...size, settings: { ...settings, fps: film.fps }, frames: readPixels, signal })
    return { frames: film.frames.length, fps: film.fps }
  })
  return [picture, ...clips]
}

async function previewVideo(
  place: CameraPlace,
  frames: PacketFrames,
  frame: number,
  fileName: string,
  withClips: boolean,
): Promise<PreviewFile[]> {
  const { dataset, camera, codec, folder, signal } = place
  await using source = await openFile(frames.file)
  await using video = await openVideo(source, { name: camera.name, signal })
  const png = await codec.renderPoster({ video, seconds: (frames.startFrame + frame) / dataset.fps, signal })
  await writeFile(join(folder, `${fileName}.png`), png)
  const previews = [describePicture(place, frame, fileName)]
  if (!withClips) return previews
  const length = Math.min(frames.frameCount, Math.round(clipSeconds * dataset.fps))
  const [startFrame, endFrame] = [frames.startFrame, frames.startFrame + length]
  const film = thinOut(length, dataset.fps)
  const picked = film.frames.map((at) => [startFrame + at, startFrame + at + 1] as const)
  const transform = { resize: { ...sizeClip(video.facts), mode: 'stretch' } } as const
  const clips = await makeClips(place, fileName, length, async (path, settings) => {
    if (canCopy(video, settings.codec, startFrame, endFrame)) {
      await copyClip(video, startFrame, endFrame, path, place)
      return { frames: length, fps: dataset.fps }
    }
    const from = { video, startFrame, endFrame, picked }
    await codec.transcode({ from, transform, path, settings: { ...settings, fps: film.fps }, signal })
    return { frames: film.frames.length, fps: film.fps }
  })
  return [...previews, ...clips]
}

/** What browsers play as it is, and small enough, is not encoded again: AV1 in the WebM, H.264 in the MP4. */
function canCopy(video: Video, wanted: EncodeSettings['codec'], startFrame: number, endFrame: number): boolean {
  const { codec, pixelFormat } = video.facts
  const isPlayed = codec === wanted && pixelFormat === 'yuv420p' && video.canCopy(startFrame, endFrame)
  return isPlayed && video.packets.countBytes(startFrame, endFrame) <= mostCopiedBytes
}

/** Every frame, every second, every fourth …: so few a second that they are soon encoded, at a rate that a video can have. */
function thinOut(length: number, fps: number): { frames: number[]; fps: number } {
  let step = 1
  while (fps / step > clipFps && Number.isInteger((fps / step / 2) * 1000)) step *= 2
  return { frames: Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step), fps: fps / step }
}

async function copyClip(video: Video, startFrame: number, endFrame: number, path: string, place: CameraPlace) {
  const writer = createMp4Writer({ path, fps: place.dataset.fps, signal: place.signal })
  writer.append(video, startFrame, endFrame)
  await writer.finish()
}

/** A WebM cannot hold H.264, which is what an MP4 has to hold to be played everywhere: so both are made. */
async function makeClips(
  { dataset, camera, folder, signal }: CameraPlace,
  fileName: string,
  length: number,
  make: (path: string, settings: EncodeSettings) => Promise<{ frames: number; fps: number }>,
): Promise<PreviewFile[]> {
  const makeOne = (path: string, codec: EncodeSettings['codec']) =>
    make(path, { fps: dataset.fps, keyframeInterval: 30, codec, crf: clipQuality[codec] })
  const av1 = join(folder, `${fileName}.av1`)
  const [mp4, webm] = await Promise.all([makeOne(join(folder, `${fileName}.mp4`), 'h264'), makeOne(av1, 'av1')])
  await copyToWebm(av1, join(folder, `${fileName}.webm`), signal)
  const label = `${camera.name}, the first ${(length / dataset.fps).toFixed(1)} s of episode 0`
  const metadata = { episode_index: 0, camera_key: camera.name }
  return [
    { name: `${fileName}.mp4`, kind: 'video_mp4', label, contentType: 'video/mp4', metadata: { ...metadata, ...mp4 } },
    {
      name: `${fileName}.webm`,
      kind: 'video_webm',
      label,
      contentType: 'video/webm',
      metadata: { ...metadata, ...webm },
    },
  ]
}

/** Small enough to load at once, large enough for the encoder, and even. */
function sizeClip({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const ratio = Math.max(Math.min(1, clipWidth / width), smallestClip / Math.min(width, height))
  const even = (size: number): number => Math.max(smallestClip, 2 * Math.round((size * ratio) / 2))
  return { width: even(width), height: even(height) }
}

const describePicture = ({ camera }: CameraPlace, frame: number, fileName: string): PreviewFile => ({
  name: `${fileName}.png`,
  kind: 'image_preview',
  label: `${camera.name}, frame ${frame} of episode 0`,
  contentType: 'image/png',
  metadata: { episode_index: 0, frame_index: frame, camera_key: camera.name },
})

export const sizePreview = async (folder: string, { name }: PreviewFile): Promise<number> =>
  (await stat(join(folder, name))).size
