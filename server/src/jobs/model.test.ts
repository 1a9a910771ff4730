import { expect, test } from 'vitest'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { type Protocol, soundProtocol } from './model.ts'
import { exploreProtocol } from './model-explorer.ts'

test('no order of claims, crashes, expiries, cancels and collections breaks the protocol with two workers', () => {
  const { violation, stateCount, stepCount } = exploreProtocol(soundProtocol, 2, 3)
  expect(violation).toBeUndefined()
  expect(stateCount).toBeGreaterThan(5000)
  expect(stepCount).toBeGreaterThan(stateCount)
})

if (isLongRun)
  test('nor with three workers', { timeout: 300_000 }, () => {
    expect(exploreProtocol(soundProtocol, 3, 3).violation).toBeUndefined()
  })

const variants: [string, Partial<Protocol>, RegExp][] = [
  ['finish by id only', { finishFence: 'id' }, /^I[126]/],
  ['finish by state only', { finishFence: 'state' }, /^I6/],
  ['fail by id only', { failFence: 'id' }, /^I[26]/],
  ['heartbeat without the epoch', { heartbeatFence: 'state' }, /^I6/],
  ['release without the epoch', { releaseFence: 'state' }, /^I[56]/],
  ['finish that ignores a cancel', { finishHeedsCancel: false }, /^I4/],
  ['publication before the upload', { uploadFirst: false }, /^I3/],
  ['collection without the deleting fence', { collectorFence: false }, /^I3/],
  ['sweep without a look at the state', { sweepChecksState: false }, /^I2/],
  ['attempts counted when they fail', { attemptsCountedAtClaim: false }, /^I5/],
]

test.each(variants)('the broken variant is caught: %s', (_name, change, expected) => {
  expect(exploreProtocol({ ...soundProtocol, ...change }, 2, 3).violation).toMatch(expected)
})
