import { type FileHandle, open, rm } from 'node:fs/promises'
import { writeAll } from '../../containers/write-all.ts'

const heldBytes = 4 * 1024 * 1024
const pieceBytes = 1024 * 1024

/** Bytes that are known one after the other and wanted once their sum is known: in memory while they are few, then in a file. */
export class Spool {
  readonly #path: string
  #held: Uint8Array[] = []
  #heldBytes = 0
  #file: FileHandle | undefined
  #fileBytes = 0

  constructor(path: string) {
    this.#path = path
  }

  get sizeBytes(): number {
    return this.#fileBytes + this.#heldBytes
  }

  async append(...pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.#held.push(piece)
      this.#heldBytes += piece.length
    }
    if (this.#heldBytes >= heldBytes) await this.#flush()
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; this.#file && at < this.#fileBytes; ) {
      const { bytesRead, buffer } = await this.#file.read(
        Buffer.allocUnsafe(Math.min(pieceBytes, this.#fileBytes - at)),
        { position: at },
      )
      if (bytesRead === 0) throw new Error(`${this.#path} became shorter`)
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    yield* this.#held
  }

  async close(): Promise<void> {
    this.#held = []
    await this.#file?.close()
    this.#file = undefined
    await rm(this.#path, { force: true })
  }

  async #flush(): Promise<void> {
    this.#file ??= await open(this.#path, 'w+')
    const bytes = Buffer.concat(this.#held)
    await writeAll(this.#file, bytes, this.#fileBytes)
    this.#fileBytes += bytes.length
    this.#held = []
    this.#heldBytes = 0
  }
}
