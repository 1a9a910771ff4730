import { expect, test } from 'vitest'
import { listOptions, readOptions } from './target-options.ts'

const schema = {
  type: 'object',
  properties: {
    horizon: { type: 'integer', minimum: 1, maximum: 1000, default: 50, description: 'Steps of a chunk.' },
    mask: { type: 'array', default: [], description: 'Which are deltas.' },
    video: { type: 'string', enum: ['copy', 'h264'], default: 'copy', description: 'How.' },
    strange: { type: 'null' },
  },
}

test('only what differs from the usual is sent, in the form that the API takes', () => {
  const options = listOptions(schema)
  expect(options.map(({ name, usual }) => [name, usual])).toEqual([
    ['horizon', '50'],
    ['mask', ''],
    ['video', 'copy'],
  ])
  expect(readOptions(options, { horizon: '50', mask: '6, -1, true', video: 'h264' })).toEqual({
    values: { mask: [6, -1, true], video: 'h264' },
    faults: {},
  })
})

test('what cannot be sent is a sentence beside its field', () => {
  const { values, faults } = readOptions(listOptions(schema), { horizon: '0.5', mask: 'left' })
  expect(values).toEqual({})
  expect(faults).toEqual({
    horizon: 'A whole number from 1 to 1000.',
    mask: 'Whole numbers, or true and false, between commas.',
  })
})
