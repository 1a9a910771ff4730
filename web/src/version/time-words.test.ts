import { expect, test } from 'vitest'
import { describeIdle, describeRanges, describeSplit } from './time-words.ts'

test('what is kept, split and still is said with every number of the recipe', () => {
  const idle = {
    from: 'anywhere',
    inside: 'split',
    signal: 'both',
    min_idle_frames: 10,
    keep_frames: 2,
    threshold: 0.2,
  } as const
  const trim = {
    ranges: {
      4: [[30, 410]],
      7: [
        [0, 5],
        [9, 12],
      ],
    },
    inside: 'split',
    idle,
  } as const
  const asked = JSON.parse(JSON.stringify(trim))
  expect(describeRanges(asked)).toBe(
    'episode 4 frames 30 to 409; episode 7 frames 0 to 4 and frames 9 to 11, each range an episode',
  )
  expect(describeIdle(asked)).toBe(
    'cut wherever they are, each piece an episode, below 0.2 of the usual step, from 10 frames on, 2 frames kept beside motion, by state and action',
  )
  expect(describeSplit({ 12: { at: [100, 220], tasks: ['reach', 'grasp', 'place'] } })).toBe(
    'episode 12 at 100, 220 (reach / grasp / place)',
  )
})

test('a rule without keys cuts the still start, nothing is nothing, and of many episodes the first are told', () => {
  const none = { from: null, inside: null, signal: null, min_idle_frames: null, keep_frames: null, threshold: null }
  expect(describeIdle({ ranges: null, inside: null, idle: none })).toBe('cut at the start')
  expect([describeRanges(null), describeIdle(null), describeSplit(null), describeSplit({})]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  const ranges = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [index, [[0, 10]]]))
  expect(describeRanges({ ranges, inside: null, idle: null })).toMatch(/episode 11 frames 0 to 9; and 3 more episodes$/)
})
