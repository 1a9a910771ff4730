import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRanges, writeRanges } from './index-ranges.ts'

test('what is written is read again, sorted and once each', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 300 }), { maxLength: 80 }), (indices) => {
      expect(readRanges(writeRanges(indices), 301)).toEqual([...indices].sort((a, b) => a - b))
    }),
  )
})

test('neighbours are written as one range', () => {
  expect(writeRanges([3, 1, 2, 7, 10, 9])).toBe('1-3, 7, 9-10')
  expect(writeRanges([])).toBe('')
})

test('people write ranges in several ways', () => {
  expect(readRanges(' 0-2;5  7–8,\n5', 10)).toEqual([0, 1, 2, 5, 7, 8])
  expect(readRanges('', 10)).toEqual([])
})

test.each(['x', '1-', '-1', '3-1', '1.5', '10', '8-10', '1--2'])('%s cannot be read for ten episodes', (text) => {
  expect(readRanges(text, 10)).toBeUndefined()
})
