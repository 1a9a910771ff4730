import type { PixelTransform } from './containers/image.ts'
import type { VideoFacts } from './containers/video/video.ts'
import type { CameraFeature, Feature, NumericArray } from './feature.ts'
import type { Finding } from './finding.ts'
import type { KeptRanges } from './frame-ranges.ts'
import type { JsonValue } from './json.ts'
import type { SignalRoles } from './signal-roles.ts'
import type { CameraStatistics } from './statistics/camera.ts'
import type { FeatureStatistics } from './statistics/episode.ts'
import type { StatedStatistics } from './statistics/stated.ts'
import type { StatedPixels } from './statistics/stated-pixels.ts'

/**
 * A robot dataset of any origin. It knows its episodes as numbers only (some forty bytes each); rows and pictures are read
 * when a block is asked for, so memory is bounded by one block whatever the size of the episode, the files or the dataset.
 */
export interface Dataset extends AsyncDisposable {
  readonly origin: Origin
  /** Frames per second of every stream. */
  readonly fps: number
  readonly robotType: string | null
  /** What the source says beside it; absent where it says nothing. */
  readonly stated?: StatedFacts
  /** In the source's order, without LeRobot's five bookkeeping columns. */
  readonly features: readonly Feature[]
  /** Set where somebody has said which of them are state and action. */
  readonly roles?: SignalRoles | undefined
  /** The usable episodes; what was left out stands in the findings. */
  readonly episodeCount: number
  readonly frameCount: number
  /** Set where a recipe left out frames of episodes: some of them know their `sourceRanges`. */
  readonly isCut?: boolean
  /** Set where several datasets were merged: what each of them was, in their order. */
  readonly sources?: readonly MergedSource[]
  /** Set where its frames are to be drawn unevenly: written as a table beside the data. */
  readonly mixture?: MixtureWeights
  /** What was found so far: complete for metadata and rows after opening, for pictures after they were read. */
  readonly findings: readonly Finding[]
  /** Files a LeRobot v3 writer may copy as they are, because rows and frames already lie as it would write them. */
  readonly intact?: IntactFiles
  /** What belongs beside the data and has no place in LeRobot's own files: written as JSON under these paths. */
  readonly sidecars?: ReadonlyMap<string, JsonValue>
  /** 0 <= position < episodeCount. Costs nothing; reading begins with the episode's own methods. */
  getEpisode(position: number): Episode
  /** What the source states of all its episodes together, used or not; never used itself, but held against the numbers. */
  findStatedStatistics?(): Promise<StatedStatistics | undefined>
  close(): Promise<void>
}

/** Shares of the frames that a sampler draws, by the place of a source or by a task's text. */
export type MixtureWeights =
  | { readonly kind: 'sources'; readonly weights: readonly number[] }
  | { readonly kind: 'tasks'; readonly weights: ReadonlyMap<string, number> }

/** One of the datasets that a merged one is made of; kept beside the data. */
export interface MergedSource {
  readonly datasetId: string
  readonly revision: string
  /** The recipe and mapping it went through, as they were asked for. */
  readonly recipe: JsonValue
  readonly map: JsonValue
}

export interface StatedFacts {
  /** The work that the tasks belong to: the environment, benchmark or family of tasks. */
  readonly workName?: string
  /** The body that acts, as the source calls it. */
  readonly embodiment?: string
  /** URDF or the like: an address, or a path as the source writes it. */
  readonly robotDescriptionUri?: string
}

/** Where a dataset comes from, for reports and provenance. */
export interface Origin {
  readonly layout: string
  readonly version: string
  /** Facts worth showing, e.g. `{ assumed_fps: 50 }`. */
  readonly details: Readonly<Record<string, JsonValue>>
}

export interface Episode {
  /** The source's own number. */
  readonly sourceIndex: number
  /** The number in the dataset that the first of several recipes began with; absent where there is one recipe, or none. */
  readonly rootIndex?: number
  /** Which of the dataset's `sources` it is from. */
  readonly sourcePlace?: number
  /** The source's own name where it has one (`demo_12`), else the number as text. */
  readonly sourceId: string
  readonly length: number
  /** Which frames of the source's episode these are, where a recipe left some out. */
  readonly sourceRanges?: KeptRanges
  /** Set where a recipe gave this part of an episode a task of its own: no annotation of the whole replaces it. */
  readonly hasOwnTask?: boolean
  /** The distinct tasks in order of first use; at least one, "" when the source has none. */
  readonly tasks: readonly string[]
  /** Names of the splits it is in: none, one or several. `DEFAULT_SPLITS` where the source names no splits at all. */
  readonly splits: readonly string[]
  /** Rows from `startFrame` on, in order. `columns` names the features wanted; all columns when omitted. */
  readBlocks(request?: BlockRequest): AsyncIterable<Block>
  /** The frames of one camera, checked: as many as the episode is long. Throws `episode_unreadable` otherwise. */
  openCamera(camera: string): Promise<CameraFrames>
  /** Pixel statistics that the source already holds; only sources this library wrote have them. */
  findCameraStatistics?(camera: string): Promise<KnownCameraStatistics | undefined>
  /**
   * Statistics of its rows that the source already holds, with those of LeRobot's own columns; only where this library wrote both. They
   * are of the rows as they lie in the dataset's `intact` files.
   */
  findRowStatistics?(): Promise<ReadonlyMap<string, FeatureStatistics> | undefined>
  /** What the source states of this episode's numbers. */
  findStatedStatistics?(): Promise<StatedStatistics | undefined>
  /** What the source states of the pixels of a camera in its recording of this episode; never taken, but frames are held against it. */
  findStatedPixels?(camera: string): Promise<StatedPixels | undefined>
}

export interface KnownCameraStatistics {
  readonly statistics: CameraStatistics
  /** Of the whole recording that these frames were taken from, and not of exactly these. */
  readonly isOfWhole: boolean
}

export interface BlockRequest {
  readonly columns?: readonly string[]
  /** Default 0. */
  readonly startFrame?: number
  /** Default: the episode's length. */
  readonly endFrame?: number
  readonly signal?: AbortSignal
}

/** Consecutive rows of one episode: at most 4096, at most 64 MiB. */
export interface Block {
  readonly startFrame: number
  readonly frameCount: number
  /** Keyed by feature name. Numbers are row-major: `frameCount` times the feature's shape. */
  readonly columns: ReadonlyMap<string, Values>
  /** Each frame's place in `episode.tasks`; absent when the episode has one task. */
  readonly taskIndex?: Uint32Array
}

/** Numbers; text; or LeRobot language rows. */
export type Values = NumericArray | readonly string[] | readonly JsonValue[]

/** Packets where they can be copied, encoded pictures where the source has them, pixels otherwise. */
export type CameraFrames = PacketFrames | ImageFrames | PixelFrames

/** Frames `startFrame` to `startFrame + frameCount` (in presentation order) of a video file, copied without decoding where that is possible. */
export interface PacketFrames {
  readonly kind: 'packets'
  /** Absolute path. */
  readonly file: string
  /** What sentences call the file: its path inside the dataset. */
  readonly name?: string
  readonly startFrame: number
  readonly frameCount: number
  /** Set where frames in between are left out: which ones of the file these are, the first one being `startFrame`. */
  readonly picked?: KeptRanges
  /** Set where the file holds nothing but such episodes on the grid: a v3 writer that takes all its frames may keep it as it is. */
  readonly isKeepable?: boolean
  /** Set where the pixels are to change: the frames are then decoded, transformed and encoded instead of copied. */
  readonly transform?: PixelTransform
  /** Position of the episode, set where several writers go through the dataset at the same time. */
  readonly place?: number
}

/** One PNG or JPEG per frame. */
export interface ImageFrames {
  readonly kind: 'images'
  readonly frameCount: number
  /** Set where these are the pictures of `from` with changed pixels: a further change begins there and stores each picture once. */
  readonly changed?: { readonly from: ImageFrames; readonly transform: PixelTransform }
  read(request?: FrameRequest): AsyncIterable<EncodedImage>
}

export interface EncodedImage {
  readonly frameIndex: number
  readonly bytes: Uint8Array
}

/** Decoded pictures, top row first, RGB; or one channel of 16-bit depth codes. */
export interface PixelFrames {
  readonly kind: 'pixels'
  readonly frameCount: number
  readonly width: number
  readonly height: number
  readonly channels: number
  read(request?: FrameRequest): AsyncIterable<Picture>
}

export interface Picture {
  readonly frameIndex: number
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly data: Uint8Array | Uint16Array
}

export interface FrameRequest {
  /** Ascending frame indices within the episode; all when omitted. */
  readonly frames?: readonly number[]
  readonly signal?: AbortSignal
}

/** LeRobot v3 files that hold exactly the dataset's episodes, in order and on the grid. Paths are absolute. */
export interface IntactFiles {
  /** All data files, or undefined when a row has to change. */
  readonly data: IntactData | undefined
  /** The files of each camera that needs no change. */
  readonly videos: ReadonlyMap<CameraFeature['name'], readonly IntactVideo[]>
}

export interface IntactData {
  readonly files: readonly IntactFile[]
  /** The texts that the kept task_index column counts. */
  readonly tasks: readonly string[]
  /** Set where episodes, rows and tasks are numbered anew, as in a merged dataset: all other columns stay as they are. */
  readonly isRenumbered?: boolean
}

export interface IntactFile {
  readonly path: string
  readonly sizeBytes: number
  readonly episodeCount: number
}

export interface IntactVideo extends IntactFile {
  readonly facts: VideoShape
}

/** What its index says of a video file, whichever frames it holds. */
export type VideoShape = Pick<VideoFacts, 'codec' | 'width' | 'height' | 'pixelFormat'>

/** Called often while something long goes on. */
export type ReportProgress = (progress: Progress) => void

export interface Progress {
  readonly phase: string
  readonly done: number
  readonly total: number
}
