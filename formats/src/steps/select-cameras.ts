import type { Dataset, IntactFiles } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isCamera } from '../feature.ts'

export interface CameraSelection {
  /** Cameras to keep; all when empty. Order and repeats do not matter. */
  readonly keys?: readonly string[]
}

/** Keeps the named cameras, in the source's order. */
export function apply(dataset: Dataset, { keys = [] }: CameraSelection): Dataset {
  const cameras = dataset.features.filter(isCamera)
  for (const key of keys) {
    if (cameras.some(({ name }) => name === key)) continue
    const known = cameras.map(({ name }) => name).join(', ') || 'none'
    throw new FormatError('unsupported', `There is no camera ${key}; the dataset has ${known}.`)
  }
  const kept = new Set(keys)
  const dropped = cameras.filter(({ name }) => kept.size > 0 && !kept.has(name))
  if (dropped.length === 0) return dataset
  const isGone = (name: string) => dropped.some((camera) => camera.name === name)
  const { intact, ...others } = dataset
  return {
    ...others,
    features: dataset.features.filter(({ name }) => !isGone(name)),
    ...(intact && { intact: forget(intact, dropped) }),
    getEpisode: (position) => {
      const episode = dataset.getEpisode(position)
      const openCamera: typeof episode.openCamera = async (camera) => {
        if (isGone(camera)) throw new FormatError('unsupported', `There is no camera ${camera}.`)
        return episode.openCamera(camera)
      }
      return { ...episode, openCamera }
    },
  }
}

/** Files that still may be copied once these cameras are gone or changed: pictures kept in rows change the rows. */
export function forget(
  { data, videos }: IntactFiles,
  cameras: readonly { readonly name: string; readonly storage: 'video' | 'image' }[],
): IntactFiles {
  const isInRows = cameras.some(({ storage }) => storage === 'image')
  const left = [...videos].filter(([key]) => !cameras.some(({ name }) => name === key))
  return { data: isInRows ? undefined : data, videos: new Map(left) }
}
