import { createStoreByKey, useStore } from './store.ts'

/** Which episodes are selected, per dataset; it stays across the tabs of a dataset. */
const selectionOf = createStoreByKey<ReadonlySet<number>>(() => new Set())

export const setSelection = (datasetId: string, indices: Iterable<number>): void =>
  selectionOf(datasetId).set(new Set(indices))

/** What is selected elsewhere stays selected. */
export const addToSelection = (datasetId: string, indices: Iterable<number>): void =>
  setSelection(datasetId, [...selectionOf(datasetId).get(), ...indices])

export function toggleSelected(datasetId: string, index: number): void {
  const next = new Set(selectionOf(datasetId).get())
  if (!next.delete(index)) next.add(index)
  selectionOf(datasetId).set(next)
}

export const useSelection = (datasetId: string): ReadonlySet<number> => useStore(selectionOf(datasetId))
