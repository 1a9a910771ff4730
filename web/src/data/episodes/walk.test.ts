import { expect, test } from 'vitest'
import { findPlace, nameList } from './walk.ts'

test('an episode stands between the two of its list, whatever their numbers', () => {
  const walk = { indices: [9, 2, 40], words: 'flagged' }
  expect(findPlace(walk, 2)).toEqual({ place: 2, total: 3, words: 'flagged', previous: 9, next: 40 })
  expect(findPlace(walk, 9)).toMatchObject({ place: 1, previous: undefined, next: 2 })
  expect(findPlace(walk, 3)).toBeUndefined()
  expect(findPlace(undefined, 3)).toBeUndefined()
})

test('a list is named by what narrows it and what orders it; the plain one has no name', () => {
  expect(nameList({})).toBeUndefined()
  expect(nameList({ show: 'low-motion' })).toBe('that stand out by low motion')
  expect(nameList({ split: 'val', q: 'cup', sort: 'duration' })).toBe('in val, that match “cup”, by length')
  expect(nameList({ order: 'desc' })).toBe('from the last')
})
