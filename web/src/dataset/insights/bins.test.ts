import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeBins, medianOf, roundMarks } from './bins.ts'

/** Numbers so small that their sums are no longer exact are nothing that is measured. */
const measured = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => (Math.abs(value) < 1e-100 ? 0 : value))
const values = fc.array(measured, { minLength: 1, maxLength: 300 })
const wanted = fc.integer({ min: 1, max: 60 })

test('every episode is in one bin, and in the one that its value belongs to', () => {
  fc.assert(
    fc.property(values, wanted, (list, count) => {
      const { low, high, width, counts, places } = makeBins(list, count)
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(list.length)
      for (const [index, value] of list.entries()) {
        const place = places[index] ?? -1
        const slack = (high - low) * 1e-9
        expect(value).toBeGreaterThanOrEqual(low + place * width - slack)
        expect(value).toBeLessThanOrEqual(low + (place + 1) * width + slack)
      }
    }),
  )
})

test('no values, and values that are anyway, have bins too', () => {
  expect(makeBins([], 4)).toMatchObject({ low: 0, high: 1, counts: [0, 0, 0, 0] })
  expect(makeBins([5, 5, 5], 4).counts).toEqual([3, 0, 0, 0])
  expect(makeBins([0, 0], 4).counts).toEqual([2, 0, 0, 0])
  expect(makeBins([5e-324, 0], 4).counts).toEqual([1, 0, 0, 1])
})

test('marks are round, in order, inside the range, and few', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1000, max: 1000, noNaN: true }),
      fc.double({ min: 0.01, max: 5000, noNaN: true }),
      (low, span) => {
        const marks = roundMarks(low, low + span)
        expect(marks.length).toBeGreaterThanOrEqual(1)
        expect(marks.length).toBeLessThanOrEqual(6)
        for (const mark of marks) {
          expect(mark).toBeGreaterThanOrEqual(low - span * 1e-3)
          expect(mark).toBeLessThanOrEqual(low + span * (1 + 1e-3))
        }
        expect(marks).toEqual([...marks].sort((a, b) => a - b))
      },
    ),
  )
  expect(roundMarks(0, 10)).toEqual([0, 2, 4, 6, 8, 10])
  expect(roundMarks(0.13, 0.52)).toEqual([0.2, 0.3, 0.4, 0.5])
})

test('half of the values are below the median and half above it', () => {
  expect(medianOf([])).toBe(0)
  expect(medianOf([3, 1, 2])).toBe(2)
  expect(medianOf([4, 1, 3, 2])).toBe(2.5)
  fc.assert(
    fc.property(values, (list) => {
      const median = medianOf(list)
      expect(list.filter((one) => one < median).length).toBeLessThanOrEqual(list.length / 2)
      expect(list.filter((one) => one > median).length).toBeLessThanOrEqual(list.length / 2)
    }),
  )
})
