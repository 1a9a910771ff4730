/** Pixels of videos, read and made by FFmpeg in child processes (`ffmpeg.ts` is the only user of node-av). */
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { openFile } from '../../bytes.ts'
import type { EncodedImage, Picture } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type KeptRanges, listKept } from '../../frame-ranges.ts'
import { createLimiter } from '../../limiter.ts'
import { type CameraStatistics, createCameraStatistics, mergeCameraStatistics } from '../../statistics/camera.ts'
import type { ChildLimits } from '../child/child.ts'
import { type ChildPool, createChildPool } from '../child/pool.ts'
import type { Sandbox } from '../child/sandbox.ts'
import { encodePng, type PixelTransform } from '../image.ts'
import { openVideo, type Video } from '../video/video.ts'
import { createMp4Writer } from '../video/writer.ts'
import type { DecodeCall, EncodeCall, EncoderPlan, MeasureCall, RenderCall, TranscodeCall } from './calls.ts'
import { type CompressedPicture, compressPicture } from './compressed-picture.ts'
import { buildFilter, buildStoredFilter } from './filter.ts'
import { hashPixels, sendFrames, sendPackets } from './input.ts'
import { describeMissingCodec, isCodecInstalled } from './library.ts'
import { describeEncoder, type EncodeSettings, planEncoder, splitFrames } from './plan.ts'
import { type DecodeRequest, listFrames, planDecode, planJpeg, type RenderRequest } from './plan-decode.ts'
import { createScratch } from './scratch.ts'
import { renderStretches } from './stretches.ts'

export type { EncodeSettings } from './plan.ts'

export interface CodecOptions {
  signal?: AbortSignal | undefined
  limits?: Partial<ChildLimits>
  /** Calls beyond this many at a time wait. Default 4. */
  maxProcesses?: number
  /** Where encoders write what becomes a video; by default among the temporary files of the system. */
  folder?: string | undefined
}

export interface EncodeRequest {
  /** Where the MP4 goes. */
  path: string
  /** Of the frames that come in: RGB bytes, or 12-bit codes when the codec is `depth`. */
  width: number
  height: number
  settings: EncodeSettings
  /** Called a second time when the encoder stood still and was started anew. */
  frames: () => AsyncIterable<Uint8Array | Uint16Array>
  signal?: AbortSignal | undefined
}

export interface TranscodeRequest {
  /** `picked`: only these of the frames. */
  from: { video: Video; startFrame: number; endFrame: number; picked?: KeptRanges | undefined }
  transform?: PixelTransform
  path: string
  settings: EncodeSettings
  signal?: AbortSignal | undefined
}

export interface PosterRequest {
  video: Video
  /** Time of the file. */
  seconds: number
  /** The picture is scaled down to this width; default 640. */
  maxWidth?: number
  signal?: AbortSignal | undefined
}

export interface EncodedVideo {
  path: string
  frameCount: number
  sizeBytes: number
  /** Size as written: even, so up to one pixel more than came in. */
  width: number
  height: number
  /** A row or column of black was added to make the size even. */
  isPadded: boolean
  codec: 'av1' | 'h264' | 'hevc'
  pixelFormat: 'yuv420p' | 'gray12le'
  /** LeRobot's `video.*` keys of the encoder. */
  info: Record<string, string | number | null>
}

/** Codec processes that are started when needed, kept for the next call, and thrown away after a fault. */
export interface Codec extends AsyncDisposable {
  /** Yields exactly the frames asked for, in order, or throws `container_invalid`. */
  decode(request: DecodeRequest): AsyncGenerator<Picture>
  /** The same frames as JPEG: no pixel crosses, and none is turned into RGB and back. */
  render(request: RenderRequest): AsyncGenerator<EncodedImage>
  /** Both of each frame, which is decoded once. */
  decodeAndRender(request: RenderRequest): AsyncGenerator<{ picture: Picture; jpeg: EncodedImage }>
  /** The statistics of exactly the frames asked for; no pixel crosses. */
  measure(request: DecodeRequest): Promise<CameraStatistics>
  /** Gives an MP4 on the exact grid, keyframe first; the same frames and settings give the same bytes. */
  encode(request: EncodeRequest): Promise<EncodedVideo>
  /** Decodes, transforms and encodes in one process: no pixel crosses. */
  transcode(request: TranscodeRequest): Promise<EncodedVideo>
  /** One RGB picture as JPEG XL. */
  compress(picture: CompressedPicture): Promise<Uint8Array>
  /** The frame shown at `seconds`, as PNG. */
  renderPoster(request: PosterRequest): Promise<Uint8Array>
  close(): Promise<void>
}

const entry = new URL('./entry.ts', import.meta.url)
const processesPerVideo = 2
const codecLimits: Partial<ChildLimits> = {
  deadlineSeconds: 6 * 3600,
  idleSeconds: 60,
  memoryBytes: 4 * 1024 ** 3,
  // A camera that stands still gives frames of thirty bytes, each of which costs as much to decode as any other.
  effort: { baseSeconds: 600, secondsPerMegabyte: 500 },
}

/** Packets come by message: it reads no file, and writes to one folder. */
export const sandboxOfCodec = (folder: string): Sandbox => ({ reads: [], writes: [folder] })

export function openCodec(options: CodecOptions = {}): Codec {
  const limits = { ...codecLimits, ...options.limits }
  const subject = 'the video'
  const child = { entry, subject, unreadableCode: 'container_invalid', limits, signal: options.signal } as const
  const scratch = createScratch(options.folder)
  const describeChild = async () => ({ ...child, sandbox: sandboxOfCodec(await scratch.open()) })
  const processes = createChildPool(describeChild, options.maxProcesses ?? 4)
  const pool: ChildPool = {
    ...processes,
    call: (...call) => {
      if (!isCodecInstalled()) throw describeMissingCodec()
      return processes.call(...call)
    },
  }

  // Each has one core at work: another process would cost its start and gain nothing.
  const measuring = createLimiter(Math.max(processesPerVideo, availableParallelism()))

  async function* decode(request: DecodeRequest): AsyncGenerator<Picture> {
    const { video, pixels = 'rgb' } = request
    const { frames, call } = planDecode(request)
    let place = 0
    const { signal, giveMemory = () => undefined } = request
    const fit = (sizeBytes: number) => {
      const memory = pixels === 'rgb' ? giveMemory() : undefined
      return memory?.length === sizeBytes ? memory : undefined
    }
    const answers = pool.call('decode', call, sendPackets(video, frames), { signal, giveMemory: fit })
    for await (const { head, body } of answers) {
      const { frameIndex, width, height } = head as { frameIndex: number; width: number; height: number }
      if (frameIndex !== frames[place++] || !body) throw describeMissing(frames[place - 1])
      const data = pixels === 'rgb' ? body : new Uint16Array(body.slice().buffer)
      yield { frameIndex, width, height, channels: pixels === 'rgb' ? 3 : 1, data }
    }
    if (place < frames.length) throw describeMissing(frames[place])
  }

  async function* decodeAndRender(request: RenderRequest): AsyncGenerator<{ picture: Picture; jpeg: EncodedImage }> {
    const { video, signal } = request
    const { frames, call } = planDecode(request)
    const both: DecodeCall = { ...call, jpeg: planJpeg(request) }
    let place = 0
    let picture: Picture | undefined
    for await (const { head, body } of pool.call('decode', both, sendPackets(video, frames), { signal })) {
      const { frameIndex, width, height } = head as { frameIndex: number; width: number; height: number }
      if (frameIndex !== frames[place] || !body) throw describeMissing(frames[place])
      if (!picture) picture = { frameIndex, width, height, channels: 3, data: body }
      else {
        yield { picture, jpeg: { frameIndex, bytes: body } }
        picture = undefined
        place++
      }
    }
    if (place < frames.length) throw describeMissing(frames[place])
  }

  async function* renderStretch(request: RenderRequest, frames: readonly number[]): AsyncGenerator<EncodedImage> {
    const { video, signal } = request
    const call: RenderCall = { codec: video.facts.codec, ...planJpeg(request) }
    let place = 0
    for await (const { head, body } of pool.call('render', call, sendPackets(video, frames), { signal })) {
      const { frameIndex } = head as { frameIndex: number }
      if (frameIndex !== frames[place++] || !body) throw describeMissing(frames[place - 1])
      yield { frameIndex, bytes: body }
    }
    if (place < frames.length) throw describeMissing(frames[place])
  }

  /** In several processes at a time, where a keyframe divides the work: what was counted adds up exactly. */
  async function measure(request: DecodeRequest): Promise<CameraStatistics> {
    const shares = splitFrames(request.video, listFrames(request), processesPerVideo)
    const measureOne = (frames: readonly number[]) => measuring.run(() => measureShare({ ...request, frames }))
    // All are waited for, whichever fails: the caller may close the video then.
    const ended = await Promise.allSettled(shares.map(measureOne))
    const isDepth = request.pixels === 'depth'
    const sum = createCameraStatistics(isDepth ? 1 : 3, isDepth)
    for (const share of ended) {
      if (share.status === 'rejected') throw share.reason
      mergeCameraStatistics(sum, share.value)
    }
    return sum
  }

  async function measureShare(request: DecodeRequest): Promise<CameraStatistics> {
    const { video, pixels = 'rgb', signal } = request
    const { frames, call } = planDecode(request)
    const isDepth = pixels === 'depth'
    const statistics = createCameraStatistics(isDepth ? 1 : 3, isDepth)
    const measureCall: MeasureCall = { ...call, isDepth }
    const answers = pool.call('measure', measureCall, sendPackets(video, frames), { signal })
    let isInOrder = true
    for (;;) {
      const { value, done } = await answers.next()
      for (const frameIndex of value.head as number[]) {
        if (frameIndex === frames[statistics.frameCount]) statistics.frameCount++
        else isInOrder = false
      }
      if (!done) continue
      if (!isInOrder || statistics.frameCount < frames.length) throw describeMissing(frames[statistics.frameCount])
      fillHistograms(statistics, value.body)
      return statistics
    }
  }

  async function encode(request: EncodeRequest): Promise<EncodedVideo> {
    const { settings } = request
    if (settings.codec !== 'depth') return (await encodeOnce(request)).written
    const { written, hashes } = await encodeOnce(request)
    if (await isLossless(written.path, hashes, request.signal)) return written
    return (await encodeOnce({ ...request, settings: { ...settings, keyframeInterval: 1 } })).written
  }

  async function encodeOnce(request: EncodeRequest): Promise<{ written: EncodedVideo; hashes: string[] }> {
    const { width, height, settings } = request
    const isDepth = settings.codec === 'depth'
    const shape = buildFilter({ width, height }, undefined, isDepth ? 'gray12le' : 'yuv420p', 'exact', !isDepth)
    const plan = planEncoder(settings, shape, await scratch.createPath())
    const pixelFormat = isDepth ? 'gray12le' : 'rgb24'
    const call: EncodeCall = { width, height, pixelFormat, filter: shape.filter, plan }
    const frameBytes = width * height * (isDepth ? 2 : 3)
    let hashes: string[] = []
    const frameCount = await retryOnce(() => {
      hashes = []
      const frames = sendFrames(request.frames(), frameBytes, isDepth ? hashes : undefined)
      return countFrames(pool.call('encode', call, frames, encoding(request)))
    })
    const isPadded = shape.width !== width || shape.height !== height
    return { written: await finishVideo(request, plan, frameCount, isPadded), hashes }
  }

  /**
   * x265's lossless mode is not: with 12 bits, frames predicted from others come back changed now and then (6 of 40 frames
   * of a steep ramp at 64x64, in LeRobot's own encoder too). Frames that stand alone are always right.
   */
  async function isLossless(
    path: string,
    hashes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    await using source = await openFile(path)
    await using video = await openVideo(source, { name: path })
    let equal = 0
    for await (const { frameIndex, data } of decode({ video, pixels: 'depth', signal })) {
      if (hashPixels(data) === hashes[frameIndex]) equal++
    }
    return equal === hashes.length
  }

  async function transcode(request: TranscodeRequest): Promise<EncodedVideo> {
    const { video, startFrame, endFrame, picked = [[startFrame, endFrame]] } = request.from
    const isDepth = request.settings.codec === 'depth'
    const settings = isDepth ? { ...request.settings, keyframeInterval: 1 } : request.settings
    const shape = buildStoredFilter(video.facts, { transform: request.transform ?? {}, isDepth })
    const wished = buildFilter(video.facts, request.transform, 'rgb24', 'exact', false)
    const plan = planEncoder(settings, shape, await scratch.createPath())
    const call: TranscodeCall = { codec: video.facts.codec, filter: shape.filter, plan }
    const frames = Array.from(listKept(picked))
    const frameCount = await retryOnce(() =>
      countFrames(pool.call('transcode', call, sendPackets(video, frames), encoding(request))),
    )
    if (frameCount !== frames.length) {
      throw new FormatError('container_invalid', `Only ${frameCount} of ${frames.length} frames could be decoded.`)
    }
    return finishVideo(request, plan, frameCount, shape.width !== wished.width || shape.height !== wished.height)
  }

  async function renderPoster(request: PosterRequest): Promise<Uint8Array> {
    const { video, maxWidth = 640 } = request
    const { width, height } = video.facts
    const ratio = Math.min(1, maxWidth / width)
    const resize = {
      width: Math.round(width * ratio),
      height: Math.max(1, Math.round(height * ratio)),
      mode: 'stretch',
    } as const
    const transform = ratio < 1 ? { transform: { resize } } : {}
    const frames = [video.packets.findFrameAt(request.seconds)]
    let png: Uint8Array | undefined
    for await (const picture of decode({ video, frames, ...transform, signal: request.signal })) {
      png = await encodePng({ ...picture, channels: 3, data: picture.data as Uint8Array })
    }
    if (!png) throw describeMissing(frames[0])
    return png
  }

  async function close(): Promise<void> {
    await pool.close()
    await scratch.remove()
  }

  return {
    decode,
    render: (request) => renderStretches(request, renderStretch),
    decodeAndRender,
    measure,
    encode,
    transcode,
    compress: (picture) => compressPicture(pool, picture),
    renderPoster,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function fillHistograms({ histograms }: CameraStatistics, body: Uint8Array | undefined): void {
  const binCount = histograms.reduce((sum, { length }) => sum + length, 0)
  if (body?.length !== binCount * Float64Array.BYTES_PER_ELEMENT) {
    throw new FormatError('container_invalid', 'The pixels of the video were not counted.')
  }
  const counts = new Float64Array(body.slice().buffer)
  let start = 0
  for (const histogram of histograms) {
    histogram.set(counts.subarray(start, start + histogram.length))
    start += histogram.length
  }
}

async function countFrames(answers: ReturnType<ChildPool['call']>): Promise<number> {
  for (;;) {
    const step = await answers.next()
    if (step.done) return (step.value.head as { frameCount: number }).frameCount
  }
}

/**
 * x265 gives other bytes in a process that has encoded before, so it gets a process of its own; x264 and SVT-AV1 give the same
 * (a process takes half a second to start, which is most of the time of a short episode: 40 of 5 frames took 18.7 s, now 2.7).
 */
function encoding({ signal, settings }: { signal?: AbortSignal | undefined; settings: EncodeSettings }) {
  return { signal, isFresh: settings.codec === 'depth' }
}

/** SVT-AV1 was seen to deadlock once in some hundred runs under load; a fresh process then does it. */
async function retryOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FormatError && error.code === 'parser_deadline') return work()
    throw error
  }
}

/** FFmpeg's MP4 becomes ours: exact grid, index first, the same bytes every time. */
async function finishVideo(
  request: { path: string; settings: EncodeSettings; signal?: AbortSignal | undefined },
  plan: EncoderPlan,
  frameCount: number,
  isPadded: boolean,
): Promise<EncodedVideo> {
  try {
    await using source = await openFile(plan.path)
    await using video = await openVideo(source, { name: plan.path })
    if (video.facts.frameCount !== frameCount) {
      throw new FormatError(
        'container_invalid',
        `${frameCount} frames were encoded, but ${video.facts.frameCount} can be read.`,
      )
    }
    const writer = createMp4Writer({ path: request.path, fps: request.settings.fps, signal: request.signal })
    writer.append(video, 0, frameCount)
    const { sizeBytes } = await writer.finish()
    const { width, height, codec, pixelFormat, path } = { ...plan, path: request.path }
    return { path, frameCount, sizeBytes, width, height, isPadded, codec, pixelFormat, info: describeEncoder(plan) }
  } finally {
    await rm(plan.path, { force: true })
  }
}

function describeMissing(frameIndex: number | undefined): FormatError {
  return new FormatError('container_invalid', `Frame ${frameIndex} of the video cannot be decoded.`)
}
