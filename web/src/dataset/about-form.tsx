import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { Button, Field } from '../parts/controls.tsx'
import { useChange } from '../parts/use-change.ts'
import { type DatasetEdit, planChange, splitList } from './field-change.ts'

interface AboutFormProps {
  dataset: Manifest
  onChange(edit: DatasetEdit): Promise<unknown>
}

export function AboutForm({ dataset, onChange }: AboutFormProps) {
  const [draft, setDraft] = useState<{ title?: string; description?: string; tags?: string }>({})
  const saving = useChange(onChange)
  return (
    <form
      className="grid gap-12"
      onSubmit={(event) => {
        event.preventDefault()
        const { tags, ...texts } = draft
        const plan = planChange(dataset, { ...texts, ...(tags === undefined ? {} : { tags: splitList(tags) }) })
        saving.mutate({ body: plan.change, said: 'Saved', undo: plan.undo })
      }}
    >
      <h2>About</h2>
      <Field
        label="Title"
        showLabel
        value={draft.title ?? dataset.title}
        onChange={(event) => setDraft({ ...draft, title: event.target.value })}
      />
      <label className="block">
        <span className="label">Description</span>
        <span className="field area">
          <textarea
            rows={3}
            value={draft.description ?? dataset.description}
            onChange={(event) => setDraft({ ...draft, description: event.target.value })}
          />
        </span>
      </label>
      <Field
        label="Tags, by comma"
        showLabel
        value={draft.tags ?? dataset.tags.join(', ')}
        onChange={(event) => setDraft({ ...draft, tags: event.target.value })}
      />
      <div>
        <Button type="submit">Save</Button>
      </div>
    </form>
  )
}
