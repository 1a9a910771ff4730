import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { filteringQuery, type Manifest } from '../../data/dataset.ts'
import { listOutliers } from '../../data/episodes/outliers.ts'
import { useFlags } from '../../data/flags.ts'
import { changeRecipe, excludeEpisodes, type Recipe, turnSelectionAround } from '../../data/recipe/recipe-draft.ts'
import { Button, Field } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { showToast } from '../../parts/toasts.tsx'
import { CheckChoice } from './check-choice.tsx'
import { EpisodeChooser } from './episode-chooser.tsx'
import { LabelChoice } from './label-choice.tsx'
import { RangeField } from './range-field.tsx'
import { SplitChoice } from './split-choice.tsx'
import { findUnread, type UnreadLists } from './unread-lists.ts'

interface EpisodesPaneProps {
  dataset: Manifest
  recipe: Recipe
  unread: UnreadLists
  onUnread(unread: UnreadLists): void
  /** What the server said of the recipe, if it refused it. */
  error: unknown
}

/** Which episodes are kept: all or a selection, less what is left out, then the first n. */
export function EpisodesPane({ dataset, recipe, unread, onUnread, error }: EpisodesPaneProps) {
  const total = dataset.metrics.total_episodes
  const flags = useFlags(dataset)
  const filtering = useQuery(filteringQuery(dataset.id))
  const flagged = [...new Set(flags.data?.map(({ episode_index }) => episode_index) ?? [])]
  const kept = recipe.selected_episode_indices ?? []
  const out = recipe.excluded_episode_indices ?? []
  const low = listOutliers(filtering.data)?.lowMotion ?? []
  const leaveOut = (indices: number[], said: string) =>
    showToast(`${plural(indices.length, 'episode')} ${said} left out`, excludeEpisodes(dataset.id, indices))
  const list = (label: string, name: keyof UnreadLists) => (
    <RangeField
      label={label}
      indices={recipe[name]}
      total={total}
      unread={findUnread(unread, recipe, name)}
      onUnread={(text) => {
        const { [name]: _, ...others } = unread
        onUnread(text === undefined ? others : { ...others, [name]: { text, over: recipe[name] } })
      }}
      onChange={(indices) => changeRecipe(dataset.id, { [name]: indices })}
    />
  )
  return (
    <section aria-label="Episodes">
      <div className="row height-36">
        <h2>Episodes</h2>
        <span className="dim">
          {kept.length > 0 ? `only the ${formatCount(kept.length)} selected` : `all ${formatCount(total)}`}
          {out.length > 0 && `, without ${formatCount(out.length)}`}
        </span>
      </div>
      <div className="grid gap-12 two-columns">
        {list('Keep only (empty: all)', 'selected_episode_indices')}
        {list('Leave out', 'excluded_episode_indices')}
        <Field
          label="Then only the first n (empty: all)"
          showLabel
          type="number"
          min={1}
          max={total}
          value={recipe.first_n_episodes ?? ''}
          onChange={(event) =>
            changeRecipe(dataset.id, {
              first_n_episodes: event.target.value ? Math.max(1, Number(event.target.value)) : null,
            })
          }
        />
      </div>
      <SplitChoice dataset={dataset} recipe={recipe} />
      <LabelChoice dataset={dataset} recipe={recipe} error={error} />
      <CheckChoice dataset={dataset} recipe={recipe} error={error} />
      <div className="row wrap above-12">
        {flagged.length > 0 && (
          <Button small icon="flag" onClick={() => leaveOut(flagged, 'with flags')}>
            Leave out the {plural(flagged.length, 'flagged one')}
          </Button>
        )}
        {low.length > 0 && (
          <Button small onClick={() => leaveOut(low, 'of low motion')}>
            Leave out the {formatCount(low.length)} of low motion
          </Button>
        )}
        {kept.length + out.length > 0 && (
          <Button
            small
            onClick={() => showToast('Kept and left-out episodes were swapped', turnSelectionAround(dataset.id))}
          >
            {nameTurn(kept.length, out.length)}
          </Button>
        )}
        <Link className="button small ghost" to="/datasets/$datasetId/insights" params={{ datasetId: dataset.id }}>
          Choose in Insights
        </Link>
      </div>
      <EpisodeChooser dataset={dataset} recipe={recipe} />
    </section>
  )
}

function nameTurn(kept: number, out: number): string {
  if (out === 0) return `Leave ${kept === 1 ? 'it' : `these ${formatCount(kept)}`} out instead`
  return kept === 0 ? `Keep only ${out === 1 ? 'it' : `these ${formatCount(out)}`} instead` : 'Swap kept and left out'
}
