import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { addAbortSignal, Readable, type Writable } from 'node:stream'
import type { ByteRange } from '../storage.ts'
import { type HashInThread, openHash } from './hash-thread.ts'
import { type BufferPair, largePieceBytes, type PieceBuffers } from './piece-buffers.ts'

/** After so many pieces a reader takes other buffers: large ones, where those are free by now. */
const piecesOfLeg = 64

/** What the whole is to be. `hold` is told when it is; `fail` makes the error of bytes that are not. */
interface ExpectedSha256 {
  sha256: string
  hold(): void
  fail(found: string): Error
}

interface FileBodyOptions {
  /** From which it takes two to send itself. */
  buffers: PieceBuffers
  signal?: AbortSignal | undefined
}

/**
 * A part of an open file, which is closed at its end. It is a stream like any other, and can also send itself: two buffers in turn,
 * one filled while the other is on its way. To a socket that is twice as fast as a stream, which takes a new buffer for every piece.
 */
export class FileBody extends Readable {
  readonly #file: FileHandle
  readonly #buffers: PieceBuffers
  readonly #end: number
  #position: number
  #expected: ExpectedSha256 | undefined
  /** Of what was read as a stream. */
  #hash: Hash | undefined
  /** The only piece of a small file, which was read to check it. */
  #ahead: Buffer | undefined
  /** A thread reads the file until then. */
  #reading: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, { start, end }: ByteRange, { buffers, signal }: FileBodyOptions) {
    super({ highWaterMark: largePieceBytes })
    // Whoever reads or sends it hears of it; an abort before anyone does ends nothing else.
    this.on('error', () => {})
    this.#file = file
    this.#buffers = buffers
    this.#position = start
    this.#end = end
    // Not in the options: a signal that is aborted already would destroy this before it knows its file, which would stay open.
    if (signal) addAbortSignal(signal, this)
  }

  /** From its beginning on: bytes are checked on their way, and the last piece is given only when all of them hold. One piece is read at once. */
  async expect(expected: ExpectedSha256): Promise<void> {
    this.#expected = expected
    if (this.#end - this.#position > largePieceBytes) return
    const buffer = Buffer.allocUnsafeSlow(this.#end - this.#position)
    for (let filled = 0; filled < buffer.byteLength; ) filled += (await this.#fill(buffer.subarray(filled))).byteLength
    compare(expected, createHash('sha256').update(buffer).digest('hex'))
    this.#ahead = buffer
  }

  override _read(): void {
    this.#readOn().then(
      (piece) => this.push(piece),
      (error) => this.destroy(error),
    )
  }

  async #readOn(): Promise<Buffer | null> {
    const ahead = this.#takeAhead()
    if (ahead) return ahead
    if (this.#position >= this.#end) return null
    const piece = await this.#fill(Buffer.allocUnsafeSlow(Math.min(largePieceBytes, this.#end - this.#position)))
    if (!this.#expected) return piece
    this.#hash ??= createHash('sha256')
    this.#hash.update(piece)
    if (this.#position === this.#end) compare(this.#expected, this.#hash.digest('hex'))
    return piece
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#reading
      .catch(() => {})
      .then(() => this.#file.close())
      .then(() => done(error), done)
  }

  /** The sha256 of all of it, read and computed beside the loop; checked where it is known. Nobody gets its bytes. */
  async hash(): Promise<string> {
    let hash: HashInThread | undefined
    try {
      const ahead = this.#takeAhead()
      if (ahead) return createHash('sha256').update(ahead).digest('hex')
      hash = openHash()
      const range = { start: this.#position, end: this.#end }
      this.#reading = hash.read(this.#file.fd, range, () => this.#throwIfDestroyed())
      await this.#reading
      const found = await hash.digest()
      if (this.#expected) compare(this.#expected, found)
      return found
    } finally {
      hash?.close()
      this.destroy()
    }
  }

  /** Writes all of it and leaves the target open. A target that is closed before is an error. */
  async sendTo(target: Writable): Promise<void> {
    const write = createWriter(target)
    let hash: HashInThread | undefined
    try {
      const ahead = this.#takeAhead()
      if (ahead) await write(ahead)
      else if (this.#expected) hash = openHash()
      while (this.#position < this.#end) {
        const pair = this.#buffers.take()
        let isUnused = false
        try {
          await this.#sendLeg(write, pair.buffers, hash)
          isUnused = true
        } finally {
          // What may still be on its way is nobody else's.
          pair.release(isUnused)
        }
      }
    } finally {
      hash?.close()
      write.close()
      this.destroy()
    }
  }

  async #sendLeg(write: Write, buffers: BufferPair['buffers'], hash: HashInThread | undefined): Promise<void> {
    const sent = [Promise.resolve(), Promise.resolve()]
    for (let piece = 0; piece < piecesOfLeg && this.#position < this.#end; piece++) {
      const turn = piece % 2
      await sent[turn]
      this.#throwIfDestroyed()
      const sending = this.#sendPiece(write, await this.#fill(buffers[turn] as Buffer), hash)
      // Seen when its buffer is next wanted, or at the end.
      sending.catch(() => {})
      sent[turn] = sending
    }
    await Promise.all(sent)
  }

  /** Ends when the bytes are with the system and, where they are checked, in the hash. */
  async #sendPiece(write: Write, piece: Buffer, hash: HashInThread | undefined): Promise<void> {
    const isLast = this.#position === this.#end
    const hashed = hash?.update(piece)
    // Where the thread ends, the digest says so first.
    hashed?.catch(() => {})
    if (isLast && hash && this.#expected) compare(this.#expected, await hash.digest())
    await Promise.all([hashed, write(piece)])
  }

  #takeAhead(): Buffer | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead
  }

  #throwIfDestroyed(): void {
    if (this.destroyed) throw this.errored ?? new Error('It is no longer wanted.')
  }

  async #fill(buffer: Buffer): Promise<Buffer> {
    const wanted = Math.min(buffer.byteLength, this.#end - this.#position)
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#position)
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
    this.#position += bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

function compare({ sha256, hold, fail }: ExpectedSha256, found: string): void {
  if (found !== sha256) throw fail(found)
  hold()
}

/** The sha256 of a body that nobody needs: a file is read and hashed beside the loop. */
export async function hashBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  if (body instanceof FileBody) return body.hash()
  const hash = createHash('sha256')
  for await (const piece of body) hash.update(piece)
  return hash.digest('hex')
}

/** The same of any other body, which must not be empty. */
export function checkStream(body: Readable, expected: ExpectedSha256): Readable {
  const checked = Readable.from(checkPieces(body, expected), { objectMode: false })
  // Whoever gives up before the first byte leaves nothing open.
  checked.once('close', () => body.destroy())
  checked.on('error', () => {})
  return checked
}

async function* checkPieces(body: AsyncIterable<Uint8Array>, expected: ExpectedSha256): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const piece of body) {
    hash.update(piece)
    if (held) yield held
    held = piece
  }
  if (!held) return
  compare(expected, hash.digest('hex'))
  yield held
}

type Write = ReturnType<typeof createWriter>

/** Gives a target the bytes of a body and leaves it open. Not by `pipeline`, which leaves its listeners at a target that is not ended. */
export async function sendInto(target: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
  if (body instanceof FileBody) return body.sendTo(target)
  const write = createWriter(target)
  try {
    for await (const piece of body) await write(piece)
  } finally {
    write.close()
  }
}

/** Each write ends when its bytes are with the system, or when the target is closed: a socket that is gone calls nobody back. */
export function createWriter(target: Writable) {
  const waiting = new Set<(reason: Error) => void>()
  const end = (): void => {
    for (const reject of waiting) reject(new Error('The target was closed.'))
  }
  target.once('close', end)
  const write = (bytes: Uint8Array): Promise<void> => {
    if (target.destroyed) return Promise.reject(new Error('The target was closed.'))
    return new Promise((resolve, reject) => {
      waiting.add(reject)
      target.write(bytes, (error) => {
        waiting.delete(reject)
        if (error) reject(error)
        else resolve()
      })
    })
  }
  return Object.assign(write, { close: () => void target.off('close', end) })
}
