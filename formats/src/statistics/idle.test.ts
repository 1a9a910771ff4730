import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import type { Dataset } from '../dataset.ts'
import type { Feature } from '../feature.ts'
import type { FrameRange } from '../frame-ranges.ts'
import { findMotionScale, type IdleOptions, listIdleRuns } from './idle.ts'

const fps = 20

interface Signals {
  /** Rows of `observation.state`. */
  state: number[][]
  action?: number[][]
}

function openSignals(episodes: readonly Signals[], names: readonly string[]): Dataset {
  const columns = ['observation.state', ...(episodes[0]?.action ? ['action'] : [])]
  const features = columns.map(
    (name): Feature => ({ kind: 'column', name, dtype: 'float32', shape: [names.length], names: [...names] }),
  )
  const rows = episodes.map(({ state, action }) => ({
    length: state.length,
    tasks: [''],
    columns: new Map(
      columns.map((name) => [name, Float32Array.from((name === 'action' ? action : state)?.flat() ?? [])]),
    ),
  }))
  return createMemoryDataset(features, rows, 13, fps)
}

async function findRuns(dataset: Dataset, position: number, options?: IdleOptions): Promise<FrameRange[]> {
  const scale = await findMotionScale(dataset)
  if (!scale) throw new Error('no signal')
  return listIdleRuns(dataset, position, scale, options)
}

/** Three joints at a steady speed that stand still in the given steps. */
function move(frames: number, rests: readonly FrameRange[], speed = 0.02): number[][] {
  const rows: number[][] = []
  let at = 0
  for (let frame = 0; frame < frames; frame++) {
    rows.push([Math.sin(at), Math.cos(1.3 * at), 0.5 * Math.sin(0.7 * at + 1)])
    if (!rests.some(([from, to]) => frame >= from && frame < to)) at += speed
  }
  return rows
}

const joints = ['a', 'b', 'c']
const withGripper = [...joints, 'gripper']

describe('idle runs', () => {
  test('any rests of at least half a second are found, exact to the frame', async () => {
    const rest = fc.tuple(fc.integer({ min: 12, max: 60 }), fc.integer({ min: 10, max: 80 }))
    await fc.assert(
      fc.asyncProperty(fc.array(rest, { minLength: 0, maxLength: 4 }), async (gaps) => {
        const rests: FrameRange[] = []
        let end = 0
        for (const [gap, length] of gaps) {
          rests.push([end + gap, end + gap + length])
          end += gap + length
        }
        const dataset = openSignals([{ state: move(end + 40, rests) }, { state: move(300, []) }], joints)
        expect(await findRuns(dataset, 0)).toEqual(rests)
        expect(await findRuns(dataset, 1)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('a rest at the start begins with frame 0, one at the end ends with the episode', async () => {
    const dataset = openSignals(
      [
        {
          state: move(200, [
            [0, 40],
            [150, 200],
          ]),
        },
        { state: move(300, []) },
      ],
      joints,
    )
    expect(await findRuns(dataset, 0)).toEqual([
      [0, 40],
      [150, 200],
    ])
  })

  test('shorter rests are motion unless they are asked for; a higher threshold takes slow motion for a rest', async () => {
    const slow = move(100, [], 0.005)
    const dataset = openSignals([{ state: move(200, [[50, 58]]) }, { state: [...move(300, []), ...slow] }], joints)
    expect(await findRuns(dataset, 0)).toEqual([])
    expect(await findRuns(dataset, 0, { minIdleFrames: 8 })).toEqual([[50, 58]])
    expect(await findRuns(dataset, 1)).toEqual([])
    const run = (await findRuns(dataset, 1, { threshold: 0.5 })).at(-1)
    expect(run?.[1]).toBe(400)
    expect(run?.[0]).toBeGreaterThanOrEqual(300)
    expect(run?.[0]).toBeLessThan(306)
  })

  test('a hand that trembles in place stands still, and a twitch does not end its rest', async () => {
    const state = move(240, [[80, 160]])
    for (let frame = 80; frame < 160; frame++) {
      const row = state[frame] as number[]
      row[0] = (row[0] as number) + 0.002 * Math.sin(frame * 2.1)
    }
    const dataset = openSignals([{ state }, { state: move(300, []) }], joints)
    const runs = await findRuns(dataset, 0)
    expect(runs).toHaveLength(1)
    expect(Math.abs((runs[0]?.[0] ?? 0) - 80)).toBeLessThanOrEqual(3)
    expect(Math.abs((runs[0]?.[1] ?? 0) - 160)).toBeLessThanOrEqual(3)
  })

  test('a gripper that is switched or opened interrupts a rest until it has arrived', async () => {
    for (const isSwitch of [true, false]) {
      const base = move(240, [[60, 180]])
      const command = (frame: number): number =>
        isSwitch ? (frame < 110 ? 0 : 1) : Math.min(1, Math.max(0, (frame - 110) / 9))
      let opening = 0
      const state = base.map((row, frame) => {
        const seen = [...row, opening]
        opening += (command(frame) - opening) * 0.4
        return seen
      })
      const action = base.map((row, frame) => [...row, command(frame)])
      const still = { state: move(300, []).map((row) => [...row, 0]), action: move(300, []).map((row) => [...row, 0]) }
      const dataset = openSignals([{ state, action }, still], withGripper)
      const [before, after, ...others] = await findRuns(dataset, 0)
      expect(others).toEqual([])
      expect(before?.[0]).toBe(60)
      expect(Math.abs((before?.[1] ?? 0) - 110)).toBeLessThanOrEqual(1)
      expect(after?.[0]).toBeGreaterThan(115)
      expect(after?.[0]).toBeLessThan(130)
      expect(after?.[1]).toBe(180)
    }
  })

  test('a gripper that only settles at the start, untold, does not make a rest shorter', async () => {
    const state = move(200, [[0, 60]]).map((row, frame) => [...row, 1 - 0.5 * 0.6 ** frame])
    const action = state.map(([a = 0, b = 0, c = 0], frame) => [a, b, c, frame < 150 ? 1 : 0])
    const moving = move(300, []).map((row, frame) => [...row, frame / 300])
    const dataset = openSignals(
      [
        { state, action },
        { state: moving, action: moving.map((row) => [...row.slice(0, 3), 1]) },
      ],
      withGripper,
    )
    expect(await findRuns(dataset, 0)).toEqual([[0, 60]])
  })

  test('an angle that wraps and joints that only report noise or flicker do not move', async () => {
    const wrapped = move(300, [[100, 160]]).map((row, frame) => {
      const angle = 3.1 + 0.002 * Math.min(frame, 100) + 0.002 * Math.max(0, frame - 160)
      const noise = 0.01 * Math.sin(frame * 12.9898) * Math.cos(frame * 78.233)
      return [...row, angle > Math.PI ? angle - 2 * Math.PI : angle, noise, frame % 7 === 0 ? 0.0015 : 0]
    })
    const names = [...joints, 'roll', 'unused', 'flickers']
    const dataset = openSignals([{ state: wrapped }], names)
    const runs = await findRuns(dataset, 0)
    expect(runs).toHaveLength(1)
    expect(Math.abs((runs[0]?.[0] ?? 0) - 100)).toBeLessThanOrEqual(2)
    expect(Math.abs((runs[0]?.[1] ?? 0) - 160)).toBeLessThanOrEqual(2)
  })

  test('a set that never moves is one rest per episode, with noise and without; switches alone say nothing', async () => {
    const rows = (of: (frame: number) => number) => ({
      state: Array.from({ length: 50 }, (_, frame) => [of(frame), 0.5, 1]),
    })
    const noise = (frame: number): number =>
      0.001 * (Math.sin(frame * 12.9898) * 43758.5453 - Math.floor(Math.sin(frame * 12.9898) * 43758.5453))
    for (const signal of [() => 0.25, noise]) {
      const dataset = openSignals([rows(signal), rows(signal)], joints)
      expect((await findMotionScale(dataset))?.state).toBe('still')
      expect(await findRuns(dataset, 1)).toEqual([[0, 50]])
    }
    const switched = openSignals([rows((frame) => (frame < 20 ? 0 : 1))], joints)
    expect((await findMotionScale(switched))?.state).toBe('switches')
    expect(await findRuns(switched, 0)).toEqual([])
  })

  test('values that are no numbers are taken for the ones before', async () => {
    const state = move(200, [[60, 100]])
    for (const frame of [70, 71, 150]) (state[frame] as number[])[1] = Number.NaN
    expect(await findRuns(openSignals([{ state }, { state: move(300, []) }], joints), 0)).toEqual([[60, 100]])
  })
})
