import type { Manifest } from '../../data/dataset.ts'
import { changeWhere } from '../../data/episodes/labels.ts'
import { changeRecipe, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount } from '../../parts/formats.ts'

/** Of which splits episodes are taken; nothing to choose where all are in the same one. */
export function SplitChoice({ dataset, recipe }: { dataset: Manifest; recipe: Recipe }) {
  const { splits } = dataset
  const chosen = recipe.where?.splits_any ?? []
  const isOne = splits.length === 1 && splits[0]?.episode_count === dataset.metrics.total_episodes
  if (splits.length === 0 || (isOne && chosen.length === 0)) return null
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]
    changeRecipe(dataset.id, { where: changeWhere(recipe.where, { splits_any: next }) })
  }
  return (
    <fieldset className="row wrap above-12">
      <legend className="visually-hidden">Only episodes of these splits</legend>
      <span className="dim">Only of the splits</span>
      {splits.map(({ name, episode_count }) => (
        <Button key={name} small aria-pressed={chosen.includes(name)} onClick={() => toggle(name)}>
          {name} <span className="dim">{formatCount(episode_count)}</span>
        </Button>
      ))}
    </fieldset>
  )
}
