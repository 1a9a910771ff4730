import { createStore, useStore } from '../session/store.ts'

/** Columns of the episode list that can be put away, in their order, with the names that the head gives them. */
export const listColumns = {
  task: 'Task',
  length: 'Length',
  seconds: 'Seconds',
  curve: 'Motion over time',
  motion: 'Motion',
  variance: 'Variance',
  success: 'Success',
  flags: 'Flags',
} as const

export type ListColumn = keyof typeof listColumns
const names = Object.keys(listColumns) as ListColumn[]

const storageKey = 'nmp.list-columns'

/** Those that somebody put away, in every dataset. */
const away = createStore<ReadonlySet<ListColumn>>(
  new Set(names.filter((name) => (localStorage.getItem(storageKey) ?? '').split(',').includes(name))),
)

export const useColumnsAway = (): ReadonlySet<ListColumn> => useStore(away)

export function toggleListColumn(column: ListColumn): void {
  const next = new Set(away.get())
  if (!next.delete(column)) next.add(column)
  localStorage.setItem(storageKey, [...next].join())
  away.set(next)
}

export const pickListColumns = (columnsAway: ReadonlySet<ListColumn>, hasSuccess: boolean): ListColumn[] =>
  names.filter((name) => !columnsAway.has(name) && (name !== 'success' || hasSuccess))

/** Tracks of the grid: the widths are the stylesheet's, which has others for narrow lists and drops the task first. */
export function drawTracks(shown: readonly ListColumn[]): Record<`--${string}`, string> {
  const tracks = (columns: readonly ListColumn[]) => columns.map((column) => `var(--w-${column})`).join(' ')
  return { '--tracks': tracks(shown), '--tracks-narrow': tracks(shown.filter((column) => column !== 'task')) }
}
