import type { Manifest } from '../data/dataset.ts'
import type { DatasetChange } from '../data/project.ts'

type FieldName = Manifest['edited_fields'][number]
export type FieldDraft = { [Field in FieldName]?: string | string[] }

/** A change of a dataset, what is said when it is done, and how to take it back. */
export interface DatasetEdit {
  body: DatasetChange
  said: string
  undo?: DatasetChange
}

/** Only what was changed is sent, since what is sent is kept from then on; undoing gives a field back to its source. */
export function planChange(dataset: Manifest, draft: FieldDraft): { change: DatasetChange; undo: DatasetChange } {
  const entries = Object.entries(draft) as [FieldName, string | string[]][]
  const changed = entries.filter(([field, value]) => String(dataset[field] ?? '') !== String(value))
  const before = changed.map(([field]) => [
    field,
    dataset.edited_fields.includes(field) ? (dataset[field] ?? '') : null,
  ])
  return { change: Object.fromEntries(changed), undo: Object.fromEntries(before) }
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
