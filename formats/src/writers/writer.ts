import type { Codec } from '../containers/codec/codec.ts'
import type { DecodedForm } from '../containers/codec/shared-decoding.ts'
import type { Dataset, ReportProgress } from '../dataset.ts'
import type { CameraFeature, Feature } from '../feature.ts'
import type { Finding } from '../finding.ts'
import type { SignalRoles } from '../signal-roles.ts'
import type { SplitTally } from '../splits.ts'
import type { FrameForm } from './frame-form.ts'
import type { OptionsSchema, TargetSettings } from './target-options.ts'

/** Turns a dataset into files of one kind. Same dataset and options give the same bytes. */
export interface Writer<Options extends WriteOptions = WriteOptions> {
  /** What `--to` takes. */
  readonly name: string
  /** The artifact of a version that holds it; absent where versions have none. */
  readonly artifactKey?: string
  /** What people call it, in a few words. */
  readonly title: string
  /** A sentence on who reads it. */
  readonly readers: string
  /** What may be chosen, by key. */
  readonly options: OptionsSchema
  /** What of these features the target cannot hold, told before anything is written. */
  listLosses(features: readonly Feature[], settings: TargetSettings): Loss[]
  /** The same of what a dataset has beside its features; absent where the target holds all of that. */
  listOtherLosses?(contents: OtherContents): Loss[]
  estimate(facts: TargetFacts, settings: TargetSettings): TargetEstimate
  /** What it takes of videos where it does not copy them; absent where it copies or encodes them. */
  decodes?(settings: TargetSettings): DecodedForm
  write(dataset: Dataset, folder: string, options?: Options): Promise<WriteReport>
  /** Reads what was written back, where this library can; refuses it in a sentence. */
  verify?(
    folder: string,
    expected: Pick<WriteReport, 'episodeCount' | 'frameCount'>,
    signal?: AbortSignal,
  ): Promise<void>
}

/** Something of a dataset that a target has no place for. */
export interface Loss {
  /** A feature, or what else a dataset has, e.g. `splits`. */
  readonly feature: string
  readonly reason: string
}

export interface OtherContents {
  /** How many episodes have more than one. */
  readonly severalTasks: number
  readonly splits: SplitTally
  /** Paths of files beside the data, as of `Dataset.sidecars`. */
  readonly sidecars: ReadonlySet<string>
}

export interface TargetFacts {
  readonly features: readonly Feature[]
  readonly roles?: SignalRoles | undefined
  readonly episodeCount: number
  readonly frameCount: number
  /** Of the same episodes as LeRobot v3. */
  readonly storedBytes: number
  /** What of that is video, by camera. */
  readonly videoBytes: ReadonlyMap<string, number>
  /** What of that is rows, with pictures that lie in them. */
  readonly rowsBytes: number
  /** What a frame of a camera takes in a form, where some of its frames were tried. */
  readonly findFrameBytes?: ((camera: CameraFeature, form: FrameForm) => number | undefined) | undefined
}

export interface TargetEstimate {
  readonly sizeBytes: number
  readonly fileCount: number
}

export interface WriteOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: ReportProgress
  /** Called for each file once nothing of it changes any more, while others are still written. */
  readonly onFile?: (file: WrittenFile) => void
  /** As `readTargetOptions` gives them; the defaults of the writer where absent. */
  readonly settings?: TargetSettings
  /** Codec processes of the caller, who goes on using them; otherwise some are started where needed, and closed at the end. */
  readonly codec?: Codec
}

export interface WrittenFile {
  /** Relative to the dataset. */
  readonly path: string
  readonly sizeBytes: number
  /** The file of the source that was kept as it is; absolute. */
  readonly keptFrom?: string
}

export interface WriteReport {
  readonly episodeCount: number
  readonly frameCount: number
  /** Relative paths with their sizes, in the order they were finished. */
  readonly files: readonly WrittenFile[]
  /** Those of the dataset and those met while writing. */
  readonly findings: readonly Finding[]
  /** What the target could not hold. */
  readonly losses: readonly Loss[]
}
