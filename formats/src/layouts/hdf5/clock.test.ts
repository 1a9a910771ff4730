import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRate } from './clock.ts'

/** A clock that ticks at `rate` Hz, each tick up to `jitter` of a frame early or late, with a pause here and there. */
function makeClock(rate: number, offsets: readonly number[], pauses: readonly number[] = []): Float64Array {
  let waited = 0
  return Float64Array.from(offsets, (offset, frame) => {
    if (pauses.includes(frame)) waited += 1
    return 1_700_000_000 + waited + (frame + offset) / rate
  })
}

test('thirty-three frames at 49.9 Hz are recorded at 50', () => {
  // Sixteen steps a little longer, sixteen a little shorter: the upper of the two in the middle would say 49.
  const offsets = Array.from({ length: 33 }, (_, frame) => (frame % 2 ? 0.01 : 0))
  expect(findRate(makeClock(49.9, offsets), 'clock')?.value).toBe(50)
})

test('jitter and pauses do not change the rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 100 }),
      fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { minLength: 60, maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 59 }), { maxLength: 3 }),
      (rate, offsets, pauses) => {
        expect(findRate(makeClock(rate, offsets, pauses), 'clock')?.value).toBe(rate)
      },
    ),
  )
})
