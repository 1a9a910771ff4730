import { setImmediate as pause } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import { decodeLz4Frame } from './lz4.ts'

/** The two files of the Xet protocol, as facts traced them: little-endian, every length checked before it is used. */

export const largestXorbBytes = 66 * 1024 * 1024
export const largestShardBytes = 64 * 1024 * 1024

/** Before every chunk. */
export const chunkHeaderBytes = 8
const largestChunkBytes = 128 * 1024
const mostChunks = 65_536
const mostFiles = 100_000
const mostTerms = 1_000_000
const recordBytes = 48
/** So many are read before others have their turn. */
const recordsAtOnce = 1000

const malformed = (what: string, why: string): ServiceError =>
  new ServiceError('malformed_request', `The ${what} is damaged: ${why}. Start the push again.`)

export interface ChunkPlace {
  start: number
  compressedBytes: number
  type: number
  rawBytes: number
}

export interface XorbScan {
  take(piece: Uint8Array): void
  /** Where the chunks lie, once all pieces were taken; nowhere where it was only checked. */
  finish(): ChunkPlace[]
}

/** Checks the chunks of a xorb while its bytes go by, in pieces of any size, and holds no more of them than one header. */
export function createXorbScan({ isOnlyCheck = false } = {}): XorbScan {
  const chunks: ChunkPlace[] = []
  let chunkCount = 0
  const header = Buffer.alloc(chunkHeaderBytes)
  let [headerBytes, leftOfChunk, at] = [0, 0, 0]
  let isFooter = false
  const take = (piece: Uint8Array): void => {
    for (let taken = 0; taken < piece.length && !isFooter; ) {
      const step = Math.min(leftOfChunk || chunkHeaderBytes - headerBytes, piece.length - taken)
      if (leftOfChunk > 0) leftOfChunk -= step
      else {
        header.set(piece.subarray(taken, taken + step), headerBytes)
        headerBytes += step
      }
      taken += step
      at += step
      if (headerBytes < chunkHeaderBytes) continue
      headerBytes = 0
      // A footer that some clients append begins with its own name.
      isFooter = header[0] !== 0 && chunkCount > 0
      if (isFooter) return
      const chunk = readChunkHeader(header, at)
      if (!isOnlyCheck) chunks.push(chunk)
      if (++chunkCount > mostChunks) throw malformed('xorb', 'it has too many chunks')
      leftOfChunk = chunk.compressedBytes
    }
  }
  return {
    take,
    finish() {
      if (headerBytes > 0) throw malformed('xorb', 'a chunk is cut off')
      if (leftOfChunk > 0) throw malformed('xorb', 'a chunk runs past its end')
      return chunks
    },
  }
}

function readChunkHeader(header: Buffer, start: number): ChunkPlace {
  const [version, compressedBytes, type, rawBytes] = [
    header.readUInt8(0),
    header.readUIntLE(1, 3),
    header.readUInt8(4),
    header.readUIntLE(5, 3),
  ]
  if (version !== 0) throw malformed('xorb', 'its first chunk has an unknown version')
  if (rawBytes > largestChunkBytes || type > 2) throw malformed('xorb', 'a chunk is too large or of an unknown kind')
  if (compressedBytes === 0) throw malformed('xorb', 'a chunk is empty')
  // What is read for a file is bounded by its size this way: no chunk costs much more than it gives.
  if (rawBytes === 0 || compressedBytes > 2 * rawBytes + 64) throw malformed('xorb', 'a chunk has grown by compression')
  return { start, compressedBytes, type, rawBytes }
}

/** `stored` begins with the chunk. */
export function decodeChunk(stored: Uint8Array, { compressedBytes, type, rawBytes }: ChunkPlace): Uint8Array {
  const bytes = stored.subarray(0, compressedBytes)
  if (type === 0) {
    if (compressedBytes !== rawBytes) throw malformed('xorb', 'a stored chunk has two sizes')
    return bytes
  }
  const raw = decodeLz4Frame(bytes, rawBytes)
  return type === 1 ? raw : ungroupBytes(raw)
}

/** The four bytes of each word were stored in four groups. */
function ungroupBytes(grouped: Uint8Array): Uint8Array {
  const raw = new Uint8Array(grouped.length)
  let at = 0
  for (let group = 0; group < 4; group++) {
    for (let target = group; target < raw.length; target += 4) raw[target] = grouped[at++] as number
  }
  return raw
}

export interface ShardTerm {
  xorb: string
  rawBytes: number
  firstChunk: number
  endChunk: number
}

export interface ShardFile {
  sha256: string
  terms: ShardTerm[]
}

/** The files that a shard describes; its list of xorbs is not needed. */
export async function readShard(shard: Buffer): Promise<ShardFile[]> {
  if (shard.length < recordBytes || shard.toString('latin1', 0, 14) !== 'HFRepoMetaData')
    throw malformed('shard', 'it does not start with the expected bytes')
  const files: ShardFile[] = []
  let at = recordBytes
  let termCount = 0
  const take = (): Buffer => {
    const record = shard.subarray(at, at + recordBytes)
    if (record.length < recordBytes) throw malformed('shard', 'it is cut off')
    at += recordBytes
    return record
  }
  for (;;) {
    const head = take()
    if (files.length % recordsAtOnce === 0) await pause()
    if (head.subarray(0, 32).every((byte) => byte === 0xff)) return files
    const [flags, count] = [head.readUInt32LE(32), head.readUInt32LE(36)]
    termCount += count
    if (files.length >= mostFiles || termCount > mostTerms) throw malformed('shard', 'it lists too many entries')
    const terms: ShardTerm[] = []
    for (let index = 0; index < count; index++) {
      const term = take()
      if (index % recordsAtOnce === 0) await pause()
      const [rawBytes, firstChunk, endChunk] = [term.readUInt32LE(36), term.readUInt32LE(40), term.readUInt32LE(44)]
      if (endChunk <= firstChunk) throw malformed('shard', 'a range of chunks is empty')
      terms.push({ xorb: printHash(term), rawBytes, firstChunk, endChunk })
    }
    if (flags >>> 31 === 1) at += count * recordBytes
    if (((flags >>> 30) & 1) === 0) throw malformed('shard', 'a file comes without its sha256')
    files.push({ sha256: printHash(take()), terms })
  }
}

/** Hashes are printed as four words, not byte by byte. */
function printHash(bytes: Buffer): string {
  return [0, 8, 16, 24].map((offset) => bytes.readBigUInt64LE(offset).toString(16).padStart(16, '0')).join('')
}
