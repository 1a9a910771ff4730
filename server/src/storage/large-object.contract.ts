import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ObjectStorage } from './storage.ts'

const MiB = 1024 * 1024
const maxGrowthBytes = 200 * MiB
const rangeBytes = 48 * MiB + 1

/** Block `index` holds its own number all over, so that every byte tells where it belongs. */
const fillBlock = (block: Buffer, index: number): Buffer => {
  const words = new Uint32Array(block.buffer, block.byteOffset, block.byteLength / 4)
  for (let word = 0; word < words.length; word++) words[word] = Math.imul(index + 1, 2654435761) + word
  return block
}

export const describeLargeObject = (getStorage: () => ObjectStorage, sizeBytes: number): void => {
  describe(`an object of ${(sizeBytes / MiB / 1024).toFixed(2)} GiB`, () => {
    test('is written and read by ranges in flat memory', { timeout: 1_200_000 }, async () => {
      const storage = getStorage()
      const hash = createHash('sha256')
      const startBytes = process.memoryUsage().rss
      let peakBytes = startBytes
      const watch = setInterval(() => {
        peakBytes = Math.max(peakBytes, process.memoryUsage().rss)
      }, 50)
      try {
        const block = Buffer.alloc(MiB)
        async function* generate(): AsyncGenerator<Buffer> {
          for (let index = 0; index * MiB < sizeBytes; index++) {
            const bytes = fillBlock(block, index).subarray(0, sizeBytes - index * MiB)
            hash.update(bytes)
            yield bytes
          }
        }
        const written = await storage.putObject('large/x', generate())
        expect(written).toMatchObject({ sizeBytes, sha256: hash.digest('hex') })

        const readBack = createHash('sha256')
        for (let start = 0; start < sizeBytes; start += rangeBytes) {
          const { body } = await storage.getObject('large/x', { range: { start, end: start + rangeBytes } })
          for await (const chunk of body) readBack.update(chunk)
        }
        expect(readBack.digest('hex')).toBe(written.sha256)
      } finally {
        clearInterval(watch)
        await storage.deleteObject('large/x')
      }
      expect((peakBytes - startBytes) / MiB).toBeLessThan(maxGrowthBytes / MiB)
    })
  })
}
