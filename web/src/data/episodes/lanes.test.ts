import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawGroup, drawLane } from '../../player/lanes/lane-lines.ts'
import {
  findNearest,
  fitLane,
  groupLanes,
  hasPairs,
  planColumnLanes,
  planLanes,
  readLane,
  spreadLane,
} from './lanes.ts'

type Signals = Parameters<typeof planLanes>[0]
type Rows = NonNullable<Parameters<typeof readLane>[0]>

const describeSignals = (state: string[], action: string[]): Signals =>
  ({
    observation: { state: { key: 'observation.state', names: state }, cameras: [] },
    action: { key: 'action', names: action },
  }) as unknown as Signals
const plan = (state: string[], action: string[]) =>
  planLanes(describeSignals(state, action)).map(({ label, stateDimension, actionDimension }) => [
    label,
    stateDimension,
    actionDimension,
  ])

describe('lanes', () => {
  test('pair state and action by name, and what has no partner has a lane of its own', () => {
    expect(plan(['hip', 'knee'], ['knee', 'grip'])).toEqual([
      ['hip', 0, undefined],
      ['knee', 1, 0],
      ['grip', undefined, 1],
    ])
  })

  test('pair by place where no names agree and the sizes do', () => {
    expect(plan(['x', 'y'], ['dx', 'dy'])).toEqual([
      ['x', 0, 0],
      ['y', 1, 1],
    ])
    expect(plan(['x', 'y'], ['dx'])).toHaveLength(3)
  })

  test('numbers are no names: 11 states and 3 actions do not pair', () => {
    const count = (size: number) => Array.from({ length: size }, (_, index) => String(index))
    const lanes = planLanes(describeSignals(count(11), count(3)))
    expect([lanes.length, hasPairs(lanes)]).toEqual([14, false])
    expect(lanes.map(({ label }) => label).slice(10, 12)).toEqual(['state 10', 'action 0'])
    expect(hasPairs(planLanes(describeSignals(count(3), count(3))))).toBe(true)
  })

  test('lose an ending that all names have', () => {
    expect(plan(['hip.pos', 'knee.pos'], ['hip.pos', 'knee.pos']).map(([label]) => label)).toEqual(['hip', 'knee'])
    expect(plan(['hip.pos', 'knee.vel'], []).map(([label]) => label)).toEqual(['hip.pos', 'knee.vel'])
  })

  test('every dimension is in one lane', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 })
    fc.assert(
      fc.property(names, names, (state, action) => {
        const lanes = planLanes(describeSignals(state, action))
        const used = (key: 'stateDimension' | 'actionDimension') =>
          lanes.flatMap((lane) => lane[key] ?? []).sort((a, b) => a - b)
        expect(used('stateDimension')).toEqual([...state.keys()])
        expect(used('actionDimension')).toEqual([...action.keys()])
        expect(new Set(lanes.map(({ key }) => key)).size).toBe(lanes.length)
      }),
    )
  })

  test('of a robot with two sides are in groups, however the sides are written', () => {
    const lanes = planLanes(describeSignals(['left_elbow', 'robot1.r_hip', 'kLeftKnee', 'torso'], []))
    expect(groupLanes(lanes).map(({ name, lanes: members }) => [name, members.length])).toEqual([
      ['left', 2],
      ['right', 1],
      ['body', 1],
    ])
    expect(groupLanes(planLanes(describeSignals(['left_elbow', 'left_hip'], [])))).toHaveLength(1)
  })
})

describe('what a lane draws', () => {
  const signals = describeSignals(['hip'], ['hip'])
  const rows = (state: (number | null)[], action: number[]): Rows =>
    ({
      frame_index: [...state.keys()],
      series: [
        { name: 'observation.state', values: [state] },
        { name: 'action', values: [action] },
      ],
    }) as unknown as Rows
  const [lane] = planLanes(signals)
  if (!lane) throw new Error('a state has a lane')

  test('its range is that of the whole episode, and gaps stay gaps', () => {
    const data = readLane(rows([1, null], [2, 2]), rows([-5, 1], [2, 9]), lane, signals)
    expect(data).toMatchObject({ frames: [0, 1], state: [1, null], action: [2, 2], low: -5, high: 9 })
    expect(readLane(undefined, undefined, lane, signals)).toMatchObject({ frames: [], low: 0, high: 1 })
  })

  test('zoomed in its range is that of what is shown, and of the dataset where that is asked for', () => {
    const both = rows([0, 1, 5, 9], [0, 2, 4, 9])
    const data = readLane(both, both, lane, signals)
    expect(fitLane(data, 1, 2)).toMatchObject({ low: 1, high: 5, state: data.state })
    expect(fitLane(data, 0, 3)).toBe(data)
    const extremes = [{ name: 'action', low: [-3], high: [4] }]
    expect(spreadLane(data, lane, signals, extremes)).toMatchObject({ low: -3, high: 9 })
  })

  test('a column beside them has lines of its own', () => {
    const [first, second] = planColumnLanes([
      { name: 'effort', isText: false, labels: ['hip', 'knee'], low: null, high: null },
    ])
    const given = { ...rows([0], [0]), series: [{ name: 'effort', values: [[1], [7]] }] } as unknown as Rows
    if (!first || !second) throw new Error('two values have two lanes')
    expect([first.label, first.group]).toEqual(['hip', 'effort'])
    const data = readLane(given, given, second, signals)
    expect(data).toMatchObject({ column: [7], state: undefined, low: 7, high: 7 })
    expect(drawLane(data, true).lines).toHaveLength(1)
  })

  test('lines lie inside the range, with a margin', () => {
    const data = readLane(rows([1, 3], [2, 9]), rows([1, 3], [2, 9]), lane, signals)
    const { lines, low, high, middle } = drawLane(data, false)
    expect(lines).toHaveLength(2)
    expect(low).toBeLessThan(1)
    expect(high).toBeGreaterThan(9)
    expect(middle).toBeCloseTo(5)
  })

  test('the difference is action less state, around zero', () => {
    const data = readLane(rows([1, null, 3], [2, 2, 0]), undefined, lane, signals)
    expect(drawLane(data, true)).toMatchObject({ lines: [{ values: [1, null, -3] }], low: -3, high: 3, middle: 0 })
  })

  test('a folded group draws every dimension in its own range', () => {
    const one = readLane(rows([0, 10], []), rows([0, 10], []), lane, signals)
    const other = readLane(rows([5, 7], []), rows([5, 9], []), lane, signals)
    expect(drawGroup([one, other]).lines.map(({ values }) => values)).toEqual([
      [0, 1],
      [0, 0.5],
    ])
  })
})

test('the nearest frame is the nearest', () => {
  const frames = fc.uniqueArray(fc.nat({ max: 500 }), { minLength: 1 }).map((list) => list.sort((a, b) => a - b))
  fc.assert(
    fc.property(frames, fc.nat({ max: 600 }), (list, frame) => {
      const found = Math.abs((list[findNearest(list, frame)] ?? Number.NaN) - frame)
      expect(found).toBe(Math.min(...list.map((one) => Math.abs(one - frame))))
    }),
  )
})
