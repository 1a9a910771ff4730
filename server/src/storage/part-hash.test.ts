import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPartHash } from './part-hash.ts'
import { gatherParts } from './part-stream.ts'

const MiB = 1024 * 1024

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += 100_000) yield bytes.subarray(start, start + 100_000)
}

test.each([
  ['nothing', 0],
  ['one small part', 10],
  ['one part of a mebibyte', MiB],
  ['one that is a little larger', MiB + 1],
  ['one whole part', 4 * MiB],
  ['a small last part', 8 * MiB + 5],
  ['a large last part', 11 * MiB],
])('%s has the sha256 of its bytes, and parts are given as they are', async (_, sizeBytes) => {
  const bytes = randomBytes(sizeBytes)
  await using hash = openPartHash()
  const parts: Buffer[] = []
  for await (const part of gatherParts(inPieces(bytes), () => 4 * MiB)) {
    await hash.update(part)
    parts.push(part)
  }
  expect(await hash.digest()).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
})
