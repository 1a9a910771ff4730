import { expect, test } from 'vitest'
import { listPieces, listPlaces } from './hand-path.ts'

test('a row with a missing number is no place, and the way has a gap there', () => {
  const values = [
    [9, 9, 9, 9, 9],
    [1, 2, 3, 4, 5],
    [10, 20, null, 40, 50],
    [100, 200, 300, 400, 500],
  ]
  const places = listPlaces(values, [1, 2, 3])
  expect(places).toEqual([[1, 10, 100], [2, 20, 200], null, [4, 40, 400], [5, 50, 500]])
  expect(listPieces(places)).toEqual([
    [1, 10, 100],
    [2, 20, 200],
    [4, 40, 400],
    [5, 50, 500],
  ])
  expect(listPieces([null, [1, 1, 1], null])).toEqual([])
})
