import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { expect, test } from 'vitest'
import { browseDatasets } from './browse-datasets.ts'

const make = (title: string, more: Partial<ProjectDataset>): ProjectDataset =>
  ({
    id: `ds_${title}`,
    slug: title,
    title,
    description: '',
    robot_type: null,
    embodiment: null,
    tags: [],
    tasks: [],
    camera_keys: [],
    source_kind: 'lerobot',
    total_seconds: 1,
    total_episodes: 1,
    size_bytes: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    ...more,
  }) as ProjectDataset

const cups = make('cups', { robot_type: 'so101', tags: ['kitchen'], tasks: ['Stack the cups'], total_seconds: 600 })
const towel = make('towel', { robot_type: 'aloha', tags: ['kitchen', 'two arms'], camera_keys: ['a', 'b'] })
const bolts = make('bolts', { robot_type: 'so101', created_at: '2026-02-01T00:00:00.000Z', camera_keys: ['a'] })
const all = [cups, towel, bolts]
const titles = (search: Parameters<typeof browseDatasets>[1]) =>
  browseDatasets(all, search).items.map(({ title }) => title)

test('words are found at the start of words of title, tags, tasks and robot', () => {
  expect(titles({ q: 'sta cup' })).toEqual(['cups'])
  expect(titles({ q: 'arms' })).toEqual(['towel'])
  expect(titles({ q: 'tack' })).toEqual([])
})

test('the newest come first, and other orders are kept', () => {
  expect(titles({})).toEqual(['bolts', 'cups', 'towel'])
  expect(titles({ sort: 'recorded' })[0]).toBe('cups')
  expect(titles({ sort: 'name' })).toEqual(['bolts', 'cups', 'towel'])
})

test('a filter counts what its other values would leave, not only what it leaves itself', () => {
  const { items, found } = browseDatasets(all, { robot_type: 'so101' })
  expect(items.map(({ title }) => title)).toEqual(['bolts', 'cups'])
  expect(found.facets?.robot_type).toEqual([
    { value: 'so101', count: 2 },
    { value: 'aloha', count: 1 },
  ])
  expect(found.facets?.tag).toEqual([{ value: 'kitchen', count: 1 }])
  expect(found.totals).toEqual({ episodes: 2, seconds: 601, bytes: 2 })
})

test('a range leaves what lies in it, and its histogram shows all', () => {
  const { items, found } = browseDatasets(all, { min_seconds: 100 })
  expect(items).toEqual([cups])
  expect(found.histograms?.seconds).toEqual([
    { low: 0, high: 3.16228, count: 2 },
    { low: 316.228, high: 1000, count: 1 },
  ])
})
