import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type FeatureStatistics, featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import {
  type FeaturesStep,
  forgetFeatures,
  listDimensions,
  moveDimension,
  renameFeature,
  toggleDimension,
  toggleFeature,
} from '../../data/recipe/feature-changes.ts'
import { changeRecipe, changeRecipeBack, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { Button, Check, Field, IconButton } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import { plural } from '../../parts/formats.ts'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { showToast } from '../../parts/toasts.tsx'
import './features-pane.css'

/** LeRobot's counting columns: every dataset has them under these names. */
const obligatory = new Set(['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'])

interface FeaturesPaneProps {
  dataset: Manifest
  recipe: Recipe
  error: unknown
}

/** What is left out, what is called otherwise, and which dimensions stay in which order. */
export function FeaturesPane({ dataset, recipe, error }: FeaturesPaneProps) {
  const features = useQuery(featureStatisticsQuery(dataset.id))
  const shown = features.data?.filter(({ name }) => !obligatory.has(name)) ?? []
  const step = recipe.features
  const set = (next: FeaturesStep | null) => changeRecipe(dataset.id, { features: next })
  // Of a recipe that was made for another source.
  const unknown = listNamed(step).filter((name) => features.data && !features.data.some((one) => one.name === name))
  return (
    <section aria-label="Features">
      <div className="row height-36">
        <h2>Features</h2>
        <span className="dim desktop-only">columns and cameras, by the names they have in the source</span>
        {step && (
          <Button
            small
            className="end"
            onClick={() => showToast('All features as recorded', changeRecipeBack(dataset.id, { features: null }))}
          >
            As recorded
          </Button>
        )}
      </div>
      {features.error && <Failure error={features.error} what="The features did not load" />}
      {features.isLoading && <Skeleton />}
      {unknown.length > 0 && (
        <p className="text-flag small below-8">
          This dataset has no feature called {unknown.join(', ')}.{' '}
          <button type="button" className="link" onClick={() => set(forgetFeatures(step, unknown))}>
            Forget {unknown.length === 1 ? 'it' : 'them'}
          </button>
        </p>
      )}
      <ul className="feature-list">
        {shown.map((feature) => (
          <FeatureRow key={feature.name} feature={feature} step={step} error={error} onChange={set} />
        ))}
      </ul>
      <p className="small mid above-12">
        Episode, frame and task numbers and times are in every dataset. A camera that is only renamed keeps its files.
      </p>
    </section>
  )
}

const listNamed = (step: FeaturesStep | null): string[] => [
  ...new Set([...(step?.drop ?? []), ...Object.keys(step?.rename ?? {}), ...Object.keys(step?.dimensions ?? {})]),
]

interface FeatureRowProps {
  feature: FeatureStatistics
  step: FeaturesStep | null
  error: unknown
  onChange(step: FeaturesStep | null): void
}

function FeatureRow({ feature, step, error, onChange }: FeatureRowProps) {
  const { name, dtype, shape, names } = feature
  const isKept = !step?.drop?.includes(name)
  const own = step?.dimensions?.[name]
  const [isOpen, setOpen] = useState(own !== undefined)
  const isCamera = dtype === 'video' || dtype === 'image'
  const all =
    isCamera || shape.length !== 1 ? [] : (names ?? Array.from({ length: shape[0] ?? 0 }, (_, at) => String(at)))
  const fault =
    findFault(error, 'recipe', 'features', 'dimensions', name) ?? findPlaceFault(error, step?.drop ?? [], name)
  return (
    <li data-off={!isKept}>
      <div className="feature-row">
        <label className="row shrinkable">
          <Check checked={isKept} onChange={() => onChange(toggleFeature(step, name))} />
          <span className="clip">
            <b>{name}</b>{' '}
            <span className="dim small">
              {isCamera ? 'camera' : `${dtype}${shape.length > 0 ? ` ${shape.join(' x ')}` : ''}`}
            </span>
          </span>
        </label>
        {isKept && all.length > 1 && (
          <Button small look="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {own ? `${own.length} of ${plural(all.length, 'dimension')}` : plural(all.length, 'dimension')}
          </Button>
        )}
        {isKept && (
          <Field
            label={`New name of ${name}`}
            placeholder="same name"
            className="feature-name"
            value={step?.rename?.[name] ?? ''}
            maxLength={200}
            fault={findFault(error, 'recipe', 'features', 'rename', name)}
            onChange={(event) => onChange(renameFeature(step, name, event.target.value))}
          />
        )}
      </div>
      {isKept && isOpen && all.length > 1 && (
        <ol className="dimension-list" aria-label={`Dimensions of ${name}`}>
          {listDimensions(all, own).map(({ name: dimension, isKept: isUsed, place }) => (
            <li key={dimension} data-off={!isUsed}>
              <label className="row shrinkable">
                <Check
                  checked={isUsed}
                  disabled={isUsed && own?.length === 1}
                  onChange={() => onChange(toggleDimension(step, name, all, dimension))}
                />
                <span className="clip">{dimension}</span>
              </label>
              {isUsed && (
                <span className="row gap-2 end">
                  <IconButton
                    icon="up"
                    label={`${dimension} earlier`}
                    look="ghost"
                    small
                    disabled={place === 0}
                    onClick={() => onChange(moveDimension(step, name, all, dimension, -1))}
                  />
                  <IconButton
                    icon="down"
                    label={`${dimension} later`}
                    look="ghost"
                    small
                    disabled={place === (own ?? all).length - 1}
                    onClick={() => onChange(moveDimension(step, name, all, dimension, 1))}
                  />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {fault && (
        <p className="text-flag small" role="alert">
          {fault}
        </p>
      )}
    </li>
  )
}

/** `drop` is a list: the server names the place in it. */
const findPlaceFault = (error: unknown, drop: readonly string[], name: string): string | undefined => {
  const place = drop.indexOf(name)
  return place < 0 ? undefined : findFault(error, 'recipe', 'features', 'drop', String(place))
}
