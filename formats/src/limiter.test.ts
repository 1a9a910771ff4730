import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedLimiter, createLimiter, mapAtMost } from './limiter.ts'

test('at most so many run at a time, the others in the order in which they came', async () => {
  const limiter = createLimiter(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const runs = [0, 1, 2, 3].map((number) =>
    limiter.run(() => {
      begun.push(number)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await turn()
  expect([begun, limiter.waitingCount]).toEqual([[0, 1], 2])
  ends[1]?.()
  await turn()
  expect([begun, limiter.waitingCount]).toEqual([[0, 1, 2], 1])
  ends[0]?.()
  await turn()
  for (const end of ends) end()
  await Promise.all(runs)
  expect(begun).toEqual([0, 1, 2, 3])
})

test('a place that was taken comes back when its work failed, and when it is given back', async () => {
  const limiter = createLimiter(1)
  await expect(limiter.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const giveBack = await limiter.take()
  const next = limiter.run(async () => 'run')
  await turn()
  expect(limiter.waitingCount).toBe(1)
  giveBack()
  expect(await next).toBe('run')
})

test('who waits, waits for their own key only', async () => {
  const limiter = createKeyedLimiter(1)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const runs = ['ada', 'ada', 'grace'].map((key, index) =>
    limiter.run(key, () => {
      begun.push(`${key} ${index}`)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await turn()
  expect(begun).toEqual(['ada 0', 'grace 2'])
  for (const end of ends) end()
  await turn()
  expect(begun).toEqual(['ada 0', 'grace 2', 'ada 1'])
  ends[2]?.()
  await Promise.all(runs)
  await expect(limiter.run('ada', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await limiter.run('ada', async () => 'run')).toBe('run')
})

test('results stand in the order of the items, whichever ends first', async () => {
  const turns = async (count: number): Promise<number> => {
    for (let done = 0; done < count; done++) await turn()
    return count
  }
  expect(await mapAtMost(3, [5, 1, 3, 0], turns)).toEqual([5, 1, 3, 0])
  expect(await mapAtMost(3, [], turns)).toEqual([])
})

test('after the first failure nothing more begins, and what was begun is waited for', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const work = async (item: number): Promise<void> => {
    begun.push(item)
    await turn()
    if (item === 1) throw new Error('the second')
    await turn()
    ended.push(item)
  }
  await expect(mapAtMost(2, [0, 1, 2, 3], work)).rejects.toThrow('the second')
  expect([begun, ended]).toEqual([[0, 1], [0]])
})
