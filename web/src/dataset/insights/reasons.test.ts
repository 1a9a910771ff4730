import { expect, test } from 'vitest'
import type { Filtering } from '../../data/dataset.ts'
import type { Insights } from '../../data/insights.ts'
import { makeReasons } from './reasons.ts'

const insights = {
  lengthFrames: [100, 200, 300],
  motion: [2, 4, 8],
  variance: [0.5, 1, 4],
  stillSeconds: [0, 1.5, 0],
} as Insights
const filtering = {
  low_motion_episodes: [{ episode_index: 0, score_label: 'moves half as much as most' }],
  high_variance_episodes: [{ episode_index: 2, score_label: 'four times as restless' }],
} as Filtering

test('the server’s words say why an episode stands out', () => {
  const say = makeReasons({ insights, filtering, fps: 50 })
  expect(say(0, 'motion')).toBe('moves half as much as most')
  expect(say(2, 'variance')).toBe('four times as restless')
})

test('all others are compared with the median', () => {
  const say = makeReasons({ insights, filtering: undefined, fps: 50 })
  expect(say(0, 'length')).toBe('against a median of 4.00 s')
  expect(say(0, 'motion')).toBe('50 % of the median motion')
  expect(say(1, 'motion')).toBe('still for 1.50 s of 4.00 s')
  expect(say(2, 'variance')).toBe('4.0 times the median variance')
  expect(say(9, 'motion')).toBe('0 % of the median motion')
})
