import { expect, test } from 'vitest'
import {
  forgetFeatures,
  listDimensions,
  moveDimension,
  renameFeature,
  toggleDimension,
  toggleFeature,
} from './feature-changes.ts'

const all = ['a', 'b', 'c']

test('a feature that is left out loses its new name and order; taken back, nothing is asked', () => {
  const named = moveDimension(renameFeature(null, 'action', 'command'), 'action', all, 'a', 1)
  expect(named).toEqual({ drop: null, rename: { action: 'command' }, dimensions: { action: ['b', 'a', 'c'] } })
  const dropped = toggleFeature(named, 'action')
  expect(dropped).toEqual({ drop: ['action'], rename: null, dimensions: null })
  expect(toggleFeature(dropped, 'action')).toBeNull()
})

test('features that are not there are forgotten wherever they are named', () => {
  const step = { drop: ['x', 'y'], rename: { x: 'z', a: 'b' }, dimensions: { x: ['1'] } }
  expect(forgetFeatures(step, ['x'])).toEqual({ drop: ['y'], rename: { a: 'b' }, dimensions: null })
  expect(forgetFeatures(step, ['x', 'y', 'a'])).toBeNull()
})

test('an empty name and its own name are no new one', () => {
  expect(renameFeature(null, 'action', 'action')).toBeNull()
  expect(renameFeature({ drop: ['x'], rename: { action: 'command' }, dimensions: null }, 'action', ' ')).toEqual({
    drop: ['x'],
    rename: null,
    dimensions: null,
  })
})

test('dimensions are moved, left out and put back at the end; all in their order is nothing', () => {
  const without = toggleDimension(null, 'action', all, 'b')
  expect(without?.dimensions).toEqual({ action: ['a', 'c'] })
  expect(listDimensions(all, without?.dimensions?.action).map(({ name, isKept }) => [name, isKept])).toEqual([
    ['a', true],
    ['c', true],
    ['b', false],
  ])
  const back = toggleDimension(without, 'action', all, 'b')
  expect(back?.dimensions).toEqual({ action: ['a', 'c', 'b'] })
  expect(moveDimension(back, 'action', all, 'b', -1)).toBeNull()
  expect(moveDimension(null, 'action', all, 'a', -1)).toBeNull()
  const one = { drop: null, rename: null, dimensions: { action: ['a'] } }
  expect(toggleDimension(one, 'action', all, 'a')).toEqual(one)
})
