import type { VideoPacket } from '../../containers/video/packets.ts'
import type { Video } from '../../containers/video/video.ts'
import { FormatError } from '../../errors.ts'

/**
 * Packets of a container as `foxglove.CompressedVideo` wants them: complete in themselves, so that a player can begin at any
 * keyframe. What the container keeps once (parameter sets, sequence header) is repeated with every keyframe.
 */
export interface FrameStream {
  /** `format` of the message. */
  readonly format: 'h264' | 'h265' | 'av1' | 'vp9'
  /** One frame, in pieces that follow each other; most of them are the packet's own memory. */
  frame(packet: VideoPacket): Uint8Array[]
}

const startCode = Uint8Array.of(0, 0, 0, 1)
const boxHeadBytes = 8

/** Whether messages can hold these packets as they are: a codec that Foxglove knows, shown in the order it is stored. */
export const canHoldPackets = ({ facts, config }: Video): boolean =>
  ['h264', 'hevc', 'av1', 'vp9'].includes(facts.codec) && !facts.isReordered && config !== undefined

export function openFrameStream(video: Video): FrameStream {
  const { codec } = video.facts
  const body = video.config?.boxes[0]?.subarray(boxHeadBytes)
  if (body && canHoldPackets(video)) {
    if (codec === 'h264') return { format: 'h264', ...splitUnits(readAvcConfig(body), avcUnits) }
    if (codec === 'hevc') return { format: 'h265', ...splitUnits(readHevcConfig(body), hevcUnits) }
    if (codec === 'av1') return { format: 'av1', frame: (packet) => toTemporalUnit(packet, body.subarray(4)) }
    if (codec === 'vp9') return { format: 'vp9', frame: ({ data }) => [data] }
  }
  throw new FormatError(
    'unsupported',
    `A video in ${codec} whose frames are stored in another order has no place in MCAP.`,
  )
}

interface ParameterSets {
  /** Bytes of the length before each unit. */
  readonly lengthBytes: number
  readonly units: readonly Uint8Array[]
}

interface UnitKinds {
  kindOf(unit: Uint8Array): number
  /** Access unit delimiter, which stays the first. */
  readonly delimiter: number
  readonly parameterSet: number
}

const avcUnits: UnitKinds = { kindOf: (unit) => (unit[0] ?? 0) & 0x1f, delimiter: 9, parameterSet: 7 }
const hevcUnits: UnitKinds = { kindOf: (unit) => ((unit[0] ?? 0) >> 1) & 0x3f, delimiter: 35, parameterSet: 33 }

/** Annex B: a start code in the place of each length, parameter sets before what needs them. */
function splitUnits({ lengthBytes, units: sets }: ParameterSets, { kindOf, delimiter, parameterSet }: UnitKinds) {
  const frame = ({ data, isKeyframe }: VideoPacket): Uint8Array[] => {
    const units: Uint8Array[] = []
    for (let at = 0; at < data.length; ) {
      const size = readNumber(data, at, lengthBytes)
      const end = at + lengthBytes + size
      if (end > data.length) throw new FormatError('episode_unreadable', 'a packet of its video is cut off.')
      if (size > 0) units.push(data.subarray(at + lengthBytes, end))
      at = end
    }
    if (isKeyframe && !units.some((unit) => kindOf(unit) === parameterSet))
      units.splice(units[0] && kindOf(units[0]) === delimiter ? 1 : 0, 0, ...sets)
    return units.flatMap((unit) => [startCode, unit])
  }
  return { frame }
}

function readAvcConfig(body: Uint8Array): ParameterSets {
  const units: Uint8Array[] = []
  let at = 5
  for (const mask of [0x1f, 0xff]) {
    const count = (body[at++] ?? 0) & mask
    for (let index = 0; index < count; index++) at = takeUnit(body, at, units)
  }
  return { lengthBytes: ((body[4] ?? 3) & 3) + 1, units }
}

function readHevcConfig(body: Uint8Array): ParameterSets {
  const units: Uint8Array[] = []
  let at = 23
  for (let array = 0; array < (body[22] ?? 0); array++) {
    const count = readNumber(body, at + 1, 2)
    at += 3
    for (let index = 0; index < count; index++) at = takeUnit(body, at, units)
  }
  return { lengthBytes: ((body[21] ?? 3) & 3) + 1, units }
}

function takeUnit(body: Uint8Array, at: number, units: Uint8Array[]): number {
  const end = at + 2 + readNumber(body, at, 2)
  if (end > body.length)
    throw new FormatError('container_invalid', 'The decoder configuration of the video is cut off.')
  units.push(body.subarray(at + 2, end))
  return end
}

function readNumber(bytes: Uint8Array, at: number, size: number): number {
  let value = 0
  for (let index = 0; index < size; index++) value = value * 256 + (bytes[at + index] ?? 0)
  return value
}

const temporalDelimiter = Uint8Array.of(0x12, 0)
const [sequenceHeaderType, delimiterType] = [1, 2]

/** AV1's low-overhead format: every unit with its size, a delimiter first, the sequence header with each keyframe. */
function toTemporalUnit({ data, isKeyframe }: VideoPacket, sequenceHeader: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let hasSequenceHeader = false
  for (let at = 0; at < data.length; ) {
    const head = data[at] ?? 0
    const headBytes = head & 0x04 ? 2 : 1
    const type = (head >> 3) & 0x0f
    const hasSize = (head & 0x02) !== 0
    // Only the last unit of a packet may leave its size out.
    const size = hasSize ? readLeb128(data, at + headBytes) : { value: data.length - at - headBytes, length: 0 }
    const end = at + headBytes + size.length + size.value
    if (end > data.length) throw new FormatError('episode_unreadable', 'a packet of its video is cut off.')
    hasSequenceHeader ||= type === sequenceHeaderType
    if (type !== delimiterType) {
      if (hasSize) pieces.push(data.subarray(at, end))
      else {
        const sized = [head | 0x02, ...data.subarray(at + 1, at + headBytes), ...writeLeb128(size.value)]
        pieces.push(Uint8Array.from(sized), data.subarray(at + headBytes, end))
      }
    }
    at = end
  }
  const needed = isKeyframe && !hasSequenceHeader ? [sequenceHeader] : []
  return [temporalDelimiter, ...needed, ...pieces]
}

function readLeb128(bytes: Uint8Array, at: number): { value: number; length: number } {
  let value = 0
  for (let length = 0; length < 8; ) {
    const byte = bytes[at + length] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * length++)
    if (byte < 0x80) return { value, length }
  }
  throw new FormatError('episode_unreadable', 'a packet of its video is damaged.')
}

function writeLeb128(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return [...bytes, rest]
}
