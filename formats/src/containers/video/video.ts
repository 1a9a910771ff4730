/**
 * Video files without their pixels: what is in them, and where each packet lies. A frame's number is its place in
 * presentation order, whatever the timestamps, edit lists and B-frames of the file say.
 */
import type { EncodedPacketSink, Input, InputVideoTrack } from 'mediabunny'
import type { ByteSource } from '../../bytes.ts'
import { describeCause, FormatError } from '../../errors.ts'
import { describeEffort, findCpuSeconds, indexEffort } from '../effort.ts'
import {
  type DecoderConfig,
  findConfigInDescription,
  findConfigInTable,
  findPixelFormat,
  serializeConfig,
  type VideoCodec,
} from './config.ts'
import { findFrameLimit } from './index-limits.ts'
import { mediabunny } from './mediabunny.ts'
import { createPacketList, type PacketList, type VideoPacket } from './packets.ts'
import { findSampleTable, type SampleTable } from './table.ts'

const { MATROSKA, MP4, QTFF, WEBM } = mediabunny

export interface VideoFacts {
  readonly container: 'mp4' | 'mov' | 'matroska' | 'webm'
  readonly codec: VideoCodec
  readonly width: number
  readonly height: number
  /** FFmpeg's name (`yuv420p`, `gray12le`), where the decoder configuration tells it. */
  readonly pixelFormat: string | undefined
  readonly frameCount: number
  /** Rate of the timestamps; the integer where the nearest integer explains each of them within a millisecond. */
  readonly fps: number
  /** Timestamp of frame 0; 0 in a well-made file. */
  readonly startSeconds: number
  /** Frame numbers that can be decoded without another frame, ascending. */
  readonly keyframes: Uint32Array
  /** True when frames are stored in another order than they are shown (B-frames). */
  readonly isReordered: boolean
  readonly hasAudio: boolean
  /** What a decoder must know before the first packet (size, avcC, hvcC, av1C, colour); empty when it is not known. */
  readonly decoderConfig: Uint8Array
  /** Bytes of all packets. */
  readonly packetBytes: number
}

export interface Video extends AsyncDisposable {
  readonly facts: VideoFacts
  /** Where the packets lie and in which order: what the writer plans with. */
  readonly packets: PacketList
  readonly config: DecoderConfig | undefined
  /** Whether frames `startFrame` to `endFrame` (exclusive) can be cut out by copying packets. */
  canCopy(startFrame: number, endFrame: number): boolean
  /** Largest distance of a timestamp from i / fps counted from 0, in seconds. LeRobot's loader accepts 1e-4. */
  measureGridError(fps: number): number
  /** The packets of a range in decode order; `takeMemory` as in `PacketList`. Throws `video_not_joinable` when `canCopy` is false. */
  readPackets(startFrame: number, endFrame: number, takeMemory?: () => Uint8Array): AsyncGenerator<VideoPacket>
  /** The same bytes in pieces of about 1 MiB, without the borders between packets; `takeMemory` as in `PacketList`. */
  readBytes(startFrame: number, endFrame: number, takeMemory?: () => Uint8Array): AsyncGenerator<Uint8Array>
  /** Frees the reader; the byte source stays the caller's. */
  close(): Promise<void>
}

export interface OpenVideoOptions {
  /** For the sentences of errors. */
  name?: string
  signal?: AbortSignal | undefined
}

const codecNames: Readonly<Record<string, VideoCodec>> = {
  av1: 'av1',
  avc: 'h264',
  hevc: 'hevc',
  vp8: 'vp8',
  vp9: 'vp9',
}

/** Opens MP4, QuickTime, Matroska or WebM; anything else, and any list of other files, is `container_invalid`. */
export async function openVideo(source: ByteSource, options: OpenVideoOptions = {}): Promise<Video> {
  const name = options.name ?? 'The video'
  const table = await findSampleTable(source, name)
  // With more formats than these, mediabunny follows an HLS playlist that is named .mp4 into another file.
  const input = new mediabunny.Input({
    source: new mediabunny.CustomSource({
      getSize: () => source.length(),
      read: (start, end) => source.read(start, end),
      prefetchProfile: 'fileSystem',
    }),
    formats: [MP4, QTFF, MATROSKA, WEBM],
  })
  try {
    return await readVideo(input, source, table, name, options.signal)
  } catch (error) {
    input.dispose()
    options.signal?.throwIfAborted()
    if (error instanceof FormatError) throw error
    throw new FormatError('container_invalid', `${name} is not a readable video: ${describeCause(error)}`, {
      cause: error,
    })
  }
}

async function readVideo(
  input: Input,
  source: ByteSource,
  table: SampleTable | undefined,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Video> {
  const format = await input.getFormat()
  const track = await input.getPrimaryVideoTrack()
  if (!track) throw new FormatError('container_invalid', `${name} has no video track.`)
  const codec = codecNames[(await track.getCodec()) ?? '']
  if (!codec) throw new FormatError('unsupported', `${name} has an unsupported video codec.`)
  const sink = new mediabunny.EncodedPacketSink(track)
  const packets = await listPackets(sink, source, table, name, signal)
  const width = await track.getCodedWidth()
  const height = await track.getCodedHeight()
  const config = table ? findConfigInTable(table) : await describeTrack(track, codec, width, height)
  const facts: VideoFacts = {
    container: format === MP4 ? 'mp4' : format === QTFF ? 'mov' : format === WEBM ? 'webm' : 'matroska',
    codec,
    width,
    height,
    pixelFormat: findPixelFormat(codec, config),
    frameCount: packets.frameCount,
    fps: packets.measureFps(),
    startSeconds: packets.startSeconds,
    keyframes: packets.listKeyframes(),
    isReordered: packets.isReordered,
    hasAudio: (await input.getAudioTracks()).length > 0,
    decoderConfig: config ? serializeConfig(config) : new Uint8Array(),
    packetBytes: packets.countBytes(0, packets.frameCount),
  }
  const canCopy = (startFrame: number, endFrame: number) =>
    config !== undefined && packets.isClosed(startFrame, endFrame)
  const requireCopy = (startFrame: number, endFrame: number) => {
    if (canCopy(startFrame, endFrame)) return
    const range = `frames ${startFrame} to ${endFrame} of ${packets.frameCount}`
    throw new FormatError('video_not_joinable', `${name}: ${range} cannot be cut out without re-encoding.`)
  }
  const close = async () => input.dispose()
  return {
    facts,
    packets,
    config,
    canCopy,
    measureGridError: (fps) => packets.measureGridError(fps),
    async *readPackets(startFrame, endFrame, takeMemory) {
      requireCopy(startFrame, endFrame)
      const first = packets.getPacketOfFrame(startFrame)
      yield* packets.read(first, first + endFrame - startFrame, takeMemory)
    },
    async *readBytes(startFrame, endFrame, takeMemory) {
      requireCopy(startFrame, endFrame)
      const first = packets.getPacketOfFrame(startFrame)
      yield* packets.readBytes(first, first + endFrame - startFrame, takeMemory)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function describeTrack(track: InputVideoTrack, codec: VideoCodec, width: number, height: number) {
  const description = (await track.getDecoderConfig())?.description
  const bytes = description instanceof Uint8Array ? description : undefined
  return findConfigInDescription(codec, bytes, width, height)
}

async function listPackets(
  sink: EncodedPacketSink,
  source: ByteSource,
  table: SampleTable | undefined,
  name: string,
  signal: AbortSignal | undefined,
): Promise<PacketList> {
  const length = await source.length()
  // A damaged index can announce millions of frames in a small file; listing those took three minutes.
  const frameLimit = findFrameLimit(length)
  const isTimed = table?.timing && table.sizes.length > 0 && table.sizes.length <= frameLimit
  if (isTimed && liesWithin(table, length)) return createPacketList({ ...table, ...table.timing, source, sink })
  const seconds: number[] = []
  const sizes: number[] = []
  const keys: number[] = []
  const cpuSeconds = findCpuSeconds(indexEffort, length)
  const start = process.threadCpuUsage()
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true })) {
    seconds.push(packet.timestamp)
    sizes.push(packet.byteLength)
    keys.push(packet.type === 'key' ? 1 : 0)
    if (seconds.length > frameLimit) {
      throw new FormatError('limit_exceeded', `${name} declares more than ${frameLimit} frames in ${length} bytes.`)
    }
    if (seconds.length % 256 !== 0) continue
    signal?.throwIfAborted()
    const { user, system } = process.threadCpuUsage(start)
    if (user + system > cpuSeconds * 1e6) {
      throw new FormatError('parser_cpu', `Reading the index of ${name} ${describeEffort(cpuSeconds, length)}.`)
    }
  }
  if (seconds.length === 0) throw new FormatError('container_invalid', `${name} has no frames.`)
  // Offsets are trusted only where both readers agree on every packet, and every packet lies within the file.
  const agrees =
    table?.sizes.length === sizes.length &&
    sizes.every((size, index) => size === table.sizes[index]) &&
    liesWithin(table, length)
  return createPacketList({ seconds, sizes, keys, source, sink, offsets: agrees ? table.offsets : undefined })
}

function liesWithin({ sizes, offsets }: SampleTable, length: number): boolean {
  return sizes.every((size, packet) => (offsets[packet] ?? length) + size <= length)
}
