/** Pixels of videos, made and read by FFmpeg in a child process (see `codec-entry.ts`, the only user of node-av). */
import type { Picture } from '../dataset.ts'
import type { ChildLimits } from './child.ts'
import type { PixelTransform } from './image.ts'

export interface CodecOptions {
  signal?: AbortSignal | undefined
  limits?: Partial<ChildLimits>
}

export interface DecodeRequest {
  /** Absolute path of an MP4, QuickTime, Matroska or WebM file. */
  path: string
  /** Ascending frame numbers, or a range; every frame when omitted. */
  frames?: readonly number[] | { startFrame: number; endFrame: number }
  /** `depth`: one channel of 16-bit values as coded (12-bit codes of LeRobot's depth video). Default `rgb`. */
  pixels?: 'rgb' | 'depth'
  transform?: PixelTransform
}

export interface EncodeSettings {
  /** `av1` becomes `h264` below 64 pixels, which SVT-AV1 refuses. `depth` is lossless HEVC of 12-bit codes. */
  codec: 'av1' | 'h264' | 'depth'
  fps: number
  /** Default 30 for AV1, 23 for H.264. */
  crf?: number
  /** SVT-AV1 preset, default 10 (12 gives the same bytes); x264 preset name, default `veryfast`. */
  preset?: string
  /** Frames from keyframe to keyframe, default 2 (every even frame can be cut at). */
  keyframeInterval?: number
}

export interface EncodedVideo {
  path: string
  frameCount: number
  sizeBytes: number
  /** Size as written: even, so up to one pixel more than given. */
  width: number
  height: number
  /** Set when a row or column was added to make the size even. */
  padded: boolean
  codec: 'av1' | 'h264' | 'hevc'
  pixelFormat: string
  /** LeRobot's `video.*` keys of the encoder: g, crf, preset, fast_decode, video_backend, extra_options. */
  info: Readonly<Record<string, unknown>>
}

export interface EncodeRequest {
  path: string
  width: number
  height: number
  settings: EncodeSettings
  /** Called again when the encoder stood still and is started a second time. */
  frames: () => AsyncIterable<Uint8Array | Uint16Array>
}

export interface TranscodeRequest {
  from: { path: string; startFrame: number; endFrame: number }
  transform?: PixelTransform
  path: string
  settings: EncodeSettings
}

export interface PosterRequest {
  path: string
  seconds: number
  /** The picture is scaled down to fit; default 640. */
  maxWidth?: number
}

/** A codec process that is started when needed, serves one call at a time, and is replaced after a fault. */
export interface Codec extends AsyncDisposable {
  decode(request: DecodeRequest): AsyncGenerator<Picture>
  encode(request: EncodeRequest): Promise<EncodedVideo>
  /** Decode, transform and encode in one process: no pixel crosses. */
  transcode(request: TranscodeRequest): Promise<EncodedVideo>
  /** The frame shown at `seconds` as PNG. */
  renderPoster(request: PosterRequest): Promise<Uint8Array>
  close(): Promise<void>
}

export declare function openCodec(options?: CodecOptions): Codec
