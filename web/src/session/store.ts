import { useSyncExternalStore } from 'react'

/** A value that several parts of the page show: whoever changes it tells all of them. */
export interface Store<T> {
  get(): T
  /** The same value again tells nobody. */
  set(next: T): void
  /** Answers how to stop listening. */
  subscribe(listener: () => void): () => void
}

export function createStore<T>(first: T): Store<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A store for each key (a dataset's id), made when it is first asked for. */
export function createStoreByKey<T>(readFirst: (key: string) => T): (key: string) => Store<T> {
  const stores = new Map<string, Store<T>>()
  return (key) => {
    const store = stores.get(key) ?? createStore(readFirst(key))
    stores.set(key, store)
    return store
  }
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get)
