import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('holds the last that were set, each with its last value', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer())),
      (most, entries) => {
        const map = new BoundedMap<number, number>(most)
        for (const [key, value] of entries) map.set(key, value)
        const wanted = new Map<number, number>()
        for (const [key, value] of entries.toReversed())
          if (wanted.size < most && !wanted.has(key)) wanted.set(key, value)
        expect([...map]).toEqual([...wanted].reverse())
      },
    ),
  )
})
