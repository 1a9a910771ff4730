import { expect, test } from 'vitest'
import { depthColours, findSpan, formatDistance, nameDistance, paintDepth } from './depth-colours.ts'

test('the colours are those of viridis, and each is lighter than the one before', () => {
  // matplotlib 3.10: viridis(0), viridis(0.5), viridis(1).
  const known = new Map([
    [0, [68, 1, 84]],
    [128, [33, 145, 140]],
    [255, [253, 231, 37]],
  ])
  for (const [place, colour] of known)
    for (const [channel, value] of colour.entries())
      expect(Math.abs((depthColours[place]?.[channel] ?? 0) - value)).toBeLessThanOrEqual(4)
  const light = depthColours.map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue)
  expect(light.filter((value, at) => at > 0 && value < (light[at - 1] as number) - 0.5)).toEqual([])
})

test('near and far get the ends, beyond them too, and what was not measured stays clear', () => {
  const values = Uint16Array.of(0, 100, 500, 900, 2000)
  expect(findSpan(values)).toEqual({ near: 100, far: 2000 })
  expect(findSpan(Uint16Array.of(0, 0))).toBeUndefined()
  const pixels = paintDepth(values, { near: 400, far: 900 })
  const colour = (at: number) => [...pixels.subarray(at * 4, at * 4 + 3)]
  expect(pixels[3]).toBe(0)
  expect(colour(1)).toEqual(depthColours[0])
  expect(colour(2)).toEqual(depthColours[51])
  expect([colour(3), colour(4)]).toEqual([depthColours[255], depthColours[255]])
  expect([...paintDepth(Uint16Array.of(70), { near: 70, far: 70 })].slice(0, 3)).toEqual(depthColours[0])
})

test('distances in words', () => {
  expect([formatDistance(480), formatDistance(10_000)]).toEqual(['480 mm', '10.00 m'])
  expect(nameDistance(0, 10_000)).toBe('no measurement')
  expect(nameDistance(480, 10_000)).toBe('480 mm')
  expect(nameDistance(10_000, 10_000)).toMatch(/^10.000 mm or more$/)
})
