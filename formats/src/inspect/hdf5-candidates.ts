/** The summary's preview candidates: which arrays can be shown, and how. */
import type { Hdf5Dataset } from '../containers/hdf5/hdf5.ts'
import { getName, joinPath } from '../containers/hdf5/tree.ts'
import { findPictures, findRawPictures, isColourName, type PictureFacts } from '../layouts/hdf5/pictures.ts'
import type { CameraPlan, EpisodePlan, FilePlan } from '../layouts/hdf5/plan.ts'
import type { Hdf5Source } from '../layouts/hdf5/source.ts'
import { pickSplit } from '../layouts/hdf5/splits.ts'

interface Seen {
  path: string
  shape: number[]
  dtype: string
}

interface PictureCandidate extends Seen {
  layout: string
  frames: number | null
  height: number | null
  width: number | null
  channels: number | null
  episode_index: number | null
  split: string | null
  trajectory_id: string | null
}

interface EncodedCandidate extends PictureCandidate {
  encoding: string
  fps: number | null
}

export interface PreviewCandidates {
  image: (PictureCandidate & { group_path: string | null; camera_key: string | null })[]
  jpeg_bytes: EncodedCandidate[]
  padded_jpeg: (EncodedCandidate & {
    camera_key: string | null
    compress_len_path: string | null
    camera_index: number | null
  })[]
  image_path: (EncodedCandidate & { first_frame_path: string | null; camera_key: string | null })[]
  numeric_tensor: (Seen & { ndim: number; size: number })[]
}

interface Place {
  readonly prefix: string
  /** Number of the file's first episode. */
  readonly first: number
  readonly fps: number | null
}

const maxCandidates = 500

export function createCandidates(): PreviewCandidates {
  return { image: [], jpeg_bytes: [], padded_jpeg: [], image_path: [], numeric_tensor: [] }
}

/** Adds what one file offers; false when a list was cut. */
export async function addCandidates(
  lists: PreviewCandidates,
  source: Hdf5Source,
  plan: FilePlan | undefined,
  place: Place,
): Promise<boolean> {
  const taken = new Set<string>()
  let isWhole = true
  for (const [index, episode] of (plan?.episodes ?? []).entries()) {
    for (const camera of episode.cameras) {
      const path = joinPath(episode.group, camera.path)
      const dataset = camera.form === 'video-file' ? undefined : source.tree.findDataset(path)
      if (!dataset || camera.form === 'video') continue
      taken.add(path)
      isWhole =
        (await addCamera(lists, source, dataset, camera, { episode, index: place.first + index, place })) && isWhole
    }
  }
  for (const node of source.tree.nodes) {
    if (node.kind !== 'dataset' || taken.has(node.path) || node.refusal !== undefined) continue
    isWhole = addLoose(lists, node, place) && isWhole
  }
  return isWhole
}

interface Owner {
  readonly episode: EpisodePlan
  readonly index: number
  readonly place: Place
}

async function addCamera(
  lists: PreviewCandidates,
  source: Hdf5Source,
  dataset: Hdf5Dataset,
  camera: CameraPlan,
  { episode, index, place }: Owner,
): Promise<boolean> {
  const camera_key = getCameraKey(camera)
  const picture = {
    ...describeSeen(dataset, place.prefix),
    frames: dataset.shape[0] ?? null,
    height: camera.height,
    width: camera.width,
    channels: camera.channels,
    episode_index: index,
    split: pickSplit(episode.splits),
    trajectory_id: episode.sourceId,
  }
  if (camera.form === 'pixels') {
    const group_path = place.prefix + episode.group
    return push(lists.image, { ...picture, layout: camera.axes, group_path, camera_key })
  }
  const facts: PictureFacts | undefined = await findPictures(source, dataset, camera.path)
  const encoded = { ...picture, encoding: facts?.encoding ?? 'jpeg', fps: place.fps }
  if (camera.form === 'paths') {
    const first_frame_path = facts?.firstPath ?? null
    return push(lists.image_path, {
      ...encoded,
      encoding: 'image_path',
      layout: 'IMAGE_PATH',
      first_frame_path,
      camera_key,
    })
  }
  if (dataset.shape.length < 2) return push(lists.jpeg_bytes, { ...encoded, layout: 'JPEG_BYTES' })
  const { lengths } = camera
  return push(lists.padded_jpeg, {
    ...encoded,
    layout: 'PADDED_JPEG',
    camera_key,
    compress_len_path: lengths ? place.prefix + joinPath(episode.group, lengths.path) : null,
    camera_index: lengths?.row ?? null,
  })
}

/** Arrays of no episode: pictures by their shape, and every array of numbers. */
function addLoose(lists: PreviewCandidates, dataset: Hdf5Dataset, { prefix }: Place): boolean {
  const { shape, dtype, path } = dataset
  const raw = findRawPictures(dataset)
  const seen = describeSeen(dataset, prefix)
  if (raw && raw.axes !== 'HW' && raw.channels === 3 && isColourName(path) && !path.includes('/next_obs/')) {
    return push(lists.image, {
      ...seen,
      layout: raw.axes,
      frames: raw.frameCount,
      height: raw.height,
      width: raw.width,
      channels: raw.channels,
      episode_index: null,
      split: null,
      trajectory_id: null,
      group_path: null,
      camera_key: getName(path),
    })
  }
  if (!/^(u?int|float|bool)/.test(dtype) || shape.includes(0)) return true
  const size = shape.reduce((product, length) => product * length, 1)
  return push(lists.numeric_tensor, { ...seen, ndim: shape.length, size })
}

function describeSeen({ path, shape, dtype }: Hdf5Dataset, prefix: string): Seen {
  return { path: prefix + path, shape: [...shape], dtype }
}

function getCameraKey({ name }: CameraPlan): string {
  return name.replace(/^observation\.images\./, '')
}

function push<T>(list: T[], candidate: T): boolean {
  if (list.length >= maxCandidates) return false
  list.push(candidate)
  return true
}
