import { expect, test } from 'vitest'
import type { ColumnFeature } from '../../feature.ts'
import { describeModality } from './modality.ts'

const column = (name: string, names: string[]): ColumnFeature => ({
  ...{ kind: 'column', name, dtype: 'float32', shape: [names.length], names },
})

test('parts of the body by the names of dimensions; one part where they tell nothing', () => {
  const so100 = ['shoulder_pan.pos', 'elbow_flex.pos', 'gripper.pos']
  const bimanual = ['left_waist', 'left_gripper', 'right_waist', 'right_gripper']
  expect(describeModality([column('observation.state', bimanual), column('action', so100)])).toEqual({
    state: {
      left_arm: { start: 0, end: 1 },
      left_gripper: { start: 1, end: 2 },
      right_arm: { start: 2, end: 3 },
      right_gripper: { start: 3, end: 4 },
    },
    action: { single_arm: { start: 0, end: 2 }, gripper: { start: 2, end: 3 } },
    video: {},
    annotation: { 'human.task_description': { original_key: 'task_index' } },
  })
  const plain = describeModality([column('observation.state', ['x', 'y']), column('action', ['a'])])
  expect(plain).toMatchObject({ state: { state: { start: 0, end: 2 } }, action: { action: { start: 0, end: 1 } } })
})
