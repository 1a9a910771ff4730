import type { ColumnFeature } from '@nmp/formats/feature'
import type { PixelTransform } from '@nmp/formats/image'
import type { Fill } from '@nmp/formats/merge/fill'
import type { ActionSettings } from '@nmp/formats/steps/action'
import type { Gathering } from '@nmp/formats/steps/rate'
import type { KeptFrames } from './kept-frames.ts'

/**
 * How the frames and rows of a read model come from files that were stored for something else: those of the dataset that a version
 * is derived from. Its `data_files`, `video_files` and the columns that place episodes in them are then those of that dataset.
 * A derivation of a derivation is one again: numbers go through both, what is done to pixels and actions is done one after the other.
 */
export interface Derivation {
  /** By episode: the number it has in the stored files. */
  storedIndex: Uint32Array
  /** By episode: the length it has there. */
  storedLength: Uint32Array
  /** By episode: the first row of the stored one in its data file. */
  startRow: Float64Array
  /** By episode: which frames of the stored one it has. */
  frames: KeptFrames
  /** Frames per second of the stored files. */
  storedFps: number
  /** By camera: what is done to its pixels; a camera without an entry is as stored. */
  transforms: ReadonlyMap<string, PixelTransform>
  /** Video files that hold frames which are not in the model. */
  partialFiles: ReadonlySet<string>
  /** What is done to the numbers of stored columns, in order. */
  changes: readonly RowChange[]
  /** By feature: what it is called in the stored files, where that or its shape is another. */
  columns: ReadonlyMap<string, StoredColumn>
  /** By feature that the stored files have not: the constant that stands in every row. */
  fills?: ReadonlyMap<string, Fill>
}

/** Columns are named as they are stored. `frames` is what the recipe had of each stored episode then, `left` what it had afterwards. */
export type RowChange =
  | {
      kind: 'action'
      column: string
      settings: ActionSettings
      /** Which numbers of the stored column are smoothed; all where it is absent. */
      smoothed?: readonly number[]
      frames: KeptFrames
    }
  | { kind: 'shift'; column: string; count: number; frames: KeptFrames; left: KeptFrames }
  | {
      kind: 'rate'
      columns: ReadonlyMap<string, Gathering>
      fps: number
      newFps: number
      frames: KeptFrames
      left: KeptFrames
    }

export interface StoredColumn {
  name: string
  shape: readonly number[]
  /** Which of its numbers are left, in their order; all of them where it is absent. */
  dimensions?: readonly number[]
  /** What each of those is multiplied by. */
  factors?: readonly number[]
  /** The stored type, where the feature has a wider one. */
  dtype?: ColumnFeature['dtype']
}

export const findStoredName = (derivation: Derivation | undefined, feature: string): string =>
  derivation?.columns.get(feature)?.name ?? feature

/** Whether a change makes other numbers of a stored column than taking its rows. */
export const changesColumn = (change: RowChange, column: string): boolean =>
  change.kind === 'rate' ? change.columns.has(column) : change.column === column

/** Whether the numbers of a feature are others than the stored ones. */
export const isChanged = (derivation: Derivation | undefined, feature: string): boolean =>
  derivation?.changes.some((change) => changesColumn(change, findStoredName(derivation, feature))) ?? false

/** Whether a video file shows more than the model does: frames that it left out, or pixels around a crop. */
export const showsMore = ({ partialFiles, transforms }: Derivation, camera: string, path: string): boolean =>
  partialFiles.has(path) || transforms.has(camera)

/** Whether frames between those of the episode are left out, or follow each other at another rate, so that no range of a file shows it. */
export const hasGaps = (derivation: Derivation | undefined, episode: number): boolean =>
  (derivation?.frames.get(episode)?.length ?? 0) > 1 ||
  (derivation?.changes.some(({ kind }) => kind === 'rate') ?? false)

/** The number that a frame of an episode has in the stored one. */
export function findStoredFrame(derivation: Derivation | undefined, episode: number, frame: number): number {
  const ranges = derivation?.frames.get(episode)
  if (!ranges) return frame
  let before = 0
  for (const [from, to] of ranges) {
    if (frame < before + to - from) return from + frame - before
    before += to - from
  }
  throw new RangeError(`episode ${episode} has no frame ${frame}`)
}
