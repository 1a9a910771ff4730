import type { AnnotationSet } from '@nmp/sdk/generated/records'
import type { Recipe } from '../../data/recipe/recipe-draft.ts'
import { findFault } from '../../parts/faults.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { Select } from '../../parts/select.tsx'

interface AnnotationFieldsProps {
  sets: readonly AnnotationSet[]
  recipe: Recipe
  error: unknown
  onChange(change: Partial<Recipe>): void
}

/** Which set, and which version of it: the newest where none is named, pinned when the version is made. */
export function AnnotationFields({ sets, recipe, error, onChange }: AnnotationFieldsProps) {
  const chosen = recipe.annotation_set_id ?? ''
  const set = sets.find(({ id }) => id === chosen)
  return (
    <div className="grid gap-8 above-8">
      <Select
        label="Set"
        showLabel
        value={chosen}
        options={[
          ...sets.map(({ id, name }) => ({ value: id, label: name })),
          ...(set ? [] : [{ value: chosen, label: chosen }]),
        ]}
        onChange={(id) => onChange({ annotation_set_id: id, annotation_set_version: null })}
      />
      <NumberField
        label="Version"
        step={1}
        min={1}
        {...(set ? { max: set.latest_version } : {})}
        placeholder={set ? `${set.latest_version}, the newest` : 'the newest'}
        value={recipe.annotation_set_version}
        fault={findFault(error, 'recipe', 'annotation_set_version')}
        onChange={(version) => onChange({ annotation_set_version: version })}
      />
    </div>
  )
}
