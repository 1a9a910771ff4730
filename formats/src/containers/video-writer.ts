import type { Video } from './video.ts'

export interface Mp4WriterOptions {
  path: string
  /** Frame i is shown at exactly i / fps. */
  fps: number
  signal?: AbortSignal | undefined
}

export interface WrittenVideo {
  path: string
  sizeBytes: number
  frameCount: number
}

/**
 * Joins ranges of videos by copying packets: `moov` first, one track, time scale fps x 512, no times of creation, so the
 * same ranges give the same bytes. `append` only plans and is cheap; `finish` reads and writes. Sources stay open until then.
 */
export interface Mp4Writer {
  readonly frameCount: number
  /** Exact size of the file if `finish` were called now. */
  readonly sizeBytes: number
  /** Whether the range can follow what was appended: same decoder configuration, a cut that needs no other frame. */
  canAppend(video: Video, startFrame: number, endFrame: number): boolean
  /** Plans frames `startFrame` to `endFrame` (exclusive) next; throws `video_not_joinable` where `canAppend` is false. */
  append(video: Video, startFrame: number, endFrame: number): void
  finish(): Promise<WrittenVideo>
}

export declare function createMp4Writer(options: Mp4WriterOptions): Mp4Writer

export interface ExpectedVideo {
  frameCount: number
  fps: number
  /** Frames that must be keyframes: the episodes' starts. */
  keyframes: readonly number[]
  decoderConfig?: Uint8Array
}

/** Reads the packets of a written file back: count, exact grid, keyframes, decoder configuration. Throws `container_invalid`. */
export declare function verifyVideo(path: string, expected: ExpectedVideo): Promise<void>
