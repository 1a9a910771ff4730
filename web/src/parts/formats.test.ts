import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatOrdinal,
  formatPercent,
  formatShortDuration,
  formatSigned,
  formatTimecode,
  formatValue,
  plural,
  shortName,
} from './formats.ts'

test('bytes', () => {
  const written = [null, 0, 999, 1000, 9949, 9950, 9999, 12_345, 999_499, 999_500, 1_500_000, 2e12, 5e18].map(
    formatBytes,
  )
  expect(written).toEqual([
    ...['–', '0 B', '999 B', '1.0 kB', '9.9 kB', '10 kB', '10 kB', '12 kB', '999 kB', '1.0 MB', '1.5 MB', '2.0 TB'],
    '5000 PB',
  ])
})

test('bytes are within a twentieth of what is written', () => {
  const units: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6, gb: 1e9, TB: 1e12, PB: 1e15 }
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      const [number, unit] = formatBytes(bytes).split(' ')
      const read = Number(number) * (units[unit ?? ''] ?? Number.NaN)
      expect(Math.abs(read - bytes)).toBeLessThanOrEqual(bytes * 0.05)
      expect(formatBytes(bytes).length).toBeLessThanOrEqual(7)
    }),
  )
})

test('durations', () => {
  expect([0, 8.8, 9.999, 59.94, 60, 1937, 3599.4, 3600, 37_440, 400_000].map(formatDuration)).toEqual([
    ...['0.00 s', '8.80 s', '10.0 s', '59.9 s', '1 min', '32 min 17 s', '59 min 59 s', '1.0 h', '10.4 h', '111 h'],
  ])
  expect([5, 90, 7200].map(formatShortDuration)).toEqual(['5.0 s', '2 min', '2.0 h'])
})

test('a time never shows sixty seconds', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 36_000, noNaN: true }), (seconds) => {
      expect(formatDuration(seconds)).not.toMatch(/\b60(\.0+)? (s|min)/)
      expect(formatShortDuration(seconds)).not.toMatch(/^60/)
      expect(formatTimecode(seconds)).not.toContain(':60')
    }),
  )
  expect([0, 6.2, 59.999, 61.5, -1].map(formatTimecode)).toEqual([
    '00:00.00',
    '00:06.20',
    '01:00.00',
    '01:01.50',
    '00:00.00',
  ])
})

test('numbers have a true minus and as many digits as their range asks for', () => {
  expect([formatCount(1_234_567), formatCount(-5)]).toEqual(['1,234,567', '−5'])
  expect([0.12345, 12.345, 123.45, 1234.5].map((value) => formatValue(value))).toEqual([
    '0.123',
    '12.35',
    '123.5',
    '1235',
  ])
  expect([formatValue(-0.5), formatValue(0.5, 100), formatValue(null), formatValue(Number.NaN)]).toEqual([
    '−0.500',
    '0.5',
    '–',
    '–',
  ])
  expect([formatSigned(1, 10), formatSigned(-1, 10), formatPercent(0.1234), formatPercent(1, 0)]).toEqual([
    '+1.00',
    '−1.00',
    '12.3 %',
    '100 %',
  ])
})

test('words', () => {
  expect([plural(1, 'episode'), plural(0, 'episode'), plural(2, 'entry', 'entries')]).toEqual([
    '1 episode',
    '0 episodes',
    '2 entries',
  ])
  expect([1, 2, 3, 4, 11, 12, 13, 21, 111, 112].map(formatOrdinal)).toEqual([
    ...['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '111th', '112th'],
  ])
  expect([shortName('observation.images.top'), shortName('action')]).toEqual(['top', 'action'])
})
