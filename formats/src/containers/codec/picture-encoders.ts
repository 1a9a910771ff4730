/** Pictures that are encoded one by one, each whole in itself. */
import {
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUVJ420P,
  type AVPixelFormat,
  Codec,
  CodecContext,
  FFmpegError,
  type Frame,
  Packet,
  Rational,
} from 'node-av'
import { FormatError } from '../../errors.ts'

const lambdaPerQuality = 118

export interface PictureEncoder {
  encode(frame: Frame): Uint8Array
  close(): void
}

export function openJpegEncoder(width: number, height: number, quality: number): PictureEncoder {
  const lambda = quality * lambdaPerQuality
  const options = { flags: '+qscale', global_quality: String(lambda), qmin: '1' }
  return openEncoder({ name: 'mjpeg', width, height, pixelFormat: AV_PIX_FMT_YUVJ420P, options, lambda })
}

/** `distance` 0 is lossless, 1 cannot be told apart by eye; `effort` from 1, the fastest, to 9. */
export function openJpegXlEncoder(
  width: number,
  height: number,
  { distance, effort }: { distance: number; effort: number },
): PictureEncoder {
  const options = { distance: String(distance), effort: String(effort) }
  return openEncoder({ name: 'libjxl', width, height, pixelFormat: AV_PIX_FMT_RGB24, options })
}

interface EncoderRequest {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly pixelFormat: AVPixelFormat
  readonly options: Readonly<Record<string, string>>
  readonly lambda?: number
}

function openEncoder({ name, width, height, pixelFormat, options, lambda }: EncoderRequest): PictureEncoder {
  const codec = Codec.findEncoderByName(name as never)
  if (!codec) throw new FormatError('unsupported', `This FFmpeg has no encoder ${name}.`)
  const context = new CodecContext()
  context.allocContext3(codec)
  context.width = width
  context.height = height
  context.pixelFormat = pixelFormat
  context.timeBase = new Rational(1, 1)
  context.threadCount = 1
  setOptions(context, options)
  check(context.open2Sync(codec, null), `open ${name}`)
  const packet = new Packet()
  packet.alloc()
  let count = 0n
  return {
    encode(frame) {
      frame.pts = count++
      frame.timeBase = new Rational(1, 1)
      if (lambda !== undefined) frame.quality = lambda
      check(context.sendFrameSync(frame), 'encode a picture')
      check(context.receivePacketSync(packet), 'take a picture')
      const bytes = new Uint8Array(packet.data ?? [])
      packet.unref()
      return bytes
    },
    close() {
      packet.free()
      context.freeContext()
    },
  }
}

export function setOptions(context: CodecContext, options: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(options)) check(context.setOption(name, value), `set ${name}=${value}`)
}

export function check(result: number, what: string): void {
  if (result < 0) throw new Error(`FFmpeg could not ${what}: ${new FFmpegError(result).message}`)
}
