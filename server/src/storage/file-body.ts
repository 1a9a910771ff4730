import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { addAbortSignal, Readable, type Writable } from 'node:stream'
import type { ByteRange } from './storage.ts'

const pieceBytes = 256 * 1024

/** Takes every piece in order; throws at the last one where the whole is not what it should be. */
export interface PieceCheck {
  take(piece: Uint8Array, isLast: boolean): void
}

/** The sha256 of all of it. `fail` makes the error of bytes that do not hold. */
export function expectSha256(sha256: string, fail: (found: string) => Error): PieceCheck {
  const hash = createHash('sha256')
  return {
    take(piece, isLast) {
      hash.update(piece)
      const found = isLast ? hash.digest('hex') : sha256
      if (found !== sha256) throw fail(found)
    },
  }
}

/**
 * A part of an open file, which is closed at its end. It is a stream like any other, and can also send itself: two buffers in turn,
 * one filled while the other is on its way. To a socket that is twice as fast as a stream, which takes a new buffer for every piece.
 */
export class FileBody extends Readable {
  readonly #file: FileHandle
  readonly #end: number
  #position: number
  #check: PieceCheck | undefined
  /** The only piece of a small file, which was read to check it. */
  #ahead: Buffer | undefined

  constructor(file: FileHandle, { start, end }: ByteRange, signal?: AbortSignal) {
    super({ highWaterMark: pieceBytes })
    // Whoever reads or sends it hears of it; an abort before anyone does ends nothing else.
    this.on('error', () => {})
    this.#file = file
    this.#position = start
    this.#end = end
    // Not in the options: a signal that is aborted already would destroy this before it knows its file, which would stay open.
    if (signal) addAbortSignal(signal, this)
  }

  /** From its beginning on: bytes are checked on their way, and the last piece is given only when all of them hold. One piece is read at once. */
  async checkPieces(check: PieceCheck): Promise<void> {
    this.#check = check
    if (this.#end - this.#position > pieceBytes) return
    const buffer = Buffer.allocUnsafeSlow(this.#nextBytes())
    for (let filled = 0; filled < buffer.byteLength; ) filled += (await this.#fill(buffer.subarray(filled))).byteLength
    this.#ahead = buffer
  }

  override _read(): void {
    const ahead = this.#takeAhead()
    if (ahead) return void this.push(ahead)
    if (this.#position >= this.#end) return void this.push(null)
    this.#fill(Buffer.allocUnsafeSlow(this.#nextBytes())).then(
      (piece) => this.push(piece),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file.close().then(() => done(error), done)
  }

  /** Writes all of it and leaves the target open. A target that is closed before is an error. */
  async sendTo(target: Writable): Promise<void> {
    const write = createWriter(target)
    const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(this.#nextBytes()))
    const sent = [Promise.resolve(), Promise.resolve()]
    try {
      const ahead = this.#takeAhead()
      if (ahead) await write(ahead)
      for (let turn = 0; this.#position < this.#end; turn = 1 - turn) {
        await sent[turn]
        this.#throwIfDestroyed()
        const buffer = buffers[turn] as Buffer
        const writing = write(await this.#fill(buffer.subarray(0, this.#nextBytes())))
        // Seen when its buffer is next wanted, or at the end.
        writing.catch(() => {})
        sent[turn] = writing
      }
      await Promise.all(sent)
    } finally {
      write.close()
      this.destroy()
    }
  }

  #takeAhead(): Buffer | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead
  }

  #nextBytes = (): number => Math.min(pieceBytes, this.#end - this.#position)

  #throwIfDestroyed(): void {
    if (this.destroyed) throw this.errored ?? new Error('It is no longer wanted.')
  }

  async #fill(buffer: Buffer): Promise<Buffer> {
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.byteLength, this.#position)
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
    this.#position += bytesRead
    const piece = buffer.subarray(0, bytesRead)
    this.#check?.take(piece, this.#position === this.#end)
    return piece
  }
}

/** The same of any other body, which must not be empty. */
export function checkStream(body: Readable, check: PieceCheck): Readable {
  const checked = Readable.from(checkPieces(body, check), { objectMode: false })
  // Whoever gives up before the first byte leaves nothing open.
  checked.once('close', () => body.destroy())
  checked.on('error', () => {})
  return checked
}

async function* checkPieces(body: AsyncIterable<Uint8Array>, check: PieceCheck): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined
  for await (const piece of body) {
    if (held) {
      check.take(held, false)
      yield held
    }
    held = piece
  }
  if (!held) return
  check.take(held, true)
  yield held
}

/** Gives a target the bytes of a body and leaves it open. Not by `pipeline`, which leaves its listeners at a target that is not ended. */
export async function sendInto(target: Writable, body: Readable): Promise<void> {
  if (body instanceof FileBody) return body.sendTo(target)
  const write = createWriter(target)
  try {
    for await (const piece of body) await write(piece)
  } finally {
    write.close()
  }
}

/** Each write ends when its bytes are with the system, or when the target is closed: a socket that is gone calls nobody back. */
function createWriter(target: Writable) {
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
