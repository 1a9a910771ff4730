import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  composeKept,
  countAtRate,
  countBefore,
  countKept,
  countWithin,
  createCountBefore,
  type FrameRange,
  intersectKept,
  invertKept,
  type KeptRanges,
  listKept,
  pickAtRate,
} from './frame-ranges.ts'

const length = 40
const frames = Array.from({ length }, (_, frame) => frame)
/** Any set of frames, as ranges. */
const kept = fc.uniqueArray(fc.integer({ min: 0, max: length - 1 })).map((chosen): FrameRange[] => {
  const ranges: FrameRange[] = []
  for (const frame of chosen.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === frame) ranges[ranges.length - 1] = [last[0], frame + 1]
    else ranges.push([frame, frame + 1])
  }
  return ranges
})
const list = (ranges: KeptRanges): number[] => Array.from(listKept(ranges))

describe('ranges of frames are sets of frames', () => {
  test('counted, intersected and inverted', () => {
    fc.assert(
      fc.property(kept, kept, fc.nat(length), (one, other, frame) => {
        const [first, second] = [list(one), list(other)]
        expect(countKept(one)).toBe(first.length)
        const before = first.filter((entry) => entry < frame).length
        expect([countBefore(one, frame), createCountBefore(one)(frame)]).toEqual([before, before])
        expect(list(intersectKept(one, other))).toEqual(first.filter((entry) => second.includes(entry)))
        expect(list(invertKept(one, length))).toEqual(frames.filter((entry) => !first.includes(entry)))
      }),
    )
  })

  test('one after the other, the second in numbers of the first', () => {
    fc.assert(
      fc.property(kept, kept, (outer, inner) => {
        const left = list(outer)
        const wanted = list(inner).flatMap((frame) => left[frame] ?? [])
        const within = intersectKept(inner, [[0, left.length]])
        const composed = composeKept(outer, within)
        expect(list(composed)).toEqual(wanted)
        for (const [place, [from, to]] of composed.entries()) {
          expect(to).toBeGreaterThan(from)
          expect(from).toBeGreaterThan(place > 0 ? (composed[place - 1]?.[1] ?? 0) : -1)
        }
        expect(countWithin(outer, composed)).toEqual(within)
      }),
    )
  })
})

describe('a lower rate', () => {
  test('takes the frame that is nearest in time, the earlier of two, and as many as it counts', () => {
    const rates = fc.constantFrom(1, 5, 7.5, 10, 15, 20, 24, 25, 29.97, 30, 50, 59.94, 60)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), rates, rates, (count, one, other) => {
        const [fps, rate] = [Math.max(one, other), Math.min(one, other)]
        const picked = list(pickAtRate(count, fps, rate))
        expect(picked).toHaveLength(countAtRate(count, fps, rate))
        for (const [place, frame] of picked.entries()) {
          const distances = Array.from({ length: count + 1 }, (_, at) => Math.abs((place * fps) / rate - at))
          const nearest = distances.findIndex((distance) => distance <= Math.min(...distances) + 1e-9)
          expect(frame).toBe(nearest)
        }
        expect((picked.length * fps) / rate).toBeGreaterThan(count - 0.5 - 1e-6)
      }),
    )
  })

  test('that is a divisor takes every n-th', () => {
    expect(list(pickAtRate(10, 30, 10))).toEqual([0, 3, 6, 9])
    expect(list(pickAtRate(9, 30, 10))).toEqual([0, 3, 6])
    expect(list(pickAtRate(7, 30, 20))).toEqual([0, 1, 3, 4, 6])
  })
})
