import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * A file that only the key opens, in pieces that are each authenticated (the STREAM construction, as age and Tink have it): magic and a
 * salt, then pieces of 256 KiB under AES-256-GCM. The key is the file's own (HKDF of the salt and of its name), the nonce counts the
 * pieces and marks the last one. So what was cut, turned, reordered or put in the place of another file does not open.
 */
const magic = Buffer.from('nmp-sealed-1\n')
const saltBytes = 32
const tagBytes = 16
const pieceBytes = 256 * 1024
const headerBytes = magic.length + saltBytes

type Bytes = AsyncIterable<Uint8Array>

/** The bytes do not open: another key, another name, or not what was written. */
export class UnsealError extends Error {}

export async function* seal(key: Uint8Array, name: string, body: Bytes): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes)
  const fileKey = deriveKey(key, salt, name)
  yield Buffer.concat([magic, salt])
  let index = 0
  for await (const { piece, isLast } of inPieces(body, pieceBytes)) {
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonceOf(index, isLast))
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
    index += 1
  }
}

/** Gives nothing out that was not authenticated; throws before its end when the end is missing. */
export async function* unseal(key: Uint8Array, name: string, body: Bytes): AsyncGenerator<Buffer> {
  const source = new PieceReader(body)
  const header = await source.take(headerBytes)
  if (!header.subarray(0, magic.length).equals(magic)) throw new UnsealError('it is not a sealed file')
  if (header.length < headerBytes) throw new UnsealError('its end is missing')
  const fileKey = deriveKey(key, header.subarray(magic.length), name)
  for (let index = 0; ; index += 1) {
    const piece = await source.take(pieceBytes + tagBytes)
    const isLast = await source.isAtEnd()
    if (piece.length < tagBytes) throw new UnsealError('its end is missing')
    const decipher = createDecipheriv('aes-256-gcm', fileKey, nonceOf(index, isLast))
    decipher.setAuthTag(piece.subarray(piece.length - tagBytes))
    const opened = decipher.update(piece.subarray(0, piece.length - tagBytes))
    try {
      decipher.final()
    } catch (cause) {
      throw new UnsealError('it was changed or cut short, or another key sealed it', { cause })
    }
    yield opened
    if (isLast) return
  }
}

export const isSealed = (start: Uint8Array): boolean => magic.equals(start.subarray(0, magic.length))

const deriveKey = (key: Uint8Array, salt: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `nmp backup file ${name}`, 32))

const nonceOf = (index: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(index), 3)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Whole pieces, the last one known as such: it is shorter, or empty where there is nothing at all. */
async function* inPieces(body: Bytes, size: number): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  const source = new PieceReader(body)
  for (;;) {
    const piece = await source.take(size)
    const isLast = await source.isAtEnd()
    yield { piece, isLast }
    if (isLast) return
  }
}

/** Bytes of a stream by the number that is asked for. */
export class PieceReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Uint8Array[] = []
  #heldBytes = 0
  #isOver = false

  constructor(body: Bytes) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** Fewer only at the end. */
  async take(size: number): Promise<Buffer> {
    await this.#fill(size)
    return this.#cut(Math.min(size, this.#heldBytes))
  }

  async isAtEnd(): Promise<boolean> {
    await this.#fill(1)
    return this.#heldBytes === 0
  }

  /** Up to a line feed, which is not part of it. */
  async takeLine(maxBytes: number): Promise<string> {
    for (let size = 1024; ; size *= 2) {
      await this.#fill(Math.min(size, maxBytes))
      const held = Buffer.concat(this.#held)
      this.#held = [held]
      const at = held.indexOf(10)
      if (at >= 0) return this.#cut(at + 1).toString('utf8', 0, at)
      if (this.#isOver || size >= maxBytes) throw new Error('it has no first line')
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isAtEnd())) yield this.#cut(this.#heldBytes)
  }

  async #fill(size: number): Promise<void> {
    while (!this.#isOver && this.#heldBytes < size) {
      const { done, value } = await this.#chunks.next()
      if (done) this.#isOver = true
      else if (value.byteLength > 0) {
        this.#held.push(value)
        this.#heldBytes += value.byteLength
      }
    }
  }

  #cut(size: number): Buffer {
    const held = this.#held.length === 1 && this.#held[0] ? asBuffer(this.#held[0]) : Buffer.concat(this.#held)
    this.#heldBytes -= size
    this.#held = this.#heldBytes > 0 ? [held.subarray(size)] : []
    return held.subarray(0, size)
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
