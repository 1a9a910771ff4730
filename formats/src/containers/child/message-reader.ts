import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type ChildMessage, decodePrefix, prefixBytes } from './message.ts'

const pieceBytes = 32 * 1024
/** What is left of a piece is read into, too, unless it is so little. */
const leastPieceBytes = 4 * 1024

/** Where a body of so many bytes is to lie: exactly as much memory, or none. */
export type GiveMemory = (sizeBytes: number) => Uint8Array | undefined

interface Target {
  readonly bytes: Uint8Array
  filled: number
}

/**
 * Takes whole messages from a child's stdout; at most one message and a piece lie in memory. A body is read to where it stays: by way of
 * the stream's own pieces of 64 KiB a megabyte took 1.6 ms of the processor, more than decoding some pictures, and takes 0.6.
 */
export class MessageReader {
  /** When the child can say no more, or nobody listens any more. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  /** What came beside the body that is waited for: heads, and beginnings of bodies. */
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #spare = Buffer.alloc(0)
  #target: Target | undefined
  #isEnded = false
  #wake: () => void = () => {}

  constructor(stdout: Readable) {
    const onread = {
      buffer: () => this.#chooseMemory(),
      callback: (count: number, into: Uint8Array) => this.#take(count, into),
    }
    this.#socket = new Socket({ handle: takeHandle(stdout), readable: true, writable: false, onread } as object)
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.#isEnded = true
        this.#wake()
        resolve()
      }
      this.#socket.once('end', end).once('close', end).once('error', end)
    })
    this.#socket.resume()
  }

  /** The next message, or undefined when the child closed its side. Its body lies in the memory that is given, if there is any for it. */
  async next(giveMemory?: GiveMemory): Promise<ChildMessage | undefined> {
    const prefix = await this.#readExactly(prefixBytes)
    if (!prefix) return undefined
    const { headBytes, bodyBytes } = decodePrefix(prefix)
    const head = await this.#readExactly(headBytes)
    if (!head) return undefined
    const read: unknown = JSON.parse(Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8'))
    if (bodyBytes === 0) return { head: read }
    const body = await this.#readBody(bodyBytes, giveMemory?.(bodyBytes))
    return body && { head: read, body }
  }

  destroy(): void {
    this.#socket.destroy()
  }

  unref(): void {
    this.#socket.unref()
  }

  /** A small one is copied: it would keep the whole piece in memory. */
  async #readBody(sizeBytes: number, memory: Uint8Array | undefined): Promise<Uint8Array | undefined> {
    if (memory) return (await this.#readExactly(sizeBytes, memory)) && memory
    if (this.#pieceBytes >= sizeBytes) return new Uint8Array(this.#cut(sizeBytes))
    const { buffer } = (await this.#readExactly(sizeBytes)) ?? {}
    return buffer && new Uint8Array(buffer)
  }

  async #readExactly(sizeBytes: number, memory?: Uint8Array): Promise<Uint8Array | undefined> {
    if (!memory && this.#pieceBytes >= sizeBytes) return this.#cut(sizeBytes)
    const target = { bytes: memory ?? Buffer.allocUnsafeSlow(sizeBytes), filled: 0 }
    this.#moveToTarget(target)
    if (target.filled < sizeBytes) this.#target = target
    while (target.filled < sizeBytes) {
      if (this.#isEnded) return undefined
      const change = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#socket.resume()
      await change
    }
    return target.bytes
  }

  /** Lies in the memory of the pieces, where it is in one of them. */
  #cut(sizeBytes: number): Buffer {
    const [first] = this.#pieces
    const all = first && first.length >= sizeBytes ? first : Buffer.concat(this.#pieces)
    this.#pieces.splice(0, all === first ? 1 : this.#pieces.length)
    if (all.length > sizeBytes) this.#pieces.unshift(all.subarray(sizeBytes))
    this.#pieceBytes -= sizeBytes
    // What was asked for may all have come already: without this the end behind it would never be read.
    if (this.#pieceBytes < pieceBytes) this.#socket.resume()
    return all.subarray(0, sizeBytes)
  }

  #chooseMemory(): Uint8Array {
    if (this.#target) return this.#target.bytes.subarray(this.#target.filled)
    if (this.#spare.length < leastPieceBytes) this.#spare = Buffer.allocUnsafeSlow(pieceBytes)
    return this.#spare
  }

  /** False where no more is to be read until somebody asks. */
  #take(count: number, into: Uint8Array): boolean {
    const target = this.#target
    const isDirect = target !== undefined && into.buffer === target.bytes.buffer
    if (isDirect) target.filled += count
    else {
      this.#pieces.push(this.#spare.subarray(0, count))
      this.#pieceBytes += count
      this.#spare = this.#spare.subarray(count)
      if (target) this.#moveToTarget(target)
    }
    if (target?.filled === target?.bytes.length) this.#target = undefined
    this.#wake()
    return this.#target !== undefined || this.#pieceBytes < pieceBytes
  }

  #moveToTarget(target: Target): void {
    const moved = Math.min(this.#pieceBytes, target.bytes.length - target.filled)
    target.bytes.set(this.#cut(moved), target.filled)
    target.filled += moved
  }
}

/** The stream as Node opened it has no say in where it reads to; one on the same handle has (`onread`). */
function takeHandle(stdout: Readable): unknown {
  const opened = stdout as unknown as { _handle: unknown }
  const handle = opened._handle
  opened._handle = null
  stdout.destroy()
  return handle
}
