import { type FileHandle, open } from 'node:fs/promises'
import { crc32, zstdCompressSync } from 'node:zlib'
import { McapRecordBuilder, type McapTypes } from '@mcap/core'
import { writeAllOf } from '../../containers/write-all.ts'
import { appendCrc32 } from './append-crc32.ts'
import { RecordBytes } from './record-bytes.ts'
import type { MessageSchema } from './schemas.ts'
import { writeSummary } from './summary.ts'

export type Compression = 'none' | 'zstd'

export interface Topic {
  readonly topic: string
  readonly schema: MessageSchema
  /** Of the channel: what the schema cannot say. */
  readonly metadata: Readonly<Record<string, string>>
}

/** A topic of the file, and where its messages of this chunk are. */
interface OpenChannel {
  readonly described: McapTypes.Channel
  messageCount: number
  readonly times: number[]
  readonly offsets: number[]
}

const chunkBytes = 1024 * 1024
/** Numbers of the records that are written here. */
const [messageCode, chunkCode, messageIndexCode] = [0x05, 0x06, 0x07]

/** Memory of a chunk that is filled and of one that is written meanwhile, for one file after the other. */
export type ChunkMemory = [RecordBytes, RecordBytes]

export const createChunkMemory = (): ChunkMemory => [new RecordBytes(2 * chunkBytes), new RecordBytes(2 * chunkBytes)]

/**
 * One MCAP file: chunked, indexed, with checksums. Records are those of @mcap/core's builder; messages and chunks are written here,
 * because its writer took 20 times as long as copying the bytes: it copies each message four times and has its checksums in JavaScript.
 */
export class EpisodeFile {
  readonly #handle: FileHandle
  readonly #compression: Compression
  readonly #records = new McapRecordBuilder()
  readonly #head = new RecordBytes(64)
  readonly #schemas = new Map<string, McapTypes.Schema>()
  readonly #channels: OpenChannel[] = []
  readonly #chunks: McapTypes.ChunkIndex[] = []
  readonly #metadata: McapTypes.MetadataIndex[] = []
  #chunk: RecordBytes
  #other: RecordBytes
  #writing: Promise<void> = Promise.resolve()
  #isChunkEmpty = true
  #startTime = 0
  #endTime = 0
  #sizeAt = 0
  #waiting: Uint8Array[] = []
  #sizeBytes = 0
  #writtenBytes = 0
  #crc = 0

  private constructor(handle: FileHandle, compression: Compression, [chunk, other]: ChunkMemory) {
    this.#handle = handle
    this.#compression = compression
    this.#chunk = chunk
    this.#other = other
    chunk.reset()
  }

  static async open(path: string, compression: Compression, memory: ChunkMemory): Promise<EpisodeFile> {
    const file = new EpisodeFile(await open(path, 'wx'), compression, memory)
    file.#records.writeMagic()
    file.#records.writeHeader({ profile: '', library: 'nmp' })
    file.#takeRecords()
    return file
  }

  /** Comes before every message. */
  addMetadata(name: string, facts: Readonly<Record<string, string>>): void {
    const offset = BigInt(this.#sizeBytes)
    const length = this.#records.writeMetadata({ name, metadata: new Map(Object.entries(facts)) })
    this.#metadata.push({ name, offset, length })
    this.#takeRecords()
  }

  /** The number that `begin` takes. All topics are told before the first message. */
  addTopic({ topic, schema, metadata }: Topic): number {
    const { name, data } = schema
    const known = this.#schemas.get(name)
    const described = known ?? { id: this.#schemas.size + 1, name, encoding: 'protobuf', data }
    this.#schemas.set(name, described)
    if (!known) this.#records.writeSchema(described)
    const channel: McapTypes.Channel = {
      ...{ id: this.#channels.length, schemaId: described.id, topic, messageEncoding: 'protobuf' },
      metadata: new Map(Object.entries(metadata)),
    }
    this.#records.writeChannel(channel)
    this.#channels.push({ described: channel, messageCount: 0, times: [], offsets: [] })
    this.#chunk.putBytes(this.#records.buffer)
    this.#records.reset()
    return channel.id
  }

  /** Begins a message, whose fields are put into what it gives until `end`. Times, in nanoseconds, never go back. */
  begin(channelId: number, nanoseconds: number): RecordBytes {
    const chunk = this.#chunk
    const channel = this.#channels[channelId] as OpenChannel
    if (this.#isChunkEmpty) this.#startTime = nanoseconds
    this.#isChunkEmpty = false
    this.#endTime = nanoseconds
    channel.times.push(nanoseconds)
    channel.offsets.push(chunk.length)
    chunk.putByte(messageCode)
    this.#sizeAt = chunk.length
    chunk.putUint64(0)
    chunk.putUint16(channelId)
    chunk.putUint32(channel.messageCount++)
    chunk.putUint64(nanoseconds)
    chunk.putUint64(nanoseconds)
    return chunk
  }

  end(): void {
    this.#chunk.setUint64(this.#sizeAt, this.#chunk.length - this.#sizeAt - 8)
  }

  /** Asked after the messages of a time. */
  get isChunkFull(): boolean {
    return this.#chunk.length >= chunkBytes
  }

  /** Its size in bytes. */
  async finish(): Promise<number> {
    await this.endChunk()
    await this.#writing
    this.#records.writeDataEnd({ dataSectionCrc: this.#crc })
    this.#takeRecords()
    writeSummary(this.#records, this.#sizeBytes, {
      schemas: [...this.#schemas.values()],
      channels: this.#channels.map(({ described, messageCount }) => ({ ...described, messageCount })),
      metadata: this.#metadata,
      chunks: this.#chunks,
    })
    this.#takeRecords()
    await this.#write([])
    return this.#sizeBytes
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {})
    await this.#handle.close()
  }

  /** It is written while the next one is filled; waits for the chunk before this one only, whose memory is the next one's. */
  async endChunk(): Promise<void> {
    await this.#writing
    const chunk = this.#chunk
    this.#chunk = this.#other
    this.#other = chunk
    this.#chunk.reset()
    this.#isChunkEmpty = true
    const recordBytes = chunk.length
    const places = this.#writeMessageIndexes(chunk)
    const records = chunk.slice(0, recordBytes)
    const data = this.#compression === 'zstd' ? zstdCompressSync(records) : records
    const name = this.#compression === 'zstd' ? 'zstd' : ''
    const recordsCrc = crc32(records)
    const head = this.#writeChunkHead(recordBytes, recordsCrc, data.length, name)
    const chunkStart = this.#sizeBytes
    const indexStart = chunkStart + head.length + data.length
    this.#chunks.push({
      messageStartTime: BigInt(this.#startTime),
      messageEndTime: BigInt(this.#endTime),
      chunkStartOffset: BigInt(chunkStart),
      chunkLength: BigInt(head.length + data.length),
      messageIndexOffsets: new Map(places.map(([id, at]) => [id, BigInt(indexStart + at - recordBytes)])),
      messageIndexLength: BigInt(chunk.length - recordBytes),
      ...{ compression: name, compressedSize: BigInt(data.length), uncompressedSize: BigInt(recordBytes) },
    })
    this.#crc = crc32(head, this.#crc)
    this.#crc = data === records ? appendCrc32(this.#crc, recordsCrc, recordBytes) : crc32(data, this.#crc)
    this.#crc = crc32(chunk.slice(recordBytes), this.#crc)
    this.#writing = this.#write(data === records ? [head, chunk.slice()] : [head, data, chunk.slice(recordBytes)])
    this.#writing.catch(() => {})
  }

  #writeChunkHead(recordBytes: number, recordsCrc: number, dataBytes: number, compression: string): Uint8Array {
    const head = this.#head
    head.reset()
    head.putByte(chunkCode)
    head.putUint64(0)
    head.putUint64(this.#startTime)
    head.putUint64(this.#endTime)
    head.putUint64(recordBytes)
    head.putUint32(recordsCrc)
    head.putText(compression)
    head.putUint64(dataBytes)
    head.setUint64(1, head.length - 9 + dataBytes)
    return head.slice()
  }

  /** Behind the records of the chunk: for every channel, when and where its messages are. */
  #writeMessageIndexes(chunk: RecordBytes): [channel: number, at: number][] {
    const places: [number, number][] = []
    for (const { described, times, offsets } of this.#channels) {
      if (times.length === 0) continue
      places.push([described.id, chunk.length])
      chunk.putByte(messageIndexCode)
      chunk.putUint64(6 + 16 * times.length)
      chunk.putUint16(described.id)
      chunk.putUint32(16 * times.length)
      for (const [message, time] of times.entries()) {
        chunk.putUint64(time)
        chunk.putUint64(offsets[message] as number)
      }
      times.length = 0
      offsets.length = 0
    }
    return places
  }

  /** Small as they are, they are written with the next chunk, or at the end. */
  #takeRecords(): void {
    const bytes = Uint8Array.from(this.#records.buffer)
    this.#records.reset()
    this.#crc = crc32(bytes, this.#crc)
    this.#waiting.push(bytes)
    this.#sizeBytes += bytes.length
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    const all = [...this.#waiting, ...pieces]
    this.#waiting = []
    for (const { length } of pieces) this.#sizeBytes += length
    const at = this.#writtenBytes
    this.#writtenBytes = this.#sizeBytes
    await writeAllOf(this.#handle, all, at)
  }
}
