import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startProgress } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('the bar moves every second, also after the last word of a phase, and never goes back', () => {
  const shown: number[] = []
  const board = startProgress(({ pct }) => {
    if (pct !== undefined) shown.push(pct)
  })
  board.enter('convert')
  for (const [done, total] of [
    [1, 40],
    [20, 40],
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
  board.stop()
})
