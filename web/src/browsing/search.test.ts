import { expect, test } from 'vitest'
import { nameFacetValue, noFilter, noRange, rangeOf, readCatalogSearch } from './search.ts'

test('filters are read from the address, and what makes no sense is left out', () => {
  const search = readCatalogSearch({
    q: 42,
    tag: '',
    cameras: 2,
    min_bytes: '10.2',
    max_bytes: 20.9,
    min_seconds: '1.5',
    max_seconds: -1,
    min_episodes: 'many',
    sort: 'size',
    view: 'list',
    measure: 'bytes',
  })
  expect(search).toMatchObject({ q: '42', cameras: '2', min_bytes: 11, max_bytes: 20, min_seconds: 1.5 })
  expect(search).toMatchObject({ sort: 'size', view: 'list', measure: 'bytes' })
  for (const key of ['tag', 'max_seconds', 'min_episodes', 'task'] as const) expect(search[key]).toBeUndefined()
  expect(readCatalogSearch({ sort: 'newest', view: 'grid', cameras: '9', measure: 'seconds' })).toEqual(
    readCatalogSearch({}),
  )
})

test('a range has an end or none, and is taken away whole', () => {
  const search = readCatalogSearch({ min_bytes: 5, max_episodes: 9 })
  expect(rangeOf(search, 'bytes')).toEqual({ low: 5, high: undefined })
  expect(rangeOf(search, 'episodes')).toEqual({ low: 0, high: 9 })
  expect(rangeOf(search, 'seconds')).toBeUndefined()
  expect(rangeOf({ ...search, ...noRange('bytes') }, 'bytes')).toBeUndefined()
  expect(rangeOf({ ...search, ...noFilter }, 'episodes')).toBeUndefined()
})

test('values of a facet have names', () => {
  expect(nameFacetValue('cameras', '4-or-more')).toBe('4 or more')
  expect(nameFacetValue('source_kind', 'hdf5')).toBe('HDF5')
  expect(nameFacetValue('source_kind', 'new')).toBe('new')
  expect(nameFacetValue('tag', 'hdf5')).toBe('hdf5')
})
