const wide = 2 ** 32
const lengthDelimited = 2
const fewBytes = 128

/** Memory that records are written into one behind the other: it grows to what it has to hold, and is used again. Numbers are little-endian. */
export class RecordBytes {
  #memory: Buffer
  #length = 0

  constructor(sizeBytes: number) {
    this.#memory = Buffer.allocUnsafeSlow(sizeBytes)
  }

  get length(): number {
    return this.#length
  }

  /** What was written lies at its beginning. */
  get memory(): Uint8Array {
    return this.#memory
  }

  /** What was written; the memory stays this object's. */
  slice(start = 0, end = this.#length): Uint8Array {
    return this.#memory.subarray(start, end)
  }

  reset(): void {
    this.#length = 0
  }

  putByte(value: number): void {
    this.#memory[this.#take(1)] = value
  }

  putUint16(value: number): void {
    const at = this.#take(2)
    this.#memory.writeUInt16LE(value, at)
  }

  putUint32(value: number): void {
    const at = this.#take(4)
    this.#memory.writeUInt32LE(value, at)
  }

  putUint64(value: number): void {
    this.setUint64(this.#take(8), value)
  }

  /** In the place of eight bytes that are there: the size of what followed them. */
  setUint64(at: number, value: number): void {
    this.#memory.writeUInt32LE(value % wide, at)
    this.#memory.writeUInt32LE(Math.floor(value / wide), at + 4)
  }

  putBytes(bytes: Uint8Array): void {
    const at = this.#take(bytes.length)
    this.#memory.set(bytes, at)
  }

  /** Some of them; a few are copied one by one, which is sooner done than a view of them is made. */
  putPart(bytes: Uint8Array, start: number, sizeBytes: number): void {
    if (sizeBytes > fewBytes) {
      this.putBytes(bytes.subarray(start, start + sizeBytes))
      return
    }
    const at = this.#take(sizeBytes)
    const memory = this.#memory
    for (let index = 0; index < sizeBytes; index++) memory[at + index] = bytes[start + index] as number
  }

  /** As MCAP writes texts: their length before them. */
  putText(value: string): void {
    const bytes = Buffer.from(value)
    this.putUint32(bytes.length)
    this.putBytes(bytes)
  }

  /** As Protocol Buffers write numbers below 2 ** 53. */
  putVarint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.putByte((rest % 128) | 0x80)
    this.putByte(rest)
  }

  /** Tag and length of a field of Protocol Buffers whose bytes follow. */
  putHead(field: number, sizeBytes: number): void {
    this.putVarint((field << 3) | lengthDelimited)
    this.putVarint(sizeBytes)
  }

  #take(sizeBytes: number): number {
    const at = this.#length
    this.#length += sizeBytes
    if (this.#length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * this.#memory.length))
      larger.set(this.#memory.subarray(0, at))
      this.#memory = larger
    }
    return at
  }
}
