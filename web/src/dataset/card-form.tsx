import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { Button, Field } from '../parts/controls.tsx'
import { useChange } from '../parts/use-change.ts'
import { type DatasetEdit, planChange, splitList } from './field-change.ts'

interface CardFormProps {
  dataset: Manifest
  onChange(edit: DatasetEdit): Promise<unknown>
}

/** What the catalog shows beside the data: licence, languages, citation, a card in Markdown. */
export function CardForm({ dataset, onChange }: CardFormProps) {
  const [draft, setDraft] = useState({
    licence: dataset.licence ?? '',
    language: dataset.language.join(', '),
    citation: dataset.citation ?? '',
    card_markdown: dataset.card_markdown ?? '',
  })
  const saving = useChange(onChange)
  const write = (field: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value })
  return (
    <form
      className="grid gap-12"
      onSubmit={(event) => {
        event.preventDefault()
        const { change, undo } = planChange(dataset, { ...draft, language: splitList(draft.language) })
        saving.mutate({ body: change, said: 'Saved', undo })
      }}
    >
      <h2>Card</h2>
      <Field label="Licence, for example cc-by-4.0" showLabel value={draft.licence} onChange={write('licence')} />
      <Field
        label="Languages, separated by commas, for example en"
        showLabel
        value={draft.language}
        onChange={write('language')}
      />
      <label className="block">
        <span className="label">How to cite it</span>
        <span className="field area">
          <textarea rows={3} value={draft.citation} onChange={write('citation')} />
        </span>
      </label>
      <label className="block">
        <span className="label">Card, in Markdown</span>
        <span className="field area">
          <textarea rows={6} value={draft.card_markdown} onChange={write('card_markdown')} />
        </span>
      </label>
      <div>
        <Button type="submit">Save card</Button>
      </div>
    </form>
  )
}
