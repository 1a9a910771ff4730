import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  composeKept,
  countBefore,
  countKept,
  type FrameRange,
  intersectKept,
  invertKept,
  type KeptRanges,
  listKept,
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
        expect(countBefore(one, frame)).toBe(first.filter((entry) => entry < frame).length)
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
      }),
    )
  })
})
