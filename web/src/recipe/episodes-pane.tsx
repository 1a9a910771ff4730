import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { showToast } from '../app/toasts.tsx'
import { useFlags } from '../dataset/flags-query.ts'
import { filteringQuery, type Manifest } from '../dataset/queries.ts'
import { Button, Field } from '../parts/controls.tsx'
import { plural } from '../parts/formats.ts'
import { changeRecipe, excludeEpisodes, type Recipe } from './draft.ts'
import { EpisodeChooser } from './episode-chooser.tsx'
import { readRanges, writeRanges } from './index-ranges.ts'

interface EpisodesPaneProps {
  dataset: Manifest
  recipe: Recipe
}

/** Which episodes are kept: all or a selection, less what is left out, then the first n. */
export function EpisodesPane({ dataset, recipe }: EpisodesPaneProps) {
  const total = dataset.metrics.total_episodes
  const flags = useFlags(dataset)
  const filtering = useQuery(filteringQuery(dataset.id))
  const flagged = [...new Set(flags.data?.map(({ episode_index }) => episode_index) ?? [])]
  const out = recipe.excluded_episode_indices ?? []
  const low = filtering.data?.low_motion_episodes.slice(0, Math.max(1, Math.round(total / 20))) ?? []
  const leaveOut = (indices: number[], said: string) =>
    showToast(`${indices.length} ${said}`, excludeEpisodes(dataset.id, indices))
  return (
    <section aria-label="Episodes">
      <div className="row" style={{ height: 36 }}>
        <h2>Episodes</h2>
        <span className="dim">
          {recipe.selected_episode_indices?.length
            ? plural(recipe.selected_episode_indices.length, 'selected')
            : `all ${total}`}
          {out.length > 0 && `, without ${out.length}`}
        </span>
      </div>
      <div className="grid gap-3 desk:grid-cols-2">
        <RangeField
          label="Keep only (empty: all)"
          indices={recipe.selected_episode_indices ?? []}
          total={total}
          onChange={(indices) =>
            changeRecipe(dataset.id, { selected_episode_indices: indices.length ? indices : null })
          }
        />
        <RangeField
          label="Leave out"
          indices={out}
          total={total}
          onChange={(indices) =>
            changeRecipe(dataset.id, { excluded_episode_indices: indices.length ? indices : null })
          }
        />
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
      <div className="row flex-wrap mt-3">
        {flagged.length > 0 && (
          <Button small icon="flag" onClick={() => leaveOut(flagged, 'flagged episodes left out')}>
            Leave out the {plural(flagged.length, 'flagged one')}
          </Button>
        )}
        {low.length > 0 && (
          <Button
            small
            onClick={() =>
              leaveOut(
                low.map(({ episode_index }) => episode_index),
                'episodes of least motion left out',
              )
            }
          >
            Leave out the {low.length} of least motion
          </Button>
        )}
        {recipe.selected_episode_indices && recipe.selected_episode_indices.length > 0 && (
          <Button
            small
            onClick={() =>
              changeRecipe(dataset.id, {
                selected_episode_indices: null,
                excluded_episode_indices: [...new Set([...out, ...(recipe.selected_episode_indices ?? [])])].sort(
                  (a, b) => a - b,
                ),
              })
            }
          >
            Leave the selection out instead
          </Button>
        )}
        <Link className="btn sm ghost" to="/datasets/$datasetId/insights" params={{ datasetId: dataset.id }}>
          Choose in Insights
        </Link>
      </div>
      <EpisodeChooser dataset={dataset} recipe={recipe} />
    </section>
  )
}

interface RangeFieldProps {
  label: string
  indices: readonly number[]
  total: number
  onChange(indices: number[]): void
}

function RangeField({ label, indices, total, onChange }: RangeFieldProps) {
  const written = writeRanges(indices)
  const [text, setText] = useState(written)
  useEffect(() => setText(written), [written])
  const read = readRanges(text, total)
  return (
    <Field
      label={label}
      showLabel
      placeholder="0-10, 15"
      value={text}
      fault={read ? undefined : `Numbers from 0 to ${total - 1}, such as 0-10, 15.`}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => read && onChange(read)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && read) onChange(read)
      }}
    />
  )
}
