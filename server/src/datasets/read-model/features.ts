import { countValues, type Feature, isCamera, isColumn, labelDimensions } from '@nmp/formats/feature'
import type { CameraEntry, SignalEntry } from './manifest.ts'

/** One entry for a camera, none for any other feature. */
export function describeCamera(feature: Feature, fps: number): CameraEntry[] {
  if (!isCamera(feature)) return []
  const isVideo = feature.storage === 'video'
  const text = (key: string): string | null => {
    const value = feature.info[key]
    return isVideo && typeof value === 'string' ? value : null
  }
  return [
    {
      key: feature.name,
      label: labelCamera(feature.name),
      width: feature.width,
      height: feature.height,
      channels: feature.channels,
      fps,
      codec: text('video.codec'),
      pixel_format: text('video.pix_fmt'),
      depth_map: feature.depth !== undefined,
      storage: feature.storage,
    },
  ]
}

/** `observation.images.wrist_left` is called "wrist left" by people. */
export const labelCamera = (key: string): string =>
  key
    .replace(/^observation\.(images?|depths?)\./, '')
    .replaceAll(/[._]+/g, ' ')
    .trim() || key

export function describeSignal(features: readonly Feature[], key: string): SignalEntry | null {
  const feature = features.filter(isColumn).find(({ name }) => name === key)
  if (!feature) return null
  const dimension = countValues(feature.shape)
  const labels = labelDimensions(feature)
  const names = labels.length === dimension ? labels : Array.from({ length: dimension }, (_, index) => String(index))
  return { key, dimension, names }
}

/** Columns of words about the frames: LeRobot's language features, subtasks, instructions. */
export const listAnnotationKeys = (features: readonly Feature[]): string[] =>
  features
    .filter(isColumn)
    .filter(({ name, dtype }) => dtype === 'language' || dtype === 'string' || name === 'subtask_index')
    .map(({ name }) => name)
