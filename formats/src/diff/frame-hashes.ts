import type { Values } from '../dataset.ts'

export interface ColumnFrames {
  frameCount: number
  /** Then its numbers are the second of each frame, too. */
  isSignal: boolean
}

/**
 * Adds a column to the two numbers of each frame. They are sums over columns, so that what a column is called, and where it stands,
 * makes no difference. Thirty-two bits only: they find where frames of one episode lie in another, and never that two are the same.
 */
export function addFrameHashes(frames: Uint32Array, values: Values, { frameCount, isSignal }: ColumnFrames): void {
  const words = toWords(values)
  const perFrame = words.length / frameCount
  for (let frame = 0; frame < frameCount; frame++) {
    let hash = 0x811c9dc5
    for (let at = frame * perFrame; at < (frame + 1) * perFrame; at++) {
      hash = Math.imul(hash ^ (words[at] as number), 0x01000193)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash ^= hash >>> 13
    frames[2 * frame] = (frames[2 * frame] as number) + hash
    if (isSignal) frames[2 * frame + 1] = hash
  }
}

function toWords(values: Values): ArrayLike<number> {
  if (!ArrayBuffer.isView(values)) return Array.from(values, (value) => hashText(JSON.stringify(value)))
  if (values.BYTES_PER_ELEMENT < 4) return values as Uint8Array
  return new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)
}

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
