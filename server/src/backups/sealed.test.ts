import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seal, UnsealError, unseal } from './sealed.ts'

const key = randomBytes(32)
const pieceBytes = 256 * 1024
const sealedPieceBytes = pieceBytes + 16
const headBytes = 13 + 32

const sealAll = (bytes: Buffer): Promise<Buffer> => buffer(seal(key, 'blobs/a', Readable.from([bytes])))
const openAll = (bytes: Buffer, name = 'blobs/a', otherKey = key): Promise<Buffer> =>
  buffer(unseal(otherKey, name, Readable.from(bytes.length > 0 ? [bytes] : [])))

describe('a sealed file', () => {
  test('opens to what was sealed, whatever its size and the chunks it comes in', async () => {
    for (const size of [0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes]) {
      const bytes = randomBytes(size)
      const sealed = await sealAll(bytes)
      expect((await openAll(sealed)).equals(bytes), `${size} bytes`).toBe(true)
      const dribble = Readable.from(
        Array.from({ length: Math.ceil(sealed.length / 77_777) }, (_, index) =>
          sealed.subarray(index * 77_777, (index + 1) * 77_777),
        ),
      )
      expect((await buffer(unseal(key, 'blobs/a', dribble))).equals(bytes)).toBe(true)
    }
  })

  test('does not open when a bit of it was turned or its end cut off, anywhere', async () => {
    const sealed = await sealAll(randomBytes(2 * pieceBytes + 5_000))
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (place, bit) => {
        const turned = Buffer.from(sealed)
        turned[place] = (turned[place] ?? 0) ^ (1 << bit)
        await expect(openAll(turned)).rejects.toThrow(UnsealError)
        await expect(openAll(sealed.subarray(0, place))).rejects.toThrow(UnsealError)
      }),
      { numRuns: 40 },
    )
    for (const end of [headBytes, headBytes + sealedPieceBytes, headBytes + 2 * sealedPieceBytes])
      await expect(openAll(sealed.subarray(0, end)), `cut at ${end}`).rejects.toThrow(UnsealError)
  })

  test('does not open with its pieces in another order, doubled or added to', async () => {
    const sealed = await sealAll(randomBytes(3 * pieceBytes))
    const head = sealed.subarray(0, headBytes)
    const [one, two, three] = [0, 1, 2].map((index) =>
      sealed.subarray(headBytes + index * sealedPieceBytes, headBytes + (index + 1) * sealedPieceBytes),
    ) as [Buffer, Buffer, Buffer]
    for (const pieces of [[two, one, three], [one, one, three], [one, three], [one, two, three, three], [three]])
      await expect(openAll(Buffer.concat([head, ...pieces]))).rejects.toThrow(UnsealError)
  })

  test('does not open with another key or in the place of another file', async () => {
    const sealed = await sealAll(Buffer.from('the log of Monday'))
    await expect(openAll(sealed, 'blobs/b')).rejects.toThrow(UnsealError)
    await expect(openAll(sealed, 'blobs/a', randomBytes(32))).rejects.toThrow(UnsealError)
  })
})
