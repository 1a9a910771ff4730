import type { EncodedPacketSink } from 'mediabunny'
import type { ByteSource } from '../../bytes.ts'
import { describeCause, FormatError } from '../../errors.ts'

/** One encoded frame. */
export interface VideoPacket {
  readonly frameIndex: number
  readonly isKeyframe: boolean
  readonly data: Uint8Array
}

/** The packets of one track: order, size and place of each, some thirty bytes a frame. */
export interface PacketList {
  readonly frameCount: number
  readonly startSeconds: number
  readonly isReordered: boolean
  /** Frame number of the packet at a place in decode order. */
  readonly frameOfPacket: Uint32Array
  /** Place in decode order of the packet that starts a closed range. */
  getPacketOfFrame(frameIndex: number): number
  getSize(packet: number): number
  isKeyframe(packet: number): boolean
  /** A keyframe starts the range, and its frames lie together in decode order: no frame in it needs one outside. */
  isClosed(startFrame: number, endFrame: number): boolean
  countBytes(startFrame: number, endFrame: number): number
  measureFps(): number
  /** The frame on screen at a time of the file; the first or last one outside its span. */
  findFrameAt(seconds: number): number
  measureGridError(fps: number): number
  listKeyframes(): Uint32Array
  /** Packets `first` to `end` (exclusive) of the decode order; `first` is a keyframe's. Those that lie in memory given hold until the next is asked for. */
  read(first: number, end: number, takeMemory?: () => Uint8Array): AsyncGenerator<VideoPacket>
  /** The same without their bounds; a piece may lie in the memory that `takeMemory` gave for it. */
  readBytes(first: number, end: number, takeMemory?: () => Uint8Array): AsyncGenerator<Uint8Array>
}

export interface PacketParts {
  seconds: ArrayLike<number>
  sizes: ArrayLike<number>
  /** 1 where a packet is a keyframe's. */
  keys: ArrayLike<number>
  source: ByteSource
  sink: EncodedPacketSink
  /** Places in the file; undefined where only mediabunny can find the bytes. */
  offsets: Float64Array | undefined
}

export const pieceBytes = 1024 * 1024

export function createPacketList(parts: PacketParts): PacketList {
  const frameCount = parts.seconds.length
  const sizes = new Float64Array(parts.sizes)
  // Loops, and not `from` with a function for each: a file of an hour has a hundred thousand packets, and is opened often.
  const packetOfFrame = new Uint32Array(frameCount)
  for (let packet = 0; packet < frameCount; packet++) packetOfFrame[packet] = packet
  if (!isAscending(parts.seconds)) packetOfFrame.sort((a, b) => at(parts.seconds, a) - at(parts.seconds, b) || a - b)
  const frameOfPacket = new Uint32Array(frameCount)
  const secondsOfFrame = new Float64Array(frameCount)
  for (let frame = 0; frame < frameCount; frame++) {
    const packet = at(packetOfFrame, frame)
    frameOfPacket[packet] = frame
    secondsOfFrame[frame] = at(parts.seconds, packet)
  }
  const startSeconds = at(secondsOfFrame, 0)

  function measureError(fps: number, origin: number): number {
    let largest = 0
    for (let frame = 0; frame < frameCount; frame++) {
      largest = Math.max(largest, Math.abs(at(secondsOfFrame, frame) - origin - frame / fps))
    }
    return largest
  }

  function measureFps(): number {
    const span = at(secondsOfFrame, frameCount - 1) - startSeconds
    if (frameCount < 2 || span <= 0) return 0
    const rate = (frameCount - 1) / span
    const rounded = Math.round(rate)
    return rounded > 0 && measureError(rounded, startSeconds) <= 1e-3 ? rounded : rate
  }

  function findFrameAt(seconds: number): number {
    const next = secondsOfFrame.findIndex((shown) => shown > seconds + 1e-6)
    return next < 0 ? frameCount - 1 : Math.max(0, next - 1)
  }

  function isClosed(startFrame: number, endFrame: number): boolean {
    if (!(startFrame >= 0 && startFrame < endFrame && endFrame <= frameCount)) return false
    const first = at(packetOfFrame, startFrame)
    if (!parts.keys[first]) return false
    for (let frame = startFrame; frame < endFrame; frame++) {
      const packet = at(packetOfFrame, frame)
      if (packet < first || packet >= first + endFrame - startFrame) return false
    }
    return true
  }

  function listKeyframes(): Uint32Array {
    const frames = new Uint32Array(frameCount)
    let count = 0
    for (let frame = 0; frame < frameCount; frame++) if (parts.keys[at(packetOfFrame, frame)]) frames[count++] = frame
    return frames.slice(0, count)
  }

  function countBytes(startFrame: number, endFrame: number): number {
    let total = 0
    for (let frame = startFrame; frame < endFrame; frame++) total += at(sizes, at(packetOfFrame, frame))
    return total
  }

  async function* readBytes(first: number, end: number, takeMemory?: () => Uint8Array): AsyncGenerator<Uint8Array> {
    const { offsets } = parts
    if (!offsets) {
      for await (const packet of readSlowly(first, end)) yield packet.data
      return
    }
    for (let packet = first; packet < end; ) {
      const from = at(offsets, packet)
      let to = from + at(sizes, packet++)
      while (packet < end && at(offsets, packet) === to && to + at(sizes, packet) - from <= pieceBytes) {
        to += at(sizes, packet++)
      }
      yield await parts.source.read(from, to, takeMemory?.())
    }
  }

  async function* read(first: number, end: number, takeMemory?: () => Uint8Array): AsyncGenerator<VideoPacket> {
    if (!parts.offsets) return yield* readSlowly(first, end)
    let packet = first
    for await (const piece of readBytes(first, end, takeMemory)) {
      for (let position = 0; position < piece.length; packet++) {
        const next = position + at(sizes, packet)
        yield describe(packet, piece.subarray(position, next))
        position = next
      }
    }
  }

  async function* readSlowly(first: number, end: number): AsyncGenerator<VideoPacket> {
    try {
      yield* readByLibrary(first, end)
    } catch (error) {
      // Errors of reading the file have a code; what has none is the library's, about an index that contradicts itself.
      if (error instanceof FormatError || (error instanceof Error && 'code' in error)) throw error
      const sentence = `The index of the video does not say where its frames are: ${describeCause(error)}`
      throw new FormatError('container_invalid', sentence, { cause: error })
    }
  }

  async function* readByLibrary(first: number, end: number): AsyncGenerator<VideoPacket> {
    const seconds = at(parts.seconds, first)
    const start = await parts.sink.getKeyPacket(seconds)
    if (start?.timestamp !== seconds) {
      throw new FormatError('container_invalid', `The packet shown at ${seconds} s is not where the index says.`)
    }
    let packet = first
    for await (const found of parts.sink.packets(start)) {
      if (packet >= end) return
      yield describe(packet++, found.data)
    }
  }

  function describe(packet: number, data: Uint8Array): VideoPacket {
    return { frameIndex: at(frameOfPacket, packet), isKeyframe: parts.keys[packet] === 1, data }
  }

  return {
    frameCount,
    startSeconds,
    isReordered: frameOfPacket.some((frame, packet) => frame !== packet),
    frameOfPacket,
    getPacketOfFrame: (frame) => at(packetOfFrame, frame),
    getSize: (packet) => at(sizes, packet),
    isKeyframe: (packet) => parts.keys[packet] === 1,
    isClosed,
    countBytes,
    measureFps,
    findFrameAt,
    measureGridError: (fps) => measureError(fps, 0),
    listKeyframes,
    read,
    readBytes,
  }
}

function isAscending(values: ArrayLike<number>): boolean {
  for (let index = 1; index < values.length; index++) if (!(at(values, index) > at(values, index - 1))) return false
  return true
}

function at(values: ArrayLike<number>, index: number): number {
  const value = values[index]
  if (value === undefined) throw new RangeError(`index ${index} of ${values.length}`)
  return value
}
