/**
 * Video files without their pixels: what is in them, and where each packet lies. A frame's number is its place in
 * presentation order, whatever the timestamps, edit lists and B-frames of the file say.
 */
import type { ByteSource } from '../bytes.ts'

/** Names as LeRobot's `video.codec` spells them. */
export type VideoCodec = 'av1' | 'h264' | 'hevc' | 'vp8' | 'vp9'

export interface VideoFacts {
  readonly container: 'mp4' | 'mov' | 'matroska' | 'webm'
  readonly codec: VideoCodec
  readonly width: number
  readonly height: number
  /** FFmpeg's name (`yuv420p`, `gray12le`), where the decoder configuration tells it. */
  readonly pixelFormat: string | undefined
  readonly frameCount: number
  /** The rate of the timestamps: (n - 1) / (last - first), taken to the integer when that explains every timestamp. */
  readonly fps: number
  /** Largest distance of a timestamp from first + i / fps, in seconds. */
  readonly gridErrorSeconds: number
  /** Timestamp of frame 0; 0 in a well-made file. */
  readonly startSeconds: number
  /** Frame numbers that can be decoded without another frame, ascending. */
  readonly keyframes: Uint32Array
  /** True when frames are stored in another order than they are shown (B-frames). */
  readonly isReordered: boolean
  readonly hasAudio: boolean
  /** Everything a decoder must know before the first packet (avcC, hvcC, av1C...); equal bytes mean joinable streams. */
  readonly decoderConfig: Uint8Array
  /** Bytes of all packets. */
  readonly packetBytes: number
}

/** One encoded frame. */
export interface VideoPacket {
  readonly frameIndex: number
  readonly isKeyframe: boolean
  readonly data: Uint8Array
}

export interface Video {
  readonly facts: VideoFacts
  /** Whether frames `startFrame` to `endFrame` (exclusive) can be cut out by copying packets. */
  canCopy(startFrame: number, endFrame: number): boolean
  /** Bytes of the packets of a range. */
  countBytes(startFrame: number, endFrame: number): number
  /** The packets of a range in decode order. Throws `video_not_joinable` when `canCopy` is false. */
  readPackets(startFrame: number, endFrame: number): AsyncGenerator<VideoPacket>
  close(): Promise<void>
}

export interface OpenVideoOptions {
  /** For error sentences; never opened. */
  name?: string
  signal?: AbortSignal | undefined
}

/** Opens MP4, QuickTime, Matroska or WebM; anything else, and any list of other files, is `container_invalid`. */
export declare function openVideo(source: ByteSource, options?: OpenVideoOptions): Promise<Video>

/** True when every timestamp is within 1e-5 s of i / fps, counted from 0: what LeRobot's loader needs. */
export declare function isOnGrid(facts: VideoFacts, fps: number): boolean
