import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const pieceBytes = 64 * 1024

const shortened = (): Error => new Error('The file of a body became shorter.')

/** A body that has arrived: a small one in memory, a large one in a file. Whoever gets it closes it. */
export class ReceivedBody {
  readonly sizeBytes: number
  readonly #pieces: readonly Buffer[]
  readonly #file: FileHandle | undefined
  readonly #onClose: () => void

  constructor(
    sizeBytes: number,
    kept: { pieces: readonly Buffer[]; file: FileHandle | undefined },
    onClose: () => void,
  ) {
    this.sizeBytes = sizeBytes
    this.#pieces = kept.pieces
    this.#file = kept.file
    this.#onClose = onClose
  }

  get isLarge(): boolean {
    return this.#file !== undefined
  }

  /** All of it, in memory of its own. */
  async read(): Promise<Buffer> {
    if (!this.#file) return Buffer.concat(this.#pieces)
    const bytes = Buffer.allocUnsafeSlow(this.sizeBytes)
    for (let at = 0; at < bytes.byteLength; ) {
      const { bytesRead } = await this.#file.read(bytes, at, bytes.byteLength - at, at)
      if (bytesRead === 0) throw shortened()
      at += bytesRead
    }
    return bytes
  }

  /** Piece by piece, without ever holding more than one. */
  async *stream(): AsyncGenerator<Buffer> {
    yield* this.#pieces
    for (let at = 0; this.#file && at < this.sizeBytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, this.sizeBytes - at))
      const { bytesRead } = await this.#file.read(piece, 0, piece.byteLength, at)
      if (bytesRead === 0) throw shortened()
      at += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  }

  async close(): Promise<void> {
    this.#onClose()
    await this.#file?.close()
  }
}

/** A file that has no name any more: a program that is killed leaves nothing behind. */
export async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
