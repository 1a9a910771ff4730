import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { hashSha256 } from './sha256.ts'

const { subtle } = globalThis.crypto
afterEach(() => vi.unstubAllGlobals())

// Around the ends of a block, where the padding takes another one.
const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 50, maxLength: 140 }))

test('on plain http, where the browser has no SHA-256, the digest is the one that it would have made', async () => {
  vi.stubGlobal('crypto', {})
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const expected = await subtle.digest('SHA-256', new TextEncoder().encode(text))
      expect(hashSha256(text)).toEqual(new Uint8Array(expected))
    }),
  )
})

test('it is the digest that the standard gives for abc', () => {
  expect(hashSha256('abc').slice(0, 4)).toEqual(Uint8Array.of(0xba, 0x78, 0x16, 0xbf))
})
