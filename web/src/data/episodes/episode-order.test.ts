import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planChange, splitList } from '../../dataset/field-change.ts'
import type { Filtering, Manifest } from '../dataset.ts'
import type { Flag } from '../flags.ts'
import type { Insights } from '../insights.ts'
import { drawRow, groupFlags, orderEpisodes } from './episode-order.ts'
import { listOutliers } from './outliers.ts'
import { namePlace, placeOf, rankOf } from './rank.ts'

const insights = { lengthFrames: [30, 10, 20, 10], motion: [3, 1, 2, 4], variance: [1, 1, 5, 2] } as Insights
const flags = [{ episode_index: 3 }, { episode_index: 1 }, { episode_index: 3 }] as Flag[]
const flagsOf = groupFlags(flags)
const filtering = {
  supports_motion_insights: true,
  low_motion_episodes: [{ episode_index: 1, score_label: 'hardly moves' }],
  high_variance_episodes: [{ episode_index: 2, score_label: '' }],
} as unknown as Filtering
const outliers = listOutliers(filtering)
const order = (search: Parameters<typeof orderEpisodes>[0]) => orderEpisodes(search, insights, outliers, flagsOf)

test('episodes are listed by number, or by what is measured; equals by number', () => {
  expect(order({})).toEqual([0, 1, 2, 3])
  expect(order({ order: 'desc' })).toEqual([3, 2, 1, 0])
  expect(order({ sort: 'duration' })).toEqual([1, 3, 2, 0])
  expect(order({ sort: 'motion', order: 'desc' })).toEqual([3, 0, 2, 1])
  expect(order({ sort: 'variance' })).toEqual([0, 1, 3, 2])
  expect(order({ sort: 'flags', order: 'desc' })).toEqual([3, 1, 2, 0])
})

test('only those are listed that are flagged or stand out', () => {
  expect(order({ show: 'flagged' })).toEqual([1, 3])
  expect(order({ show: 'low-motion' })).toEqual([1])
  expect(order({ show: 'high-variance', sort: 'duration' })).toEqual([2])
  expect(flagsOf.get(3)).toEqual([flags[0], flags[2]])
})

test('a search or a split is the server’s to answer, and so is what is not here yet', () => {
  expect(order({ q: 'cube' })).toBeUndefined()
  expect(order({ split: 'test' })).toBeUndefined()
  expect(order({ sort: 'task' })).toBeUndefined()
  expect(orderEpisodes({}, undefined, undefined, flagsOf)).toBeUndefined()
  expect(orderEpisodes({ sort: 'motion' }, undefined, undefined, flagsOf)).toEqual([])
  expect(orderEpisodes({ show: 'low-motion' }, insights, undefined, flagsOf)).toEqual([])
  expect(orderEpisodes({ show: 'flagged', sort: 'duration' }, undefined, undefined, flagsOf)).toEqual([1, 3])
})

test('who stands out is what the server says, and nobody where nothing is measured', () => {
  expect(outliers).toEqual({ lowMotion: [1], highVariance: [2] })
  expect(listOutliers(filtering)).toBe(outliers)
  expect(listOutliers({ ...filtering, supports_motion_insights: false })).toBeUndefined()
  expect(listOutliers(undefined)).toBeUndefined()
})

test('a row is the same object until its tasks or splits are others', () => {
  const row = drawRow(insights, 10, 2, undefined)
  expect(row).toMatchObject({ episode_index: 2, length_frames: 20, duration_sec: 2, motion: 2, variance: 5 })
  expect(drawRow(insights, 10, 2, undefined)).toBe(row)
  const named = drawRow(insights, 10, 2, ['Lift'])
  expect(named).toMatchObject({ tasks: ['Lift'] })
  expect(drawRow(insights, 10, 9, undefined)).toMatchObject({ length_frames: 0, motion: null, variance: null })
})

test('a rank is the share of episodes with less', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true }), { maxLength: 200 }),
      fc.double({ noNaN: true }),
      (values, value) => {
        const below = values.filter((one) => one < value).length
        expect(rankOf(values, value)).toBe(Math.round((below / Math.max(1, values.length)) * 100))
      },
    ),
  )
})

test('only what was changed is sent, and undoing gives a field back to its source', () => {
  const dataset = {
    title: 'Lift',
    tags: ['a', 'b'],
    robot_type: 'so101',
    edited_fields: ['title'],
  } as unknown as Manifest
  const draft = { title: 'Lift it', tags: ['a', 'b'], robot_type: 'aloha' }
  expect(planChange(dataset, draft)).toEqual({
    change: { title: 'Lift it', robot_type: 'aloha' },
    undo: { title: 'Lift', robot_type: null },
  })
  expect(splitList(' a, b ,,c ')).toEqual(['a', 'b', 'c'])
})

test('of few episodes a place is said in words, of many as a percentile', () => {
  expect([0, 50, 100].map((percentile) => namePlace(percentile, 5))).toEqual(['lowest', '3rd of 5', 'highest'])
  expect(namePlace(50, 1)).toBe('the only one')
  expect(namePlace(37.4, 40)).toBe('percentile 37')
  expect([3, 1, 9].map((value) => placeOf([1, 3, 9], value))).toEqual(['2nd', 'lowest', 'highest'])
  const many = Array.from({ length: 40 }, (_, at) => at)
  expect(placeOf(many, 20)).toBe('50th')
})
