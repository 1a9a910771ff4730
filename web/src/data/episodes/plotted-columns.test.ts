import { expect, test } from 'vitest'
import { listPlottedColumns, listTextSpans, sayText } from './plotted-columns.ts'

test('every column but state, action, cameras and counters can be plotted, by its own names', () => {
  const dataset = {
    observation: { state: { key: 'observation.state' }, cameras: [{ key: 'top' }] },
    action: { key: 'action' },
    annotation: { keys: ['instruction', 'labels/success', 'subtask_index'] },
  } as unknown as Parameters<typeof listPlottedColumns>[0]
  const feature = (name: string, shape = [1], names: string[] | null = null) => ({
    name,
    shape,
    names,
    min: [0],
    max: [1],
  })
  const features = [
    ...['observation.state', 'action', 'top', 'frame_index', 'next.reward', 'subtask_index'].map((name) =>
      feature(name),
    ),
    feature('observation.velocity', [2], ['hip', 'knee']),
    feature('tactile', [2, 2]),
  ] as unknown as Parameters<typeof listPlottedColumns>[1]
  expect(listPlottedColumns(dataset, features).map(({ name, labels, isText }) => [name, labels, isText])).toEqual([
    ['next.reward', ['0'], false],
    ['subtask_index', ['0'], false],
    ['observation.velocity', ['hip', 'knee'], false],
    ['tactile', ['0', '1', '2', '3'], false],
    ['instruction', [''], true],
  ])
})

test('words stand where they hold, and frames without one stay empty', () => {
  expect(listTextSpans([0, 1, 2, 3, 4], ['a', 'a', '', 'b', 'a'], 5)).toEqual([
    { text: 'a', from: 0, to: 2 },
    { text: 'b', from: 3, to: 4 },
    { text: 'a', from: 4, to: 5 },
  ])
  expect(sayText([{ role: 'assistant', content: 'reach' }, { content: 'reach' }, { content: null }, 'grasp'])).toBe(
    'reach · grasp',
  )
})
