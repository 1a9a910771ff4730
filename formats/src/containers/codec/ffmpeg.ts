/**
 * What the child does with FFmpeg: the only user of node-av. It opens no input file: packets come in by message, so no
 * demuxer, protocol or playlist of FFmpeg ever meets outside data. It writes one MP4 at a path it is given.
 * Traps met with node-av 6.1: options belong in `setOption` before opening (an `options` object crashes at the next
 * garbage collection); bit rate 0, else SVT-AV1 refuses CRF; an encoder is only complete after a null frame.
 */
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_VP8,
  AV_CODEC_ID_VP9,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_GRAY12LE,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  type AVCodecID,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  type AVPixelFormat,
  Codec,
  CodecContext,
  FilterAPI,
  FormatContext,
  Frame,
  Log,
  Packet,
  Rational,
} from 'node-av'
import { FormatError } from '../../errors.ts'
import { addPicture, createCameraStatistics } from '../../statistics/camera.ts'
import type { ChildMessage } from '../child/message.ts'
import type { ChildHandler } from '../child/server.ts'
import type {
  CallName,
  CompressCall,
  DecodeCall,
  EncodeCall,
  EncoderPlan,
  FrameShape,
  MeasureCall,
  PacketsHead,
  RenderCall,
  TranscodeCall,
} from './calls.ts'
import { check, openJpegEncoder, openJpegXlEncoder, type PictureEncoder, setOptions } from './picture-encoders.ts'

const decoderIds: Readonly<Record<string, AVCodecID>> = {
  av1: AV_CODEC_ID_AV1,
  h264: AV_CODEC_ID_H264,
  hevc: AV_CODEC_ID_HEVC,
  vp8: AV_CODEC_ID_VP8,
  vp9: AV_CODEC_ID_VP9,
}
const pixelFormats: Readonly<Record<string, AVPixelFormat>> = {
  rgb24: AV_PIX_FMT_RGB24,
  yuv420p: AV_PIX_FMT_YUV420P,
  gray12le: AV_PIX_FMT_GRAY12LE,
}
const maxPixels = 33_554_432
const progressFrames = 16
const countedFrames = 64

Log.setLevel(AV_LOG_QUIET)

export const handlers: Readonly<Record<CallName, ChildHandler>> = {
  *decode(call: DecodeCall, input) {
    using filter = FilterAPI.create(call.filter, { threads: 1 })
    using jpegs = call.jpeg && openJpegs(call.jpeg)
    let frameCount = 0
    for (const frame of decodePackets(call.codec, input)) {
      const frameIndex = Number(frame.pts)
      using shaped = filterFrame(filter, frame)
      frameCount++
      yield { head: { frameIndex, width: shaped.width, height: shaped.height }, body: shaped.toBuffer() }
      if (jpegs) yield { head: { frameIndex }, body: jpegs.encode(frame) }
    }
    return { head: { frameCount } }
  },

  *render(call: RenderCall, input) {
    using jpegs = openJpegs(call)
    let frameCount = 0
    for (const frame of decodePackets(call.codec, input)) {
      frameCount++
      yield { head: { frameIndex: Number(frame.pts) }, body: jpegs.encode(frame) }
    }
    return { head: { frameCount } }
  },

  *compress({ width, height, distance, effort }: CompressCall, input) {
    using filter = FilterAPI.create('format=rgb24', { threads: 1 })
    const encoder = openJpegXlEncoder(width, height, { distance, effort })
    try {
      for (const frame of makeFrames({ width, height, pixelFormat: 'rgb24' }, input, filter)) {
        using shaped = frame
        yield { head: null, body: encoder.encode(shaped) }
      }
    } finally {
      encoder.close()
    }
    return { head: null }
  },

  *measure(call: MeasureCall, input) {
    using filter = FilterAPI.create(call.filter, { threads: 1 })
    const channels = call.isDepth ? 1 : 3
    const statistics = createCameraStatistics(channels, call.isDepth)
    let counted: number[] = []
    // One thread: a second one costs a third more time of the processors, and other processes are at work beside this one.
    for (const frame of decodePackets(call.codec, input, 1)) {
      using shaped = filterFrame(filter, frame)
      const { width, height } = shaped
      const frameIndex = Number(frame.pts)
      // A copy: what `shaped.data` names is kept until a collection of garbage, half a megabyte and more for each frame.
      const bytes = shaped.toBuffer()
      const data = call.isDepth ? new Uint16Array(new Uint8Array(bytes).buffer) : bytes
      addPicture(statistics, { width, height, channels, data })
      if (counted.push(frameIndex) < countedFrames) continue
      yield { head: counted }
      counted = []
    }
    const histograms = statistics.histograms.map(({ buffer }) => new Uint8Array(buffer))
    return { head: counted, body: Buffer.concat(histograms) }
  },

  *encode(call: EncodeCall, input) {
    using filter = FilterAPI.create(call.filter, { threads: 1 })
    return yield* encodeFrames(call.plan, makeFrames(call, input, filter))
  },

  *transcode(call: TranscodeCall, input) {
    using filter = FilterAPI.create(call.filter, { threads: 1 })
    return yield* encodeFrames(call.plan, renumberFrames(decodePackets(call.codec, input), filter))
  },
}

/** Frames as JPEG, all of the size of the first. */
function openJpegs({ filter: described, quality }: { filter: string; quality: number }) {
  const filter = FilterAPI.create(described, { threads: 1 })
  let encoder: PictureEncoder | undefined
  return {
    encode(frame: Frame) {
      using shaped = filterFrame(filter, frame)
      encoder ??= openJpegEncoder(shaped.width, shaped.height, quality)
      return encoder.encode(shaped)
    },
    [Symbol.dispose]() {
      encoder?.close()
      filter[Symbol.dispose]()
    },
  }
}

/** Yields wanted frames in presentation order; `pts` is the frame number. Each is gone when the next is asked for. */
function* decodePackets(codecName: string, input: Iterable<ChildMessage>, threads = 2): Generator<Frame> {
  const codec = Codec.findDecoder(decoderIds[codecName] ?? AV_CODEC_ID_AV1)
  if (!codec) throw new FormatError('unsupported', `This FFmpeg cannot decode ${codecName}.`)
  using context = new CodecContext()
  context.allocContext3(codec)
  context.threadCount = threads
  setOptions(context, { max_pixels: String(maxPixels) })
  using frame = new Frame()
  frame.alloc()
  using packet = new Packet()
  packet.alloc()
  const wanted = new Set<number>()
  let isOpen = false
  for (const { head, body } of input) {
    if (!isOpen) {
      if (body) context.extraData = Buffer.from(body)
      check(context.open2Sync(codec, null), 'open the decoder')
      isOpen = true
      continue
    }
    const { frames, sizes } = head as PacketsHead
    const bytes = body ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Buffer.alloc(0)
    let start = 0
    for (const [place, marked] of frames.entries()) {
      const frameIndex = marked < 0 ? -1 - marked : marked
      if (marked >= 0) wanted.add(frameIndex)
      const end = start + (sizes[place] ?? 0)
      packet.data = bytes.subarray(start, end)
      start = end
      packet.pts = BigInt(frameIndex)
      const result = context.sendPacketSync(packet)
      packet.unref()
      check(result, `decode frame ${frameIndex}`)
      yield* receiveFrames(context, frame, wanted)
    }
  }
  if (!isOpen) return
  check(context.sendPacketSync(null), 'end the stream')
  yield* receiveFrames(context, frame, wanted)
}

function* receiveFrames(context: CodecContext, frame: Frame, wanted: Set<number>): Generator<Frame> {
  for (;;) {
    const result = context.receiveFrameSync(frame)
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return
    check(result, 'decode a frame')
    if (wanted.delete(Number(frame.pts))) {
      frame.timeBase = new Rational(1, 1)
      yield frame
    }
    frame.unref()
  }
}

function* makeFrames(call: FrameShape, input: Iterable<ChildMessage>, filter: FilterAPI): Generator<Frame> {
  const format = pixelFormats[call.pixelFormat]
  if (format === undefined) throw new FormatError('unsupported', `Frames cannot be ${call.pixelFormat}.`)
  // One for all: the memory of a frame that was made of bytes is only freed by a finalizer, and those wait for a pause of this process.
  using frame = new Frame()
  frame.alloc()
  frame.width = call.width
  frame.height = call.height
  frame.format = format
  check(frame.getBuffer(), 'prepare a frame')
  let pts = 0n
  for (const { body } of input) {
    if (!body) throw new FormatError('unsupported', 'A frame to encode has no pixels.')
    check(frame.makeWritable(), 'reuse a frame')
    check(frame.fromBuffer(Buffer.from(body.buffer, body.byteOffset, body.byteLength)), 'fill a frame')
    frame.pts = pts++
    frame.timeBase = new Rational(1, 1)
    yield filterFrame(filter, frame)
  }
}

function* renumberFrames(frames: Iterable<Frame>, filter: FilterAPI): Generator<Frame> {
  let pts = 0n
  for (const frame of frames) {
    frame.pts = pts++
    // Encoders take it as an order: keyframes of the source became keyframes of the result, beside those of its own rhythm.
    frame.pictType = AV_PICTURE_TYPE_NONE
    yield filterFrame(filter, frame)
  }
}

function filterFrame(filter: FilterAPI, frame: Frame): Frame {
  const [shaped, ...others] = filter.processAllSync(frame)
  if (!shaped || others.length > 0) throw new Error('the filter graph did not give one frame for one frame')
  return shaped
}

/** Encodes and writes; says so every few frames, because silence for long means that the encoder hangs. */
function* encodeFrames(plan: EncoderPlan, frames: Iterable<Frame>): Generator<ChildMessage, ChildMessage, undefined> {
  const codec = Codec.findEncoderByName(plan.encoder as never)
  if (!codec) throw new FormatError('unsupported', `This FFmpeg has no encoder ${plan.encoder}.`)
  const tick = new Rational(plan.frameSeconds.num, plan.frameSeconds.den)
  using context = new CodecContext()
  context.allocContext3(codec)
  context.width = plan.width
  context.height = plan.height
  context.pixelFormat = pixelFormats[plan.pixelFormat] ?? AV_PIX_FMT_YUV420P
  context.timeBase = tick
  context.framerate = new Rational(tick.den, tick.num)
  context.bitRate = 0n
  context.gopSize = plan.keyframeInterval
  context.maxBFrames = 0
  context.threadCount = plan.threads
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  setOptions(context, plan.options)
  check(context.open2Sync(codec, null), `open ${plan.encoder}`)
  const output = openOutput(plan.path, context, tick)
  try {
    const sent = yield* writeFrames(context, output, tick, frames)
    return { head: { frameCount: sent } }
  } finally {
    output.closeOutputSync()
    output.freeContext()
  }
}

function* writeFrames(
  context: CodecContext,
  output: FormatContext,
  tick: Rational,
  frames: Iterable<Frame>,
): Generator<ChildMessage, number, undefined> {
  using packet = new Packet()
  packet.alloc()
  let sent = 0
  let written = 0
  for (const frame of frames) {
    frame.timeBase = tick
    frame.duration = 1n
    const result = context.sendFrameSync(frame)
    frame.free()
    check(result, `encode frame ${sent}`)
    sent++
    written += writePackets(context, output, packet, tick)
    if (sent % progressFrames === 0) yield { head: { sent, written } }
  }
  check(context.sendFrameSync(null), 'end the stream')
  written += writePackets(context, output, packet, tick)
  check(output.writeTrailerSync(), 'finish the file')
  if (written !== sent) throw new Error(`the encoder took ${sent} frames and gave ${written}`)
  return sent
}

function openOutput(path: string, context: CodecContext, tick: Rational): FormatContext {
  const output = new FormatContext()
  check(output.allocOutputContext2(null, 'mp4', path), 'prepare the file')
  const stream = output.newStream()
  stream.timeBase = tick
  check(context.parametersFromContext(stream.codecpar), 'describe the stream')
  check(output.openOutputSync(), `open ${path}`)
  check(output.writeHeaderSync(), 'begin the file')
  return output
}

function writePackets(context: CodecContext, output: FormatContext, packet: Packet, tick: Rational): number {
  const [stream] = output.streams
  if (!stream) throw new Error('the output has no stream')
  for (let written = 0; ; written++) {
    const result = context.receivePacketSync(packet)
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return written
    check(result, 'take a packet')
    packet.streamIndex = 0
    // SVT-AV1 leaves the last packet without a duration, which makes the file one frame short.
    if (packet.duration <= 0n) packet.duration = 1n
    packet.rescaleTs(tick, stream.timeBase)
    check(output.interleavedWriteFrameSync(packet), 'write a packet')
  }
}
