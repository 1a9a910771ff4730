import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendCrc32 } from './append-crc32.ts'

test('of two parts it is that of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 70_000 }), (first, last) => {
      expect(appendCrc32(crc32(first), crc32(last), last.length)).toBe(crc32(Buffer.concat([first, last])))
    }),
  )
})
