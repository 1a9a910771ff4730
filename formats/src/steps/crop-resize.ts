import { describeEncoder, planEncoder } from '../containers/codec/plan.ts'
import {
  appendTransform,
  decodeDepthImage,
  decodeImage,
  encodePng,
  listTransforms,
  type PixelTransform,
  reshapeDepth,
  reshapePixels,
} from '../containers/image.ts'
import type { CameraFrames, Dataset, EncodedImage, Episode, ImageFrames } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { type CameraFeature, isCamera } from '../feature.ts'
import { forget } from './select-cameras.ts'

export interface PixelSettings {
  /** In percent of the source frame. */
  readonly crop?: Crop | null
  readonly resize?: Resize | null
}

export interface Crop {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Resize {
  readonly width: number
  readonly height: number
  /** `fit` keeps the aspect ratio and pads with black, `fill` keeps it and crops, `stretch` changes it. */
  readonly mode: 'fit' | 'fill' | 'stretch'
}

/** Crops, then resizes, every camera; one that is the same afterwards is left alone, packets and all. */
export function apply(dataset: Dataset, settings: PixelSettings): Dataset {
  const plans = new Map<string, PlannedCamera>()
  for (const camera of dataset.features.filter(isCamera)) {
    const transform = planTransform(camera, settings)
    if (transform) plans.set(camera.name, { camera, transform })
  }
  if (plans.size === 0) return dataset
  const { intact, ...others } = dataset
  const touched = [...plans.values()].map(({ camera }) => camera)
  return {
    ...others,
    features: dataset.features.map((feature) => {
      const plan = plans.get(feature.name)
      return plan ? describeChanged(plan, dataset.fps) : feature
    }),
    ...(intact && { intact: forget(intact, touched) }),
    getEpisode: (position) => changeEpisode(dataset.getEpisode(position), plans),
  }
}

interface PlannedCamera {
  readonly camera: CameraFeature
  readonly transform: PixelTransform
}

/** Percent become even pixels; undefined when no pixel would change. */
export function planTransform(
  { width, height }: { readonly width: number; readonly height: number },
  { crop, resize }: PixelSettings,
): PixelTransform | undefined {
  const cut = crop ? placeCrop(crop, width, height) : undefined
  const isWhole = !cut || (cut.width === width && cut.height === height)
  const size = isWhole ? { width, height } : cut
  const isSameSize = !resize || (resize.width === size.width && resize.height === size.height)
  if (isWhole && isSameSize) return undefined
  return { ...(isWhole ? {} : { crop: cut }), ...(resize && !isSameSize && { resize }) }
}

/** Size of a camera after its transform. */
export function sizeAfter(
  size: { readonly width: number; readonly height: number },
  transform: PixelTransform | undefined,
): { width: number; height: number } {
  const last = listTransforms(transform).at(-1)
  const { width, height } = last?.resize ?? last?.crop ?? size
  return { width, height }
}

/** Each edge goes to the nearest even pixel, half way up; a whole side stays whole, and two pixels are left at least. */
function placeCrop(crop: Crop, width: number, height: number) {
  const [left, right] = placeEdges(crop.left, crop.width, width)
  const [top, bottom] = placeEdges(crop.top, crop.height, height)
  return { left, top, width: right - left, height: bottom - top }
}

function placeEdges(startPercent: number, sizePercent: number, length: number): [number, number] {
  if (!(startPercent >= 0 && sizePercent > 0 && startPercent + sizePercent <= 100 + 1e-9)) {
    throw new FormatError('unsupported', `A crop from ${startPercent} % over ${sizePercent} % leaves the frame.`)
  }
  if (startPercent === 0 && sizePercent === 100) return [0, length]
  const toPixel = (percent: number) => 2 * Math.round((percent * length) / 200)
  const even = length - (length % 2)
  const start = Math.min(toPixel(startPercent), Math.max(0, even - 2))
  return [start, Math.max(start + 2, Math.min(toPixel(startPercent + sizePercent), even))]
}

/** What the encoder will say of itself stands in the feature, whoever encodes: the same info.json comes from every way. */
function describeChanged({ camera, transform }: PlannedCamera, fps: number): CameraFeature {
  const size = sizeAfter(camera, transform)
  if (camera.storage === 'image') return { ...camera, ...size }
  const settings = { codec: camera.depth ? 'depth' : 'av1', fps, ...(camera.depth && { keyframeInterval: 1 }) } as const
  const kept = Object.entries(camera.info).filter(([key]) => !encoderKeys.has(key))
  return {
    ...camera,
    ...size,
    info: { ...Object.fromEntries(kept), ...describeEncoder(planEncoder(settings, size, '')) },
  }
}

const encoderKeys = new Set([
  ...['video.g', 'video.crf', 'video.preset', 'video.fast_decode'],
  ...['video.video_backend', 'video.extra_options'],
])

function changeEpisode(episode: Episode, plans: ReadonlyMap<string, PlannedCamera>): Episode {
  return {
    ...episode,
    openCamera: async (camera) => {
      const frames = await episode.openCamera(camera)
      const plan = plans.get(camera)
      return plan ? changeFrames(frames, plan) : frames
    },
    // Those of the source are of other pixels.
    findCameraStatistics: async (camera) =>
      plans.has(camera) ? undefined : await episode.findCameraStatistics?.(camera),
  }
}

function changeFrames(frames: CameraFrames, { camera, transform }: PlannedCamera): CameraFrames {
  if (frames.kind === 'packets') {
    const whole = appendTransform(frames.transform, transform)
    return whole ? { ...frames, transform: whole } : frames
  }
  if (frames.kind === 'images') return changeImages(frames, camera, transform)
  throw new FormatError('unsupported', `${camera.name} yields raw pixels; crop and resize need a stored dataset.`)
}

/** Pictures kept in rows stay pictures in rows: PNG, as lerobot writes them. */
function changeImages(given: ImageFrames, camera: CameraFeature, own: PixelTransform): ImageFrames {
  const { pictures: frames, transform } = given.changed
    ? { pictures: given.changed.from, transform: appendTransform(given.changed.transform, own) as PixelTransform }
    : { pictures: given, transform: own }
  const reshape = async ({ frameIndex, bytes }: EncodedImage): Promise<EncodedImage> => {
    if (camera.depth) {
      return { frameIndex, bytes: await encodePng(reshapeDepth(await decodeDepthImage(bytes), transform)) }
    }
    return { frameIndex, bytes: await encodePng(await reshapePixels(await decodeImage(bytes), transform)) }
  }
  return {
    ...frames,
    changed: { from: frames, transform },
    read: async function* (request) {
      for await (const image of frames.read(request)) yield await reshape(image)
    },
  }
}
