import { expect, test } from 'vitest'
import { countMine, findNext } from './review-queue.ts'

const queue = { episodes: [7, 3, 9, 1, 5], people: [{ id: 'ada' }, { id: 'bo' }] }
const walk = (person: string | undefined, decided = new Set<number>()) => {
  const seen: number[] = []
  for (let next = findNext(queue, (one) => decided.has(one), person); next !== undefined; ) {
    seen.push(next)
    decided.add(next)
    next = findNext(queue, (one) => decided.has(one), person, next)
  }
  return seen
}

test('each goes through their own in the order of the queue, then through what the other left, from its end', () => {
  expect(walk('ada')).toEqual([7, 9, 5, 1, 3])
  expect(walk('bo')).toEqual([3, 1, 5, 9, 7])
  expect(walk('eve')).toEqual(queue.episodes)
  expect(walk('ada', new Set([9, 1]))).toEqual([7, 5, 3])
})

test('who passed one over comes back to it, and is done when all is decided', () => {
  const isDecided = (episode: number) => episode !== 7 && episode !== 3
  expect(findNext(queue, isDecided, 'ada', 5)).toBe(7)
  expect(findNext(queue, () => true, 'ada', 5)).toBeUndefined()
  expect([countMine(queue, isDecided, 'ada'), countMine(queue, isDecided, 'bo')]).toEqual([1, 1])
})
