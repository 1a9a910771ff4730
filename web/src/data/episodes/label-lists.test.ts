import { expect, test } from 'vitest'
import { joinLabels, listBySuccess } from './label-lists.ts'

const segment = { label: 'reach', start_frame: 0, end_frame: 5 }
const say = (episode_index: number, success: boolean | null, tags: string[] = [], segments = [segment].slice(1)) => ({
  episode_index,
  success,
  tags,
  segments,
})

test('the first set that says something counts, and tags are those of all', () => {
  const labels = joinLabels([
    [say(0, null, ['bright']), say(2, false)],
    [say(0, true, ['bright', 'left'], [segment]), say(2, true), say(1, true)],
  ])
  expect(labels.get(0)).toEqual({ success: true, isRecorded: false, tags: ['bright', 'left'], segments: [segment] })
  expect([listBySuccess(labels, true), listBySuccess(labels, false)]).toEqual([[0, 1], [2]])
  expect(listBySuccess(undefined, true)).toEqual([])
})

test('what people say goes before what the recording says', () => {
  const labels = joinLabels([[say(0, false), say(1, null, ['left'])]], [true, true, false])
  expect([listBySuccess(labels, true), listBySuccess(labels, false)]).toEqual([[1], [0, 2]])
  expect([0, 1, 2].map((index) => labels.get(index)?.isRecorded)).toEqual([false, true, true])
  expect(labels.get(1)?.tags).toEqual(['left'])
})
