import { createHash, randomBytes } from 'node:crypto'

/** Files as a client of the Xet generation sends them: chunks in a xorb, and a shard that puts a file together from them. */

/** One chunk as it is. */
export const storeChunk = (raw: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUIntLE(raw.length, 1, 3)
  head.writeUIntLE(raw.length, 5, 3)
  return Buffer.concat([head, raw])
}
/** As the store prints hashes, backwards: four words of eight bytes. */
const wordsOf = (hex: string): Buffer => {
  const bytes = Buffer.alloc(32)
  for (let word = 0; word < 4; word++)
    bytes.writeBigUInt64LE(BigInt(`0x${hex.slice(word * 16, word * 16 + 16)}`), word * 8)
  return bytes
}
interface Term {
  xorb: string
  rawBytes: number
  firstChunk: number
  endChunk: number
}
export const makeShardOf = (sha256: string, terms: readonly Term[]): Buffer => {
  const record = (...parts: [Buffer, ...number[]]) => {
    const bytes = Buffer.alloc(48)
    parts[0].copy(bytes)
    parts.slice(1).forEach((value, index) => void bytes.writeUInt32LE(value as number, 32 + 4 * index))
    return bytes
  }
  return Buffer.concat([
    record(Buffer.from('HFRepoMetaData')),
    record(Buffer.alloc(32), 0x40000000, terms.length),
    ...terms.map(({ xorb, rawBytes, firstChunk, endChunk }) =>
      record(wordsOf(xorb), 0, rawBytes, firstChunk, endChunk),
    ),
    record(wordsOf(sha256)),
    record(Buffer.alloc(32, 0xff)),
  ])
}
export const makeShard = (xorb: string, sha256: string, rawBytes: number, endChunk = 1): Buffer =>
  makeShardOf(sha256, [{ xorb, rawBytes, firstChunk: 0, endChunk }])

const chunkBytes = 128 * 1024

/** Sends one content to the store of a push, without a client's library. */
export async function sendByXet(cas: { casUrl: string; accessToken: string }, content: Buffer): Promise<void> {
  const chunks: Buffer[] = []
  for (let at = 0; at < content.length; at += chunkBytes) chunks.push(storeChunk(content.subarray(at, at + chunkBytes)))
  const xorb = randomBytes(32).toString('hex')
  const sha256 = createHash('sha256').update(content).digest('hex')
  for (const [path, bytes] of [
    [`/v1/xorbs/default/${xorb}`, Buffer.concat(chunks)],
    ['/v1/shards', makeShard(xorb, sha256, content.length, chunks.length)],
  ] as const) {
    const headers = { authorization: `Bearer ${cas.accessToken}` }
    const { status } = await fetch(cas.casUrl + path, { method: 'POST', headers, body: new Uint8Array(bytes) })
    if (status !== 200) throw new Error(`${path} was answered by ${status}`)
  }
}
