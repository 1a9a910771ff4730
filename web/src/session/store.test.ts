import { expect, test } from 'vitest'
import { createStore, createStoreByKey } from './store.ts'

test('whoever listens hears of each new value, and of none after leaving', () => {
  const store = createStore(1)
  const heard: number[] = []
  const stop = store.subscribe(() => heard.push(store.get()))
  store.set(2)
  store.set(2)
  store.set(3)
  stop()
  store.set(4)
  expect(heard).toEqual([2, 3])
  expect(store.get()).toBe(4)
})

test('each key has a store of its own, which begins with what its key reads', () => {
  const storeOf = createStoreByKey((key) => `first of ${key}`)
  storeOf('a').set('changed')
  expect(storeOf('a').get()).toBe('changed')
  expect(storeOf('b').get()).toBe('first of b')
})
