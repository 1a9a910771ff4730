/** What parent and codec child say to each other. */
export type CallName = 'decode' | 'render' | 'compress' | 'measure' | 'encode' | 'transcode'

export interface DecodeCall {
  codec: string
  filter: string
  /** Each frame is answered a second time, as JPEG. */
  jpeg?: { filter: string; quality: number }
}

/** Answered with a JPEG per wanted frame: a hundredth of the bytes that its pixels would be. */
export interface RenderCall extends DecodeCall {
  /** FFmpeg's scale: 2 is the best, 31 the smallest. */
  quality: number
}

/** Answered every few frames with the frame numbers that were counted since; the last answer's body is the histograms. */
export interface MeasureCall extends DecodeCall {
  isDepth: boolean
}

/** Packets one behind the other in the body; the first message of a call carries the decoder configuration instead. */
export interface PacketsHead {
  /** The frame of each packet; with a minus and one less where it is only needed for others (-1 is frame 0). */
  frames: number[]
  sizes: number[]
}

/** Frames come in as pixels, one a message. */
export interface FrameShape {
  width: number
  height: number
  pixelFormat: 'rgb24' | 'gray12le'
}

/** Answered with a picture in JPEG XL for each frame. */
export interface CompressCall {
  width: number
  height: number
  distance: number
  effort: number
}

export interface EncodeCall extends FrameShape {
  filter: string
  plan: EncoderPlan
}

export interface TranscodeCall {
  codec: string
  filter: string
  plan: EncoderPlan
}

/** Everything that decides the bytes of an encoded stream. */
export interface EncoderPlan {
  encoder: 'libsvtav1' | 'libx264' | 'libx265'
  codec: 'av1' | 'h264' | 'hevc'
  pixelFormat: 'yuv420p' | 'gray12le'
  options: Readonly<Record<string, string>>
  keyframeInterval: number
  threads: number
  /** Time from frame to frame as a fraction. */
  frameSeconds: { num: number; den: number }
  width: number
  height: number
  path: string
}
