import { Link } from '@tanstack/react-router'
import type { Manifest } from '../../data/dataset.ts'
import { changeTrim, clearEpisode, countFrames, listNamed } from '../../data/recipe/frame-cuts.ts'
import { changeRecipe, changeRecipeBack, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { Button, IconButton, Segmented } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import { formatCount, plural } from '../../parts/formats.ts'
import { showToast } from '../../parts/toasts.tsx'
import './time-pane.css'

const mostShown = 100

/** What was cut and split by hand, episode by episode; each can be put back. */
export function CutList({ dataset, recipe, error }: { dataset: Manifest; recipe: Recipe; error: unknown }) {
  const episodes = [...new Set([...Object.keys(recipe.trim?.ranges ?? {}), ...Object.keys(recipe.split ?? {})])]
    .map(Number)
    .sort((a, b) => a - b)
  const hasPieces = Object.values(recipe.trim?.ranges ?? {}).some((ranges) => ranges.length > 1)
  const remove = (said: string, change: Partial<Recipe>) => showToast(said, changeRecipeBack(dataset.id, change))
  const elsewhere = [findFault(error, 'recipe', 'trim', 'ranges'), findFault(error, 'recipe', 'split')].find(
    (fault) => fault !== undefined,
  )
  const isPlaced = episodes.slice(0, mostShown).some((index) => findEpisodeFault(error, index))
  return (
    <section aria-label="Cut by hand">
      <div className="row above-20 min-height-36">
        <h3>Cut by hand</h3>
        {episodes.length > 0 && <span className="count">{formatCount(episodes.length)}</span>}
        {episodes.length > 1 && (
          <Button
            small
            look="ghost"
            className="end"
            onClick={() =>
              remove('All frames are back', { trim: changeTrim(recipe.trim, { ranges: null }), split: null })
            }
          >
            Put all back
          </Button>
        )}
      </div>
      {episodes.length === 0 && (
        <p className="small mid">
          Nothing. In the player, mark in and out (I, O): keep only that (K), cut it out (D), or split the episode at
          the playhead (B).{' '}
          <Link
            className="link"
            to="/datasets/$datasetId/episodes/$episode"
            params={{ datasetId: dataset.id, episode: '0' }}
          >
            Open the player
          </Link>
        </p>
      )}
      {(hasPieces || recipe.trim?.inside === 'split') && (
        <div className="row wrap below-6">
          <span className="mid">Several ranges of an episode</span>
          <Segmented
            label="Several ranges of an episode"
            small
            value={recipe.trim?.inside ?? 'drop'}
            onChange={(inside) =>
              changeRecipe(dataset.id, {
                trim: changeTrim(recipe.trim, { inside: inside === 'drop' ? null : inside }),
              })
            }
            options={[
              { value: 'drop', label: 'joined' },
              { value: 'split', label: 'an episode each' },
            ]}
          />
        </div>
      )}
      {elsewhere && !isPlaced && <p className="text-flag small">{elsewhere}</p>}
      <ol className="cut-list">
        {episodes.slice(0, mostShown).map((index) => (
          <CutEpisode
            key={index}
            dataset={dataset}
            recipe={recipe}
            index={index}
            fault={findEpisodeFault(error, index)}
            onRemove={() => remove(`All frames of episode ${index} are back`, clearEpisode(recipe, index))}
          />
        ))}
      </ol>
      {episodes.length > mostShown && (
        <p className="small dim">and {plural(episodes.length - mostShown, 'more episode')}</p>
      )}
    </section>
  )
}

const findEpisodeFault = (error: unknown, index: number): string | undefined =>
  findFault(error, 'recipe', 'trim', 'ranges', String(index)) ?? findFault(error, 'recipe', 'split', String(index))

interface CutEpisodeProps {
  dataset: Manifest
  recipe: Recipe
  index: number
  fault: string | undefined
  onRemove(): void
}

function CutEpisode({ dataset, recipe, index, fault, onRemove }: CutEpisodeProps) {
  const ranges = listNamed(recipe, index)
  const split = recipe.split?.[index]
  const isUnnamed = split?.tasks?.some((text) => text === '') ?? false
  const setTask = (place: number, text: string) => {
    if (!split) return
    const texts = Array.from({ length: split.at.length + 1 }, (_, at) =>
      at === place ? text : (split.tasks?.[at] ?? ''),
    )
    const tasks = texts.some((one) => one !== '') ? texts : null
    changeRecipe(dataset.id, { split: { ...recipe.split, [index]: { ...split, tasks } } })
  }
  return (
    <li>
      <div className="row">
        <Link
          className="link nowrap"
          to="/datasets/$datasetId/episodes/$episode"
          params={{ datasetId: dataset.id, episode: String(index) }}
        >
          Episode {index}
        </Link>
        <span className="mid shrinkable">
          {ranges &&
            `frames ${ranges.map(([from, to]) => `${from} to ${to - 1}`).join(', ')} kept (${countFrames(ranges)})`}
          {ranges && split && '; '}
          {split && `split at ${split.at.join(', ')}`}
        </span>
        <span className="end">
          <IconButton icon="close" label={`Put episode ${index} back`} look="ghost" small onClick={onRemove} />
        </span>
      </div>
      {split && (
        <div className="cut-tasks">
          {[0, ...split.at].map((from, place) => (
            <label key={from} className="block">
              <span className="visually-hidden">
                Task of part {place + 1} of episode {index}
              </span>
              <span className="field">
                <input
                  placeholder={`Task of part ${place + 1} (as recorded)`}
                  value={split.tasks?.[place] ?? ''}
                  maxLength={10_000}
                  onChange={(event) => setTask(place, event.target.value)}
                />
              </span>
            </label>
          ))}
        </div>
      )}
      {(isUnnamed || fault) && (
        <p className="text-flag small" role="alert">
          {isUnnamed ? 'Every part needs a task text, or none has one.' : fault}
        </p>
      )}
    </li>
  )
}
