import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { episodesQuery, type Manifest } from '../../data/dataset.ts'
import { changeRecipe, excludeEpisodes, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { Poster } from '../../episode/poster.tsx'
import { Button, Field, IconButton } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { showFault, showToast } from '../../parts/toasts.tsx'
import { client } from '../../session/client.ts'
import './episode-chooser.css'

const pageSize = 24

/** Looks for episodes by their task, and keeps or leaves out what was found; or one by one, by their pictures. */
export function EpisodeChooser({ dataset, recipe }: { dataset: Manifest; recipe: Recipe }) {
  const [text, setText] = useState('')
  const [page, setPage] = useState(0)
  const q = useDeferredValue(text.trim())
  const found = useQuery({
    ...episodesQuery(dataset.id, { offset: page * pageSize, limit: pageSize, ...(q ? { q } : {}) }),
    placeholderData: keepPreviousData,
  })
  // How many come first is known before they are: their place is kept.
  const total = found.data?.total ?? (q === '' ? dataset.metrics.total_episodes : 0)
  const camera = dataset.observation.cameras[0]
  const out = new Set(recipe.excluded_episode_indices ?? [])
  const selected = recipe.selected_episode_indices?.length ? new Set(recipe.selected_episode_indices) : undefined
  const take = async (isKept: boolean) => {
    const indices = await listFound(dataset.id, q)
    const before = recipe.selected_episode_indices
    if (!isKept) {
      showToast(`${plural(indices.length, 'episode')} left out`, excludeEpisodes(dataset.id, indices))
      return
    }
    changeRecipe(dataset.id, { selected_episode_indices: indices })
    showToast(`Only ${plural(indices.length, 'episode')} kept`, () =>
      changeRecipe(dataset.id, { selected_episode_indices: before }),
    )
  }
  const toggle = (index: number) => {
    if (out.has(index)) changeRecipe(dataset.id, { excluded_episode_indices: [...out].filter((one) => one !== index) })
    else if (selected && !selected.has(index))
      changeRecipe(dataset.id, { selected_episode_indices: [...selected, index].sort((a, b) => a - b) })
    else excludeEpisodes(dataset.id, [index])
  }
  const fail = (error: Error) => showFault(error.message)
  return (
    <section className="above-20" aria-label="Choose episodes">
      <div className="row wrap">
        <Field
          label="Task text or episode number"
          placeholder="Task text or episode number"
          icon="search"
          className="width-240"
          value={text}
          data-page-search
          onChange={(event) => {
            setText(event.target.value)
            setPage(0)
          }}
        />
        {q !== '' && (
          <>
            <Button small disabled={total === 0} onClick={() => void take(true).catch(fail)}>
              Keep only the {formatCount(total)} found
            </Button>
            <Button small disabled={total === 0} onClick={() => void take(false).catch(fail)}>
              Leave them out
            </Button>
          </>
        )}
        <span className="end row small dim">
          {total > 0 && `${page * pageSize + 1} to ${Math.min(total, (page + 1) * pageSize)} of ${formatCount(total)}`}
          <IconButton
            icon="left"
            label="Episodes before"
            small
            disabled={page === 0}
            onClick={() => setPage(page - 1)}
          />
          <IconButton
            icon="right"
            label="More episodes"
            small
            disabled={(page + 1) * pageSize >= total}
            onClick={() => setPage(page + 1)}
          />
        </span>
      </div>
      {found.data && total === 0 && <p className="dim above-12">No task contains this text.</p>}
      <div className="episode-tiles">
        {found.isLoading &&
          Array.from({ length: Math.min(pageSize, total) }, (_, tile) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
            <span key={tile} className="episode-tile" aria-hidden="true">
              <span className="thumb" />
              <span className="small">&nbsp;</span>
            </span>
          ))}
        {found.data?.items.map(({ episode_index: index, length_frames, tasks, duration_sec }) => {
          const isOut = out.has(index) || (selected !== undefined && !selected.has(index))
          return (
            <button
              type="button"
              key={index}
              className="episode-tile"
              data-out={isOut}
              aria-pressed={!isOut}
              title={tasks.join('; ')}
              onClick={() => toggle(index)}
            >
              {camera ? (
                <Poster
                  dataset={dataset}
                  episode={index}
                  camera={camera.key}
                  frame={Math.floor(length_frames * 0.45)}
                  className="thumb"
                />
              ) : (
                <span className="thumb" />
              )}
              <span className="small">
                <b>{index}</b> <span className="dim">{isOut ? 'left out' : `${duration_sec.toFixed(1)} s`}</span>
              </span>
            </button>
          )
        })}
      </div>
    </section>
  )
}

/** All that a search finds: a recipe counts episodes, it does not search. */
async function listFound(datasetId: string, q: string): Promise<number[]> {
  const indices: number[] = []
  for await (const { episode_index } of client.catalog.iterateEpisodes({ dataset_id: datasetId, q, limit: 200 }))
    indices.push(episode_index)
  return indices.sort((a, b) => a - b)
}
