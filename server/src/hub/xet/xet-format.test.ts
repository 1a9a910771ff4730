import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isLongRun } from '../../../../fixtures/test-where.ts'
import { ServiceError } from '../../errors.ts'
import { type ChunkPlace, createXorbScan, decodeChunk as decode, readShard } from './xet-format.ts'

/** One xorb and one shard that hf_xet 1.8.0 sent for two files. */
const golden = (name: string) => readFileSync(new URL(`../../../test/golden/xet/${name}`, import.meta.url))
const [xorb, shard] = [golden('xorb.bin'), golden('shard.bin')]
const mostRawBytes = 128 * 1024

const indexXorb = (bytes: Uint8Array, pieceBytes = bytes.length): ChunkPlace[] => {
  const scan = createXorbScan()
  for (let start = 0; start < bytes.length; start += pieceBytes) scan.take(bytes.subarray(start, start + pieceBytes))
  return scan.finish()
}
const decodeChunk = (bytes: Uint8Array, chunk: ChunkPlace) => decode(bytes.subarray(chunk.start), chunk)

test('what hf_xet sends is put together again', async () => {
  const chunks = indexXorb(xorb)
  const files = await readShard(shard)
  expect(files).toHaveLength(2)
  for (const { sha256, terms } of files) {
    const parts = terms.flatMap(({ firstChunk, endChunk }) =>
      chunks.slice(firstChunk, endChunk).map((chunk) => decodeChunk(xorb, chunk)),
    )
    expect(createHash('sha256').update(Buffer.concat(parts)).digest('hex')).toBe(sha256)
  }
})

test('however a xorb arrives, its chunks are found at the same places', () => {
  const whole = indexXorb(xorb)
  expect(whole.length).toBeGreaterThan(1)
  for (const pieceBytes of [1, 3, 7, 8, 9, 4096, 65_536]) expect(indexXorb(xorb, pieceBytes)).toEqual(whole)
  const withFooter = Buffer.concat([xorb, Buffer.from('XETBLOB and what follows it')])
  for (const pieceBytes of [1, 8, withFooter.length]) expect(indexXorb(withFooter, pieceBytes)).toEqual(whole)
})

/** What is damaged is refused in our words, or gives other bytes within the bounds; nothing else may happen. */
function decodeDamaged(bytes: Uint8Array): 'refused' | 'other' {
  try {
    for (const chunk of indexXorb(bytes)) {
      const raw = decodeChunk(bytes, chunk)
      if (raw.length > mostRawBytes || raw.length !== chunk.rawBytes) throw new Error('the bounds do not hold')
    }
    return 'other'
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'malformed_request') return 'refused'
    throw error
  }
}

async function readDamaged(bytes: Buffer): Promise<'refused' | 'other'> {
  try {
    await readShard(bytes)
    return 'other'
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'malformed_request') return 'refused'
    throw error
  }
}

/** The same every time: a case that fails once fails again. */
function* drawNumbers(count: number, below: number): Generator<number> {
  let seed = 12345
  for (let drawn = 0; drawn < count; drawn++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    yield Math.floor((seed / 2 ** 32) * below)
  }
}

const flip = (bytes: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

test('a xorb that is cut anywhere else than between chunks is refused', () => {
  const ends = new Set(indexXorb(xorb).map(({ start, compressedBytes }) => start + compressedBytes))
  for (const length of [...Array.from({ length: 40 }, (_, at) => at + 1), ...drawNumbers(1500, xorb.length)])
    if (length > 0 && !ends.has(length)) expect(decodeDamaged(xorb.subarray(0, length)), String(length)).toBe('refused')
})

test('bits flipped in a xorb never lead out of the bounds', () => {
  const seen = new Map<string, number>()
  for (const bit of drawNumbers(isLongRun ? 3000 : 600, xorb.length * 8)) {
    const outcome = decodeDamaged(flip(xorb, bit))
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
  }
  expect([...seen.keys()].sort()).toEqual(['other', 'refused'])
})

test('a shard that is cut is refused, and flipped bits never lead out of the bounds', async () => {
  const files = await readShard(shard)
  const end = 48 + files.reduce((sum, { terms }) => sum + 48 * (2 + 2 * terms.length), 0) + 48
  for (let length = 0; length < end; length++) expect(await readDamaged(shard.subarray(0, length))).toBe('refused')
  for (let bit = 0; bit < shard.length * 8; bit++) await readDamaged(flip(shard, bit))
})
