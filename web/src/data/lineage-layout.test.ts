import { expect, test } from 'vitest'
import { layOutLineage } from './lineage-layout.ts'

test('stands right of all it came from, one to a place', () => {
  const edges = [
    { from: 'import', to: 'revision' },
    { from: 'revision', to: 'first' },
    { from: 'revision', to: 'second' },
    { from: 'first', to: 'third' },
    { from: 'revision', to: 'third' },
  ]
  const placed = layOutLineage(['third', 'second', 'first', 'revision', 'import'], edges)
  const columns = Object.fromEntries(placed.map(({ id, column }) => [id, column]))
  expect(columns).toEqual({ import: 0, revision: 1, first: 2, second: 2, third: 3 })
  expect(new Set(placed.map(({ column, row }) => `${column} ${row}`)).size).toBe(5)
})

test('a circle is drawn, too', () => {
  const edges = [
    { from: 'one', to: 'other' },
    { from: 'other', to: 'one' },
  ]
  expect(layOutLineage(['one', 'other'], edges)).toHaveLength(2)
})
