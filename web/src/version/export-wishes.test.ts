import { expect, test } from 'vitest'
import { readWishes, sumTargets } from './export-wishes.ts'

const horizon = { type: 'integer', minimum: 1, maximum: 1000, default: 50 }
const targets = [
  { key: 'lerobot', options: { properties: {} } },
  { key: 'openpi-norm-stats', options: { properties: { horizon } } },
  { key: 'zarr', options: { properties: { container: { type: 'string', enum: ['zip', 'folder'], default: 'zip' } } } },
]

test('several forms in one request: in the order of the list, with what differs from the usual, of the chosen only', () => {
  const typed = { zarr: { container: 'folder' }, 'openpi-norm-stats': { horizon: '50' } }
  expect(readWishes(targets, new Set(['zarr', 'openpi-norm-stats']), typed)).toEqual({
    keys: ['openpi-norm-stats', 'zarr'],
    options: { zarr: { container: 'folder' } },
    isFaulty: false,
  })
  expect(readWishes(targets, new Set(['lerobot']), typed)).toEqual({ keys: ['lerobot'], options: {}, isFaulty: false })
})

test('a form whose option cannot be read holds up the request; the options of the others stay for their sizes', () => {
  const typed = { zarr: { container: 'folder' }, 'openpi-norm-stats': { horizon: '0' } }
  expect(readWishes(targets, new Set(['zarr', 'openpi-norm-stats']), typed)).toMatchObject({
    options: { zarr: { container: 'folder' } },
    isFaulty: true,
  })
  expect(readWishes(targets, new Set(['zarr']), typed).isFaulty).toBe(false)
})

test('the sum of what was chosen', () => {
  const one = { estimated_bytes: 10, estimated_files: 2, estimate: 'settled' as const }
  expect(sumTargets([one, { ...one, estimate: 'measuring' }])).toEqual({ bytes: 20, files: 4, isMeasuring: true })
  expect(sumTargets([])).toEqual({ bytes: 0, files: 0, isMeasuring: false })
})
