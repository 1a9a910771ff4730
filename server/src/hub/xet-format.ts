import { ServiceError } from '../errors.ts'
import { decodeLz4Frame } from './lz4.ts'

/** The two files of the Xet protocol, as facts traced them: little-endian, every length checked before it is used. */

export const largestXorbBytes = 66 * 1024 * 1024
export const largestShardBytes = 64 * 1024 * 1024

const largestChunkBytes = 128 * 1024
const mostChunks = 65_536
const mostFiles = 100_000
const mostTerms = 1_000_000
const recordBytes = 48

const malformed = (what: string, why: string): ServiceError =>
  new ServiceError('malformed_request', `The ${what} is damaged: ${why}. Start the push again.`)

export interface ChunkPlace {
  start: number
  compressedBytes: number
  type: number
  rawBytes: number
}

/** Where the chunks of a xorb lie. */
export function indexXorb(xorb: Uint8Array): ChunkPlace[] {
  const chunks: ChunkPlace[] = []
  for (let at = 0; at < xorb.length; ) {
    if (at + 8 > xorb.length) throw malformed('xorb', 'a chunk is cut off')
    const read24 = (offset: number) =>
      (xorb[offset] as number) | ((xorb[offset + 1] as number) << 8) | ((xorb[offset + 2] as number) << 16)
    const [version, compressedBytes, type, rawBytes] = [
      xorb[at],
      read24(at + 1),
      xorb[at + 4] as number,
      read24(at + 5),
    ]
    if (version !== 0) {
      // A footer that some clients append begins with its own name.
      if (chunks.length > 0) return chunks
      throw malformed('xorb', 'its first chunk has an unknown version')
    }
    const start = at + 8
    if (start + compressedBytes > xorb.length) throw malformed('xorb', 'a chunk runs past its end')
    if (rawBytes > largestChunkBytes || type > 2) throw malformed('xorb', 'a chunk is too large or of an unknown kind')
    // What is read for a file is bounded by its size this way: no chunk costs much more than it gives.
    if (rawBytes === 0 || compressedBytes > 2 * rawBytes + 64)
      throw malformed('xorb', 'a chunk has grown by compression')
    chunks.push({ start, compressedBytes, type, rawBytes })
    if (chunks.length > mostChunks) throw malformed('xorb', 'it has too many chunks')
    at = start + compressedBytes
  }
  return chunks
}

/** `bytes` begin at `offset` of the xorb. */
export function decodeChunk(
  bytes: Uint8Array,
  { start, compressedBytes, type, rawBytes }: ChunkPlace,
  offset = 0,
): Uint8Array {
  const stored = bytes.subarray(start - offset, start - offset + compressedBytes)
  if (type === 0) {
    if (compressedBytes !== rawBytes) throw malformed('xorb', 'a stored chunk has two sizes')
    return stored
  }
  const raw = decodeLz4Frame(stored, rawBytes)
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
export function readShard(shard: Buffer): ShardFile[] {
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
    if (head.subarray(0, 32).every((byte) => byte === 0xff)) return files
    const [flags, count] = [head.readUInt32LE(32), head.readUInt32LE(36)]
    termCount += count
    if (files.length >= mostFiles || termCount > mostTerms) throw malformed('shard', 'it lists too many entries')
    const terms: ShardTerm[] = []
    for (let index = 0; index < count; index++) {
      const term = take()
      const [rawBytes, firstChunk, endChunk] = [term.readUInt32LE(36), term.readUInt32LE(40), term.readUInt32LE(44)]
      if (endChunk <= firstChunk) throw malformed('shard', 'a range of chunks is empty')
      terms.push({ xorb: printHash(term), rawBytes, firstChunk, endChunk })
    }
    if (flags >>> 31 === 1) for (let index = 0; index < count; index++) take()
    if (((flags >>> 30) & 1) === 0) throw malformed('shard', 'a file comes without its sha256')
    files.push({ sha256: printHash(take()), terms })
  }
}

/** Hashes are printed as four words, not byte by byte. */
function printHash(bytes: Buffer): string {
  return [0, 8, 16, 24].map((offset) => bytes.readBigUInt64LE(offset).toString(16).padStart(16, '0')).join('')
}
