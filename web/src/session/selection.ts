import { useSyncExternalStore } from 'react'

/** Which episodes are selected, per dataset; it stays across the tabs of a dataset. */
const selections = new Map<string, ReadonlySet<number>>()
const none: ReadonlySet<number> = new Set()
const listeners = new Set<() => void>()

const getSelection = (datasetId: string): ReadonlySet<number> => selections.get(datasetId) ?? none

export function setSelection(datasetId: string, indices: Iterable<number>): void {
  selections.set(datasetId, new Set(indices))
  for (const listener of listeners) listener()
}

export function toggleSelected(datasetId: string, index: number): void {
  const next = new Set(getSelection(datasetId))
  if (!next.delete(index)) next.add(index)
  setSelection(datasetId, next)
}

export const useSelection = (datasetId: string): ReadonlySet<number> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => getSelection(datasetId),
  )
