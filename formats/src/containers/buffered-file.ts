import { type FileHandle, open } from 'node:fs/promises'
import { writeAll } from './write-all.ts'

const memoryBytes = 1024 * 1024

/** A new file that is written from its beginning to its end, in large pieces: row groups of a few kilobytes are thousands. */
export class BufferedFile {
  readonly #handle: FileHandle
  readonly #isDurable: boolean
  #memory = new Uint8Array(64 * 1024)
  #held = 0
  #written = 0

  private constructor(handle: FileHandle, isDurable: boolean) {
    this.#handle = handle
    this.#isDurable = isDurable
  }

  /** A file of a thousand that are copied on to where they stay need not wait for the disk. */
  static async create(path: string, { isDurable = true } = {}): Promise<BufferedFile> {
    return new BufferedFile(await open(path, 'wx'), isDurable)
  }

  /** Where the next byte goes. */
  get offset(): number {
    return this.#written + this.#held
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#held + bytes.length > memoryBytes) await this.#flush()
    if (bytes.length > memoryBytes) {
      await writeAll(this.#handle, bytes, this.#written)
      this.#written += bytes.length
      return
    }
    if (this.#held + bytes.length > this.#memory.length) this.#grow(this.#held + bytes.length)
    this.#memory.set(bytes, this.#held)
    this.#held += bytes.length
  }

  /** Forgets everything from `offset` on. */
  async truncate(offset: number): Promise<void> {
    if (offset >= this.#written) {
      this.#held = offset - this.#written
      return
    }
    this.#held = 0
    this.#written = offset
    await this.#handle.truncate(offset)
  }

  /** Waits for the disk where it is durable, and closes. */
  async finish(): Promise<number> {
    await this.#flush()
    if (this.#isDurable) await this.#handle.sync()
    await this.#handle.close()
    return this.#written
  }

  async abandon(): Promise<void> {
    await this.#handle.close()
  }

  #grow(sizeBytes: number): void {
    const memory = new Uint8Array(Math.min(memoryBytes, Math.max(sizeBytes, this.#memory.length * 4)))
    memory.set(this.#memory.subarray(0, this.#held))
    this.#memory = memory
  }

  async #flush(): Promise<void> {
    const held = this.#held
    await writeAll(this.#handle, this.#memory.subarray(0, held), this.#written)
    this.#written += held
    this.#held = 0
  }
}
