import { useState } from 'react'
import { Button, Field } from '../parts/controls.tsx'
import type { DatasetChange } from '../project/queries.ts'
import type { Manifest } from './queries.ts'

interface CardFormProps {
  dataset: Manifest
  onChange(change: DatasetChange, said: string, undo: DatasetChange): void
}

/** What the catalog shows beside the data: licence, citation, a card in Markdown. */
export function CardForm({ dataset, onChange }: CardFormProps) {
  const before = {
    licence: dataset.licence,
    citation: dataset.citation,
    card_markdown: dataset.card_markdown,
  }
  const [draft, setDraft] = useState(before)
  const write = (field: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value || null })
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onChange(draft, 'Saved', before)
      }}
    >
      <h2>Card</h2>
      <Field label="Licence, for example cc-by-4.0" showLabel value={draft.licence ?? ''} onChange={write('licence')} />
      <label className="block">
        <span className="label">How to cite it</span>
        <span className="field area">
          <textarea rows={3} value={draft.citation ?? ''} onChange={write('citation')} />
        </span>
      </label>
      <label className="block">
        <span className="label">Card, in Markdown</span>
        <span className="field area">
          <textarea rows={6} value={draft.card_markdown ?? ''} onChange={write('card_markdown')} />
        </span>
      </label>
      <div>
        <Button type="submit">Save card</Button>
      </div>
    </form>
  )
}
