/** How a family of HDF5 files is read: what its layout file says about one file, as data. */
import type { StatedFacts } from '../../dataset.ts'
import type { NumericDtype } from '../../feature.ts'
import type { JsonValue } from '../../json.ts'
import type { Hdf5Source } from './source.ts'

/** A family recognises a file by its tree and plans its episodes; reading them is the same for all. */
export interface Hdf5Family {
  readonly name: string
  recognize(source: Hdf5Source): boolean
  plan(source: Hdf5Source): Promise<FilePlan>
}

export interface FilePlan {
  /** Undefined: the file does not say. */
  readonly fps?: StatedRate | undefined
  readonly robotType?: string | null
  /** Counts before what attributes of the usual names say. */
  readonly stated?: StatedFacts
  /** Facts for the provenance. */
  readonly details?: Readonly<Record<string, JsonValue>>
  /** Every split that the file names, also such that no episode is in. */
  readonly splits?: readonly NamedSplit[]
  readonly episodes: readonly EpisodePlan[]
}

export interface NamedSplit {
  readonly name: string
  /** What it names that the file does not hold. */
  readonly missing: readonly string[]
  /** Why it cannot be used. */
  readonly refusal?: string
}

export interface StatedRate {
  readonly value: number
  /** Where it was found, e.g. `env_args.env_kwargs.control_freq`; `assumed` values say what they rest on. */
  readonly from: string
  readonly isAssumed: boolean
}

export interface EpisodePlan {
  /** Group that all paths are relative to; "/" when the file is the episode. */
  readonly group: string
  readonly sourceId: string
  readonly task: string
  readonly success: boolean | null
  /** Those it is in; empty where the source says nothing of it. */
  readonly splits: readonly string[]
  /** Rows before this one belong to another episode. */
  readonly startRow: number
  readonly length: number
  readonly columns: readonly ColumnPlan[]
  readonly cameras: readonly CameraPlan[]
  readonly notes: readonly PlanNote[]
}

export interface PlanNote {
  readonly rule:
    | 'array-left-out'
    | 'signal-left-out'
    | 'array-length-differs'
    | 'assumed'
    | 'stated'
    | 'timestamps-irregular'
  readonly sentence: string
  /** Concerns this episode only; else it is said once. */
  readonly isOfEpisode?: boolean
}

/** One feature, made of the rows of one array or of several side by side. */
export interface ColumnPlan {
  readonly name: string
  readonly dtype: NumericDtype
  readonly shape: readonly number[]
  readonly names: readonly string[] | null
  readonly parts: readonly ColumnPart[]
  /** `success`: no array; the episode's success on its last row. */
  readonly form: 'rows' | 'success'
  /** Seconds per unit of a clock, and the clock's first value is subtracted. */
  readonly clockUnit?: number
}

export interface ColumnPart {
  /** Relative to the episode's group. */
  readonly path: string
  /** Frame 0 lies in this row. */
  readonly rowOffset: number
  readonly width: number
}

export type PictureForm = 'pixels' | 'encoded' | 'paths' | 'video' | 'video-file'

export interface CameraPlan {
  readonly name: string
  /** Relative to the episode's group; of a `video-file`, relative to the file tree. */
  readonly path: string
  readonly form: PictureForm
  /** Axes of one stored picture. */
  readonly axes: 'HWC' | 'CHW' | 'HW'
  readonly width: number
  readonly height: number
  readonly channels: number
  /** `bgr`: what a reader takes for red is blue. */
  readonly colorOrder: 'rgb' | 'bgr'
  readonly isFlipped: boolean
  /** Frame 0 lies in this row. */
  readonly rowOffset: number
  /** Mobile ALOHA's table of JPEG lengths, and this camera's row in it. */
  readonly lengths?: { readonly path: string; readonly row: number }
}
