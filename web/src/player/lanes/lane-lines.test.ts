import { expect, test } from 'vitest'
import type { LaneData } from '../../data/episodes/lanes.ts'
import { drawGroup, drawLane } from './lane-lines.ts'

const lane = { frames: [0, 1, 2], state: [0, 1, null], action: [1, 1, 4], low: 0, high: 4 } as unknown as LaneData

test('state and action stand over each other, with some room', () => {
  const drawn = drawLane({ ...lane, recorded: [2, 2, 2] } as LaneData, false)
  expect(drawn.lines.map(({ color }) => color)).toEqual(['--bars', '--state-line', '--action-line'])
  expect(drawn.low).toBeCloseTo(-0.08)
  expect(drawn.high).toBeCloseTo(4.08)
  expect(drawn.middle).toBeCloseTo(2)
})

test('a signal that never changes has a range too', () => {
  for (const value of [0, 5]) {
    const { low, high } = drawLane({ ...lane, low: value, high: value } as LaneData, false)
    expect(low).toBeLessThan(value)
    expect(high).toBeGreaterThan(value)
  }
})

test('the difference is around zero, and nothing where one of both is missing', () => {
  expect(drawLane(lane, true)).toMatchObject({ lines: [{ values: [1, 0, null] }], low: -1, high: 1, middle: 0 })
  const alone = { ...lane, state: undefined } as unknown as LaneData
  expect(drawLane(alone, true).lines.map(({ color }) => color)).toEqual(['--action-line'])
})

test('a folded group draws each dimension in its own range', () => {
  const alone = { ...lane, state: undefined } as unknown as LaneData
  const drawn = drawGroup([lane, alone, { ...alone, action: undefined } as unknown as LaneData])
  expect(drawn.lines.map(({ values, color }) => [values, color])).toEqual([
    [[0, 0.25, null], '--state-line'],
    [[0.25, 0.25, 1], '--action-line'],
  ])
  expect(drawGroup([]).frames).toEqual([])
})
