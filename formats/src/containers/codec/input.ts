/** What is sent to the codec's process: packets to decode, frames to encode. */
import { hash } from 'node:crypto'
import { FormatError } from '../../errors.ts'
import type { ChildMessage } from '../child/child.ts'
import type { Video } from '../video/video.ts'
import type { PacketsHead } from './calls.ts'
import { planSegments } from './plan.ts'

/** Packets go to the child in messages of about this size: by the thousand they cost more than they weigh. */
const messageBytes = 128 * 1024

export async function* sendPackets(video: Video, frames: readonly number[]): AsyncGenerator<ChildMessage> {
  const body = video.config?.boxes[0]?.subarray(8)
  const isDescription = body !== undefined && !video.facts.codec.startsWith('vp')
  yield { head: null, ...(isDescription ? { body } : {}) }
  const wanted = new Set(frames)
  let head: PacketsHead = { frames: [], sizes: [] }
  let packets: Uint8Array[] = []
  let bytes = 0
  for (const { first, end } of planSegments(video, frames)) {
    for await (const { frameIndex, data } of video.packets.read(first, end)) {
      head.frames.push(wanted.has(frameIndex) ? frameIndex : -1 - frameIndex)
      head.sizes.push(data.byteLength)
      packets.push(data)
      bytes += data.byteLength
      if (bytes < messageBytes) continue
      yield { head, body: Buffer.concat(packets) }
      head = { frames: [], sizes: [] }
      packets = []
      bytes = 0
    }
  }
  if (packets.length > 0) yield { head, body: Buffer.concat(packets) }
}

export async function* sendFrames(
  frames: AsyncIterable<Uint8Array | Uint16Array>,
  frameBytes: number,
  hashes: string[] | undefined,
): AsyncGenerator<ChildMessage> {
  for await (const frame of frames) {
    if (frame.byteLength !== frameBytes) {
      throw new FormatError('unsupported', `A frame has ${frame.byteLength} bytes, but its size needs ${frameBytes}.`)
    }
    hashes?.push(hashPixels(frame))
    yield { head: null, body: new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength) }
  }
}

export function hashPixels(data: Uint8Array | Uint16Array): string {
  return hash('sha1', data, 'base64')
}
