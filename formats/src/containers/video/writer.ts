import { open } from 'node:fs/promises'
import { openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { writeAll } from '../write-all.ts'
import { buildFileHead, type ShiftRun, type TrackPlan } from './boxes.ts'
import type { DecoderConfig } from './config.ts'
import { pieceBytes } from './packets.ts'
import { openVideo, type Video } from './video.ts'

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
 * same ranges give the same bytes. `append` only plans; `finish` reads and writes, so sources stay open until then.
 */
export interface Mp4Writer {
  readonly frameCount: number
  /** Bytes of the packets so far; the file is about 6 bytes a frame larger. */
  readonly packetBytes: number
  /** Whether the range can follow what was appended: same decoder configuration, and a cut that needs no other frame. */
  canAppend(video: Video, startFrame: number, endFrame: number): boolean
  /** Plans frames `startFrame` to `endFrame` (exclusive) next; throws `video_not_joinable` where `canAppend` is false. */
  append(video: Video, startFrame: number, endFrame: number): void
  /** Writes the file; at least one frame must have been appended. */
  finish(): Promise<WrittenVideo>
}

interface Range {
  readonly video: Video
  readonly startFrame: number
  readonly endFrame: number
}

export function createMp4Writer(options: Mp4WriterOptions): Mp4Writer {
  const clock = chooseClock(options.fps)
  const ranges: Range[] = []
  const sizes: number[] = []
  const keyPackets: number[] = []
  const shiftRuns: ShiftRun[] = []
  let packetBytes = 0
  let config: DecoderConfig | undefined
  let configBytes: Uint8Array | undefined

  function canAppend(video: Video, startFrame: number, endFrame: number): boolean {
    if (!video.canCopy(startFrame, endFrame)) return false
    return configBytes === undefined || Buffer.compare(video.facts.decoderConfig, configBytes) === 0
  }

  function append(video: Video, startFrame: number, endFrame: number): void {
    if (!canAppend(video, startFrame, endFrame)) {
      throw new FormatError(
        'video_not_joinable',
        `Frames ${startFrame} to ${endFrame} cannot be joined to ${options.path} by copying; they must be encoded again.`,
      )
    }
    config ??= video.config
    configBytes ??= video.facts.decoderConfig
    ranges.push({ video, startFrame, endFrame })
    const first = video.packets.getPacketOfFrame(startFrame)
    for (let index = 0; index < endFrame - startFrame; index++) {
      const packet = first + index
      const size = video.packets.getSize(packet)
      if (video.packets.isKeyframe(packet)) keyPackets.push(sizes.length)
      addShift(shiftRuns, (video.packets.frameOfPacket[packet] ?? 0) - startFrame - index)
      sizes.push(size)
      packetBytes += size
    }
  }

  async function finish(): Promise<WrittenVideo> {
    if (!config) throw new FormatError('no_episodes', `${options.path} would have no frames.`)
    const isReordered = shiftRuns.some(({ shift }) => shift !== 0)
    const plan: TrackPlan = { config, ...clock, sizes, keyPackets, shiftRuns: isReordered ? shiftRuns : undefined }
    const head = buildFileHead(plan, packetBytes)
    const sizeBytes = await writeRanges(options.path, head, ranges, options.signal)
    if (sizeBytes !== head.length + packetBytes) {
      throw new FormatError('container_invalid', `A source of ${options.path} changed while it was copied.`)
    }
    return { path: options.path, sizeBytes, frameCount: sizes.length }
  }

  return {
    get frameCount() {
      return sizes.length
    },
    get packetBytes() {
      return packetBytes
    },
    canAppend,
    append,
    finish,
  }
}

/** LeRobot's own files have fps x 512 ticks a second. A rate such as 30000/1001 gets its exact fraction. */
function chooseClock(fps: number): { timescale: number; frameTicks: number } {
  for (const denominator of [1, 1001, 1000]) {
    const numerator = Math.round(fps * denominator)
    if (numerator > 0 && Math.abs(numerator / denominator - fps) <= fps * 1e-9) {
      if (denominator === 1 && numerator * 512 < 2 ** 31) return { timescale: numerator * 512, frameTicks: 512 }
      if (numerator < 2 ** 31) return { timescale: numerator, frameTicks: denominator }
    }
  }
  throw new FormatError('unsupported', `A video cannot be written with ${fps} frames per second.`)
}

function addShift(runs: ShiftRun[], shift: number): void {
  const last = runs.at(-1)
  if (last?.shift === shift) last.length++
  else runs.push({ shift, length: 1 })
}

/** Memory of files that are done, for the next ones: fresh memory for every short file cost as much as copying it. */
const spareMemory: (readonly [Uint8Array, Uint8Array])[] = []
const mostSpare = 4

async function writeRanges(path: string, head: Uint8Array, ranges: readonly Range[], signal?: AbortSignal) {
  const memory = spareMemory.pop() ?? ([new Uint8Array(pieceBytes), new Uint8Array(pieceBytes)] as const)
  try {
    return await writePieces(path, readAll(head, ranges, memory), signal)
  } finally {
    if (spareMemory.length < mostSpare) spareMemory.push(memory)
  }
}

async function* readAll(
  head: Uint8Array,
  ranges: readonly Range[],
  memory: readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  yield head
  // `writePieces` still writes one piece while the next is read; the one before that is done.
  let taken = 0
  const takeMemory = () => memory[taken++ % memory.length] as Uint8Array
  for (const { video, startFrame, endFrame } of ranges) yield* video.readBytes(startFrame, endFrame, takeMemory)
}

/** Writes one piece while the next is read; none is written any more when it ends. */
async function writePieces(path: string, pieces: AsyncGenerator<Uint8Array>, signal?: AbortSignal): Promise<number> {
  const file = await open(path, 'w')
  let writing: Promise<void> = Promise.resolve()
  try {
    let sizeBytes = 0
    for await (const piece of pieces) {
      await writing
      signal?.throwIfAborted()
      writing = writeAll(file, piece, sizeBytes)
      writing.catch(() => {})
      sizeBytes += piece.length
    }
    await writing
    return sizeBytes
  } finally {
    await writing.catch(() => {})
    await file.close()
  }
}

export interface ExpectedVideo {
  frameCount: number
  fps: number
  /** Frames that must be keyframes: where episodes start. */
  keyframes: readonly number[]
  decoderConfig?: Uint8Array
}

/** Reads the packets of a file back: count, exact grid, keyframes, decoder configuration. Throws `container_invalid`. */
export async function verifyVideo(path: string, expected: ExpectedVideo): Promise<void> {
  await using source = await openFile(path)
  await using video = await openVideo(source, { name: path })
  const { facts } = video
  const refuse = (reason: string) => {
    throw new FormatError('container_invalid', `${path} was written wrongly: ${reason}.`)
  }
  if (facts.frameCount !== expected.frameCount) refuse(`${facts.frameCount} frames, not ${expected.frameCount}`)
  const gridError = video.measureGridError(expected.fps)
  if (gridError > 1e-6) refuse(`a frame is ${gridError} s off the grid of ${expected.fps} frames per second`)
  const keyframes = new Set(facts.keyframes)
  const missing = expected.keyframes.find((frame) => !keyframes.has(frame))
  if (missing !== undefined) refuse(`frame ${missing} is not a keyframe`)
  if (!video.canCopy(0, facts.frameCount)) refuse('its frames do not form a closed stream')
  if (expected.decoderConfig && Buffer.compare(expected.decoderConfig, facts.decoderConfig) !== 0) {
    refuse("its decoder configuration differs from the sources'")
  }
}
