import type { PixelTransform } from '@nmp/formats/image'
import type { ActionSettings } from '@nmp/formats/steps/action'

/**
 * How the frames and rows of a read model come from files that were stored for something else: those of the dataset that a version
 * is derived from. Its `data_files`, `video_files` and the columns that place episodes in them are then those of that dataset.
 * A derivation of a derivation is one again: numbers go through both, what is done to pixels and actions is done one after the other.
 */
export interface Derivation {
  /** By episode: the number it has in the stored files. */
  storedIndex: Uint32Array
  /** By episode: its first row in its data file. */
  startRow: Float64Array
  /** By camera: what is done to its pixels; a camera without an entry is as stored. */
  transforms: ReadonlyMap<string, PixelTransform>
  /** Video files that hold episodes which are not in the model. */
  partialFiles: ReadonlySet<string>
  /** What is done to `action`, in order. */
  actions: readonly ActionSettings[]
}

/** Whether a video file shows more than the model does: episodes that it left out, or pixels around a crop. */
export const showsMore = ({ partialFiles, transforms }: Derivation, camera: string, path: string): boolean =>
  partialFiles.has(path) || transforms.has(camera)
