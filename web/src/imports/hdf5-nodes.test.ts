import type { Hdf5DatasetSummary, Hdf5SourceSummary } from '@nmp/sdk/generated/records'
import { expect, test } from 'vitest'
import { buildTree, describeLayout, listVisible } from './hdf5-nodes.ts'

const dataset = (path: string, more: Partial<Hdf5DatasetSummary> = {}) =>
  ({ path, attrs: {}, ...more }) as Hdf5DatasetSummary
const none = { image: [], jpeg_bytes: [], padded_jpeg: [], image_path: [] }
const summary = {
  groups: [
    { path: '/', attrs: {} },
    { path: '/data/', attrs: { total: 2 } },
  ],
  datasets: [dataset('data/demo_0/obs/top', { attrs: { fps: 20 } }), dataset('data/demo_0/actions'), dataset('/mask')],
  preview_candidates: {
    ...none,
    image: [{ path: '/data/demo_0/obs/top', camera_key: 'top' }],
    jpeg_bytes: [{ path: 'mask' }],
  },
} as unknown as Hdf5SourceSummary

test('flat lists become a tree, with the groups that nobody named', () => {
  const roots = buildTree(summary)
  expect(roots.map(({ name }) => name)).toEqual(['/data', '/mask'])
  const [data] = roots
  expect(data).toMatchObject({ attrs: { total: 2 }, dataset: undefined, depth: 0 })
  const [demo] = data?.children ?? []
  expect(demo?.children.map(({ path, depth }) => [path, depth])).toEqual([
    ['/data/demo_0/obs', 2],
    ['/data/demo_0/actions', 2],
  ])
  expect(demo?.children[0]?.children[0]).toMatchObject({ name: 'top', attrs: { fps: 20 }, role: 'top, pictures' })
  expect(roots[1]?.role).toBe('JPEG')
})

test('rows are the roots, and what lies below whatever is open', () => {
  const roots = buildTree(summary)
  const show = (...open: string[]) => listVisible(roots, new Set(open)).map(({ path }) => path)
  expect(show()).toEqual(['/data', '/mask'])
  expect(show('/data', '/data/demo_0')).toEqual([
    '/data',
    '/data/demo_0',
    '/data/demo_0/obs',
    '/data/demo_0/actions',
    '/mask',
  ])
  expect(show('/data/demo_0')).toEqual(['/data', '/mask'])
})

test('the layout of an array is a sentence', () => {
  expect(describeLayout(dataset('/a', { chunks: null }))).toBe('contiguous')
  expect(describeLayout(dataset('/a', { chunks: [1, 64, 64], compression: 'gzip' }))).toBe('chunks 1 x 64 x 64, gzip')
  expect(describeLayout(dataset('/a', { chunks: [8], compression: null }))).toBe('chunks 8')
})
