import { useQuery } from '@tanstack/react-query'
import type { Manifest } from '../../data/dataset.ts'
import { annotationSetsQuery } from '../../data/episodes/episode-rows.ts'
import { changeWhere, type Label, labelsQuery } from '../../data/episodes/labels.ts'
import { changeRecipe, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { Button, Segmented } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import { formatCount } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'

/** More would not be read. */
const mostShown = 24

/** By which labels of an annotation set episodes are taken. */
export function LabelChoice({ dataset, recipe, error }: { dataset: Manifest; recipe: Recipe; error: unknown }) {
  const sets = useQuery(annotationSetsQuery(dataset))
  const setId = recipe.annotation_set_id
  const labels = useQuery(labelsQuery(dataset, setId, recipe.annotation_set_version))
  const { where } = recipe
  const change = (next: Parameters<typeof changeWhere>[1]) =>
    changeRecipe(dataset.id, { where: changeWhere(where, next) })
  const asksLabels = Boolean(where && (where.success !== null || where.tags_any?.length || where.tasks_any?.length))
  if (!sets.data?.length && setId === null && !asksLabels) return null
  const options = [
    { value: '', label: 'no annotation set' },
    ...(sets.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ...(setId !== null && !sets.data?.some(({ id }) => id === setId) ? [{ value: setId, label: setId }] : []),
  ]
  const fault = ['success', 'tags_any', 'tasks_any']
    .map((key) => findFault(error, 'recipe', 'where', key))
    .find((one) => one !== undefined)
  return (
    <fieldset className="above-12" aria-label="Only episodes with these labels">
      <div className="row wrap">
        <span className="dim">Only what is labelled so by</span>
        <Select
          label="Annotation set of the labels"
          value={setId ?? ''}
          options={options}
          onChange={(id) =>
            changeRecipe(dataset.id, { annotation_set_id: id === '' ? null : id, annotation_set_version: null })
          }
        />
        {(setId !== null || asksLabels) && (
          <Segmented
            label="Success"
            small
            value={where?.success === true ? 'success' : where?.success === false ? 'failure' : 'any'}
            onChange={(next) => change({ success: next === 'any' ? null : next === 'success' })}
            options={[
              { value: 'any', label: 'any' },
              { value: 'success', label: count('success', labels.data?.successes) },
              { value: 'failure', label: count('no success', labels.data?.failures) },
            ]}
          />
        )}
      </div>
      <Choices
        title="Tags"
        labels={labels.data?.tags}
        chosen={where?.tags_any ?? []}
        onChange={(tags_any) => change({ tags_any })}
      />
      <Choices
        title="Tasks"
        labels={labels.data?.tasks}
        chosen={where?.tasks_any ?? []}
        onChange={(tasks_any) => change({ tasks_any })}
      />
      {fault && (
        <p className="text-flag small above-4" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

const count = (name: string, of: number | undefined): string => (of === undefined ? name : `${name} ${formatCount(of)}`)

interface ChoicesProps {
  title: string
  labels: readonly Label[] | undefined
  chosen: readonly string[]
  onChange(chosen: string[]): void
}

/** What is chosen stays to be seen, whether the set has it or not. */
function Choices({ title, labels = [], chosen, onChange }: ChoicesProps) {
  const shown = [
    ...chosen.map((name) => labels.find((one) => one.name === name) ?? { name, count: 0 }),
    ...labels.filter(({ name }) => !chosen.includes(name)).slice(0, mostShown),
  ]
  if (shown.length === 0) return null
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <div className="row wrap above-6">
      <span className="dim">{title}</span>
      {shown.map((label) => (
        <Button
          key={label.name}
          small
          aria-pressed={chosen.includes(label.name)}
          title={label.name}
          onClick={() => toggle(label.name)}
        >
          <span className="clip max-width-220">{label.name}</span>{' '}
          <span className="dim">{formatCount(label.count)}</span>
        </Button>
      ))}
    </div>
  )
}
