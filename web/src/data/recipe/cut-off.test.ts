import { describe, expect, test } from 'vitest'
import { formatCutOff, makeScale } from './cut-off.ts'

const above = { cut_off: 1.4, loosest: 1.2, direction: 'above' as const, unit: 'times' }

describe('the scale of a cut-off', () => {
  test('goes from the loosest that is kept to one that finds nothing', () => {
    const scale = makeScale(above, null, [1.3, 2.6, 8.9])
    expect(scale?.toValue(0)).toBe(1.2)
    expect(scale?.toValue(1)).toBeGreaterThan(8.9)
    expect(makeScale(above, 1, [])?.toValue(0)).toBe(1)
  })

  test('of a rule that finds what is below lies the other way round, and never under zero', () => {
    const scale = makeScale({ cut_off: 0.02, loosest: 0.05, direction: 'below', unit: 'share' }, null, [0.001, 0.03])
    expect(scale?.toValue(1)).toBe(0.05)
    expect(scale?.toValue(0)).toBeGreaterThanOrEqual(0)
    expect(scale?.toValue(0)).toBeLessThan(0.001)
  })

  test('gives back the place of a value, also where values lie far apart', () => {
    for (const values of [[2], [900]]) {
      const scale = makeScale(above, null, values)
      for (const value of [1.2, 1.4, 1.9]) expect(scale?.toValue(scale.toShare(value))).toBeCloseTo(value, 2)
    }
  })

  test('counts in whole steps', () => {
    const scale = makeScale({ cut_off: 1, loosest: 1, direction: 'above', unit: 'frames' }, null, [3])
    expect([0, 0.4, 1].map((share) => scale?.toValue(share))).toEqual([1, 2, 4])
  })

  test('is none where only another run tells', () => {
    expect(makeScale({ ...above, loosest: null }, null, [3])).toBeUndefined()
  })

  test('numbers are written short', () => {
    expect([formatCutOff(0.1), formatCutOff(1.23456), formatCutOff(-3)]).toEqual(['0.1', '1.235', '−3'])
  })
})
