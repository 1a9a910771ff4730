import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startProgress } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('there is no percentage before the size is known, and its seconds show that it is alive', () => {
  const seen: { pct?: number; message?: string }[] = []
  const board = startProgress((progress) => seen.push(progress))
  board.enter('fetch')
  vi.advanceTimersByTime(5000)
  board.advance(1e6, null, '1.0 MB are fetched.')
  vi.advanceTimersByTime(5000)
  expect(seen.every(({ pct }) => pct === undefined)).toBe(true)
  expect(seen.at(-1)?.message).toBe('1.0 MB are fetched. 5 s so far.')
  board.advance(2e6, 8e6)
  expect(seen.at(-1)?.pct).toBeGreaterThan(0)
  board.stop()
  const later = startProgress((progress) => seen.push(progress), 2)
  later.enter('convert')
  expect(seen.at(-1)).toMatchObject({ pct: 30, message: 'Attempt 2: Writing the canonical dataset.' })
  vi.advanceTimersByTime(60_000)
  expect(seen.at(-1)?.pct).toBe(30)
  later.stop()
})

test('once it is known the bar moves every second, also after the last word of a phase, and never goes back', () => {
  const shown: number[] = []
  const board = startProgress(({ pct }) => {
    if (pct !== undefined) shown.push(pct)
  })
  board.enter('convert')
  vi.advanceTimersByTime(60_000)
  for (const [done, total] of [
    [1, 40],
    [20, 40],
    [2, 40],
    [40, 40],
  ] as const) {
    board.advance(done, total)
    for (let second = 0; second < 30; second += 1) {
      const before = shown.at(-1) ?? 0
      vi.advanceTimersByTime(1000)
      expect(shown.at(-1)).toBeGreaterThan(before)
    }
  }
  const last = shown.at(-1) ?? 0
  board.enter('verify')
  expect(shown.at(-1)).toBeGreaterThan(last)
  expect(shown).toEqual(shown.toSorted((one, other) => one - other))
  board.stop()
})
