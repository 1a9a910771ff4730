import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { checkRulesQuery, checksQuery, type RuleCounts } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { changeWhere } from '../../data/episodes/labels.ts'
import { changeRecipe, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { nameRule } from '../../data/rule-names.ts'
import { IconButton, Segmented } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import { formatCount, plural } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'

type Wanted = 'absent' | 'present'

/** By what the checks found, or did not find, episodes are taken. */
export function CheckChoice({ dataset, recipe, error }: { dataset: Manifest; recipe: Recipe; error: unknown }) {
  const rules = useQuery(checkRulesQuery)
  const checks = useQuery(checksQuery(dataset.id, dataset))
  const asked: Record<string, Wanted> = recipe.where?.checks ?? {}
  const chosen = Object.keys(asked)
  const ofEpisodes = new Set(rules.data?.filter(({ kind, of_set }) => kind === 'flag' && !of_set).map(({ id }) => id))
  const counted = checks.data?.rules.filter(({ id, failed }) => ofEpisodes.has(id) && failed === null) ?? []
  const offered = counted.filter(({ id }) => !chosen.includes(id)).sort(compareFound)
  if (counted.length === 0 && chosen.length === 0) return null
  const change = (next: Record<string, Wanted>) =>
    changeRecipe(dataset.id, { where: changeWhere(recipe.where, { checks: next }) })
  const remove = (id: string) => change(Object.fromEntries(Object.entries(asked).filter(([one]) => one !== id)))
  return (
    <fieldset className="above-12" aria-label="Only episodes by what the checks found">
      <div className="row wrap">
        <span className="dim">Only by what the checks found</span>
        <Select
          label="Add a rule of the checks"
          value=""
          options={[
            { value: '', label: 'choose a rule' },
            ...offered.map(({ id, episodes }) => ({ value: id, label: `${nameRule(id)}, ${describeFound(episodes)}` })),
          ]}
          onChange={(id) => id !== '' && change({ ...asked, [id]: 'absent' })}
        />
        <Link className="link small" to="/datasets/$datasetId/checks" params={{ datasetId: dataset.id }}>
          See the checks
        </Link>
      </div>
      {chosen.map((id) => (
        <ChosenRule
          key={id}
          id={id}
          wanted={asked[id] ?? 'absent'}
          episodes={counted.find((one) => one.id === id)?.episodes}
          total={dataset.metrics.total_episodes}
          fault={findFault(error, 'recipe', 'where', 'checks', id)}
          onChange={(wanted) => change({ ...asked, [id]: wanted })}
          onRemove={() => remove(id)}
        />
      ))}
    </fieldset>
  )
}

/** What most episodes have first. */
const compareFound = (a: RuleCounts, b: RuleCounts): number =>
  b.episodes - a.episodes || nameRule(a.id).localeCompare(nameRule(b.id))

const describeFound = (episodes: number): string =>
  episodes === 0 ? 'found nowhere' : `in ${plural(episodes, 'episode')}`

interface ChosenRuleProps {
  id: string
  wanted: Wanted
  /** In which it found something; undefined where it has no result. */
  episodes: number | undefined
  total: number
  fault: string | undefined
  onChange(wanted: Wanted): void
  onRemove(): void
}

function ChosenRule({ id, wanted, episodes, total, fault, onChange, onRemove }: ChosenRuleProps) {
  const count = (words: string, of: number | undefined) => (of === undefined ? words : `${words} ${formatCount(of)}`)
  return (
    <>
      <div className="row wrap above-6">
        <span>{nameRule(id)}</span>
        <Segmented<Wanted>
          small
          label={nameRule(id)}
          value={wanted}
          onChange={onChange}
          options={[
            { value: 'absent', label: count('not found', episodes === undefined ? undefined : total - episodes) },
            { value: 'present', label: count('found', episodes) },
          ]}
        />
        <IconButton small look="ghost" icon="close" label={`Do not ask for ${nameRule(id)}`} onClick={onRemove} />
      </div>
      {fault && (
        <p className="text-flag small above-4" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}
