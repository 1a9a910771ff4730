import { expect, test } from 'vitest'
import { findPlaceDimensions, suggestJoints, toModelValue } from './joint-map.ts'

const turning = (...names: string[]) => names.map((name) => ({ name, isSliding: false }))

test('joints are found by name, whatever is written around it, and the unit by how far the numbers go', () => {
  const joints = [...turning('shoulder_pan_joint', 'elbow'), { name: 'left_finger', isSliding: true }]
  expect(suggestJoints(joints, ['elbow.pos', 'main_shoulder_pan', 'finger'], [90, 45, 0.04])).toEqual([
    { joint: 'shoulder_pan_joint', dimension: 1, unit: 'deg' },
    { joint: 'elbow', dimension: 0, unit: 'deg' },
    { joint: 'left_finger', dimension: 2, unit: 'm' },
  ])
})

test('numbers of joints are names', () => {
  expect(suggestJoints(turning('joint2', 'panda_joint1'), ['joint_1.pos', 'joint_2.pos'], [1, 1])).toEqual([
    { joint: 'joint2', dimension: 1, unit: 'rad' },
    { joint: 'panda_joint1', dimension: 0, unit: 'rad' },
  ])
})

test('where no name says anything, place counts if there are as many, and nothing otherwise', () => {
  expect(suggestJoints(turning('a', 'b'), ['s0', 's1'], [1, 2])).toEqual([
    { joint: 'a', dimension: 0, unit: 'rad' },
    { joint: 'b', dimension: 1, unit: 'rad' },
  ])
  expect(suggestJoints(turning('a', 'b', 'c'), ['s0', 's1'], [1, 2])).toEqual([])
})

test('a URDF counts in radians and metres', () => {
  expect([toModelValue(180, 'deg'), toModelValue(5, 'mm'), toModelValue(2, 'rad')]).toEqual([Math.PI, 0.005, 2])
})

test('the place of the hand is what is called x, y and z, or the start of a pose', () => {
  expect(findPlaceDimensions('observation.state', ['gripper', 'eef_x', 'eef_y', 'eef_z'])).toEqual([1, 2, 3])
  expect(findPlaceDimensions('observation.eef_pos', ['0', '1', '2'])).toEqual([0, 1, 2])
  expect(findPlaceDimensions('observation.state', ['shoulder', 'elbow', 'wrist'])).toBeUndefined()
})
