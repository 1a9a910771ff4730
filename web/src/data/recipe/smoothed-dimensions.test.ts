import { expect, test } from 'vitest'
import { noAction } from './recipe-draft.ts'
import { beginAction, isSmoothed, toggleSmoothed } from './smoothed-dimensions.ts'

const joint = (name: string) => ({ name, isSwitch: false })
const gripper = { name: 'gripper', isSwitch: true }
const arm = [joint('x'), joint('y'), gripper]

test('what switches is left alone at first, and everything else smoothed', () => {
  expect(beginAction(arm)).toMatchObject({ smoothing_window: 9, smoothing_dimensions: ['x', 'y'] })
  expect(beginAction([joint('x'), joint('y')])).toMatchObject({ smoothing_window: 9, smoothing_dimensions: null })
  expect(beginAction([])).toMatchObject({ smoothing_window: 9, smoothing_dimensions: null })
  expect(beginAction([gripper])).toEqual({ ...noAction, scale: 1 })
  // Two of one name: the recipe could not say which.
  expect(beginAction([joint('x'), { ...gripper, name: 'x' }])).toMatchObject({ smoothing_dimensions: null })
})

test('dimensions are switched one by one, and the last one ends the smoothing', () => {
  const all = toggleSmoothed(beginAction(arm), arm, 'gripper')
  expect(all).toMatchObject({ smoothing_window: 9, smoothing_dimensions: null })
  const one = toggleSmoothed(toggleSmoothed(all, arm, 'x'), arm, 'gripper')
  expect(one.smoothing_dimensions).toEqual(['y'])
  expect(['x', 'y', 'gripper'].map((name) => isSmoothed(one, name))).toEqual([false, true, false])
  const none = toggleSmoothed(one, arm, 'y')
  expect(none).toMatchObject({ smoothing_window: null, smoothing_dimensions: null })
  expect(toggleSmoothed(none, arm, 'x')).toMatchObject({ smoothing_window: 9, smoothing_dimensions: ['x'] })
})
