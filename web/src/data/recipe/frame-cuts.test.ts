import { describe, expect, test } from 'vitest'
import {
  changeTrim,
  clearEpisode,
  cutOut,
  defaultIdle,
  type FrameCuts,
  type FrameRange,
  keepOnly,
  listGone,
  toggleSplit,
} from './frame-cuts.ts'

const nothing: FrameCuts = { trim: null, split: null }
const whole = (length = 100): { index: number; length: number; kept: FrameRange[] } => ({
  index: 3,
  length,
  kept: [[0, length]],
})
const ranges = (...kept: FrameRange[]): FrameCuts['trim'] => ({
  ranges: { 3: kept.map((one) => [...one]) },
  inside: null,
  idle: null,
})

describe('frames of an episode', () => {
  test('only a range is kept, of what is kept already; a range that was cut comes back', () => {
    const first = keepOnly(nothing, whole(), [20, 60])
    expect(first.trim).toEqual(ranges([20, 60]))
    expect(keepOnly(first, { ...whole(), kept: [[20, 60]] }, [50, 80]).trim).toEqual(ranges([50, 60]))
    expect(keepOnly(first, { ...whole(), kept: [[20, 60]] }, [70, 80]).trim).toEqual(ranges([70, 80]))
  })

  test('a range is cut out of the middle and of the ends, never the last frame', () => {
    expect(cutOut(nothing, whole(), [40, 50])?.trim).toEqual(ranges([0, 40], [50, 100]))
    expect(
      cutOut(
        nothing,
        {
          ...whole(),
          kept: [
            [0, 40],
            [50, 100],
          ],
        },
        [30, 60],
      )?.trim,
    ).toEqual(ranges([0, 30], [60, 100]))
    expect(cutOut(nothing, { ...whole(), kept: [[10, 20]] }, [0, 100])).toBeUndefined()
  })

  test('an episode that is whole again is not named, unless the rule for still frames would cut it', () => {
    const cut = keepOnly(nothing, whole(), [20, 60])
    expect(keepOnly(cut, whole(), [0, 100])).toEqual(nothing)
    const byRule = { trim: changeTrim(null, { idle: defaultIdle }), split: null }
    expect(keepOnly(byRule, whole(), [0, 100]).trim?.ranges).toEqual({ 3: [[0, 100]] })
  })

  test('what a rule made several episodes of stays so when one of them is changed by hand', () => {
    const byRule = {
      trim: changeTrim(null, { idle: { ...defaultIdle, from: 'anywhere', inside: 'split' } }),
      split: null,
    }
    expect(cutOut(byRule, whole(), [0, 10])?.trim).toMatchObject({ inside: 'split', ranges: { 3: [[10, 100]] } })
  })

  test('frames that go are those that no range has', () => {
    expect(
      listGone(
        [
          [10, 20],
          [30, 100],
        ],
        100,
      ),
    ).toEqual([
      [0, 10],
      [20, 30],
    ])
    expect(listGone([], 5)).toEqual([[0, 5]])
  })
})

describe('parts of an episode', () => {
  test('begin where it is split, once each, in order; the same frame joins them again', () => {
    const once = toggleSplit(nothing, whole(), 60) as FrameCuts
    const twice = toggleSplit(once, whole(), 30) as FrameCuts
    expect(twice.split).toEqual({ 3: { at: [30, 60], tasks: null } })
    expect(toggleSplit(twice, whole(), 60)?.split).toEqual({ 3: { at: [30], tasks: null } })
    expect(toggleSplit(once, whole(), 60)).toEqual(nothing)
  })

  test('a part without a frame is refused', () => {
    expect(toggleSplit(nothing, whole(), 0)).toBeUndefined()
    expect(toggleSplit(nothing, { ...whole(), kept: [[40, 100]] }, 40)).toBeUndefined()
    expect(toggleSplit(nothing, { ...whole(), kept: [[40, 100]] }, 41)).toBeDefined()
  })

  test('texts stay with their parts', () => {
    const named: FrameCuts = { trim: null, split: { 3: { at: [50], tasks: ['reach', 'grasp'] } } }
    expect(toggleSplit(named, whole(), 70)?.split).toEqual({ 3: { at: [50, 70], tasks: ['reach', 'grasp', 'grasp'] } })
    expect(toggleSplit(named, whole(), 20)?.split).toEqual({ 3: { at: [20, 50], tasks: ['reach', 'reach', 'grasp'] } })
    expect(toggleSplit(named, whole(), 50)?.split).toBeNull()
  })

  test('a cut takes the parts with it of which it leaves no frame', () => {
    const named: FrameCuts = { trim: null, split: { 3: { at: [30, 60], tasks: ['a', 'b', 'c'] } } }
    expect(cutOut(named, whole(), [30, 60])?.split).toEqual({ 3: { at: [60], tasks: ['a', 'c'] } })
    expect(keepOnly(named, whole(), [65, 90]).split).toBeNull()
  })

  test('an episode that is put back leaves others and the rule as they are', () => {
    const cuts: FrameCuts = {
      trim: { ranges: { 3: [[0, 5]], 7: [[1, 2]] }, inside: 'split', idle: defaultIdle },
      split: { 3: { at: [2], tasks: null } },
    }
    expect(clearEpisode(cuts, 3)).toEqual({
      trim: { ranges: { 7: [[1, 2]] }, inside: 'split', idle: defaultIdle },
      split: null,
    })
    expect(clearEpisode(clearEpisode(cuts, 3), 7).trim).toEqual({ ranges: null, inside: null, idle: defaultIdle })
  })
})
