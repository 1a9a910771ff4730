import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toPixels } from '../data/crop-box.ts'
import type { Camera, Manifest } from '../data/dataset.ts'
import { annotationSetsQuery } from '../data/episode-rows.ts'
import { type ActionStep, type Crop, changeRecipe, type Recipe } from '../data/recipe-draft.ts'
import type { RecipeSearch } from '../data/searches.ts'
import { Check, Switch } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { formatCount } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { ActionFields, CropFields, ResizeFields } from './step-fields.tsx'
import './steps.css'

export type StepName = NonNullable<RecipeSearch['step']>

interface StepsProps {
  dataset: Manifest
  recipe: Recipe
  current: StepName
  onCurrent(step: StepName): void
  kept: Camera[]
  /** What the server said of the recipe, if it refused it. */
  error: unknown
  /** What cannot be read in the lists of episodes. */
  unread: string | undefined
  /** On a phone the preview of a step stands in it. */
  pane: ReactNode
}

const firstCrop: Crop = { left_pct: 5, top_pct: 5, width_pct: 90, height_pct: 90 }
const firstAction: ActionStep = {
  smoothing_window: 9,
  smoothing_mode: 'gaussian',
  clip_min: null,
  clip_max: null,
  scale: null,
}

/** The steps in the order in which they are applied; the order is the contract's. */
export function Steps({ dataset, recipe, current, onCurrent, kept, error, unread, pane }: StepsProps) {
  const change = (next: Partial<Recipe>) => changeRecipe(dataset.id, next)
  const camera = kept[0]
  const box = camera ? toPixels(recipe.crop, camera.width, camera.height) : undefined
  const sets = useQuery(annotationSetsQuery(dataset))
  const faults: Partial<Record<StepName, string | undefined>> = {
    episodes:
      unread ??
      findFault(error, 'recipe', 'selected_episode_indices') ??
      findFault(error, 'recipe', 'excluded_episode_indices') ??
      findFault(error, 'recipe', 'where') ??
      findFault(error, 'recipe', 'first_n_episodes'),
    cameras: findFault(error, 'recipe', 'camera_keys'),
    crop: findFault(error, 'recipe', 'crop'),
    resize: findFault(error, 'recipe', 'resize'),
    action: findFault(error, 'recipe', 'action'),
    annotations:
      findFault(error, 'recipe', 'annotation_set_id') ?? findFault(error, 'recipe', 'annotation_set_version'),
  }
  const step = (
    number: number,
    name: StepName,
    title: string,
    said: string,
    toggle: ReactNode,
    body: ReactNode,
    isOff = false,
  ) => (
    <li className="step" data-current={current === name} data-off={isOff} data-step={name}>
      <div className="step-head">
        <button type="button" aria-expanded={current === name} onClick={() => onCurrent(name)}>
          <span className="step-number">{number}</span>
          <span className="shrinkable">
            <b className="block">{title}</b>
            <span className="small mid block">{said}</span>
            {faults[name] && current !== name && <span className="small text-flag block">{faults[name]}</span>}
          </span>
        </button>
        {toggle ?? <Icon name="right" small />}
      </div>
      {current === name && body && <div className="step-body">{body}</div>}
      {current === name && pane && <div className="step-pane">{pane}</div>}
    </li>
  )
  return (
    <ol className="steps">
      {step(1, 'episodes', 'Episodes', describeEpisodes(recipe, dataset), undefined, undefined)}
      {step(
        2,
        'cameras',
        'Cameras',
        describeCameras(recipe, dataset),
        undefined,
        <div className="grid gap-4">
          {dataset.observation.cameras.map(({ key, label }) => {
            const isKept = kept.some((one) => one.key === key)
            return (
              <label key={key} className="row min-height-26">
                <Check
                  checked={isKept}
                  disabled={isKept && kept.length === 1}
                  onChange={() => {
                    const next = dataset.observation.cameras
                      .map((one) => one.key)
                      .filter((one) => (one === key ? !isKept : kept.some((two) => two.key === one)))
                    change({ camera_keys: next.length === dataset.observation.cameras.length ? null : next })
                  }}
                />
                {label}
              </label>
            )
          })}
        </div>,
      )}
      {step(
        3,
        'crop',
        'Crop',
        recipe.crop && box && camera
          ? `${box.width} x ${box.height} of ${camera.width} x ${camera.height} pixels`
          : 'whole frame',
        <Switch
          label="Crop"
          checked={recipe.crop !== null}
          disabled={!camera}
          onChange={(isOn) => {
            change({ crop: isOn ? firstCrop : null })
            onCurrent('crop')
          }}
        />,
        recipe.crop ? (
          <CropFields crop={recipe.crop} camera={camera} error={error} onChange={(crop) => change({ crop })} />
        ) : (
          <p className="small dim">Switch it on, or drag the frame's edges: one crop for all cameras kept.</p>
        ),
        recipe.crop === null,
      )}
      {step(
        4,
        'resize',
        'Resize',
        recipe.resize ? `${recipe.resize.width} x ${recipe.resize.height}, ${recipe.resize.mode}` : 'as it is',
        <Switch
          label="Resize"
          checked={recipe.resize !== null}
          disabled={!camera}
          onChange={(isOn) => {
            change({ resize: isOn ? { width: 224, height: 224, mode: 'fit' } : null })
            onCurrent('resize')
          }}
        />,
        recipe.resize && (
          <ResizeFields resize={recipe.resize} error={error} onChange={(resize) => change({ resize })} />
        ),
        recipe.resize === null,
      )}
      {step(
        5,
        'action',
        'Action',
        describeAction(recipe.action),
        <Switch
          label="Action"
          checked={recipe.action !== null}
          disabled={!dataset.action}
          onChange={(isOn) => {
            change({ action: isOn ? firstAction : null })
            onCurrent('action')
          }}
        />,
        recipe.action && (
          <ActionFields action={recipe.action} error={error} onChange={(action) => change({ action })} />
        ),
        recipe.action === null,
      )}
      {step(
        6,
        'annotations',
        'Annotations',
        sets.data?.find(({ id }) => id === recipe.annotation_set_id)?.name ?? 'none',
        <Switch
          label="Annotations"
          checked={recipe.annotation_set_id !== null}
          disabled={!sets.data?.length}
          onChange={(isOn) =>
            change({ annotation_set_id: isOn ? (sets.data?.[0]?.id ?? null) : null, annotation_set_version: null })
          }
        />,
        <p className="small dim">
          {sets.data?.length
            ? 'Task texts of the set replace those of the episodes; segments go into a file beside them.'
            : 'No annotation set yet: name segments in the player, and they can be used here.'}
        </p>,
        recipe.annotation_set_id === null,
      )}
    </ol>
  )
}

function describeEpisodes(recipe: Recipe, dataset: Manifest): string {
  const total = dataset.metrics.total_episodes
  const parts = [
    recipe.selected_episode_indices?.length
      ? `${formatCount(recipe.selected_episode_indices.length)} selected`
      : `all ${formatCount(total)}`,
  ]
  if (recipe.excluded_episode_indices?.length)
    parts.push(`without ${formatCount(recipe.excluded_episode_indices.length)}`)
  if (recipe.where?.splits_any?.length) parts.push(`of ${recipe.where.splits_any.join(' or ')}`)
  if (recipe.first_n_episodes) parts.push(`first ${recipe.first_n_episodes}`)
  return parts.join(', ')
}

function describeCameras(recipe: Recipe, dataset: Manifest): string {
  const all = dataset.observation.cameras
  if (all.length === 0) return 'none in this dataset'
  if (!recipe.camera_keys?.length) return `all ${all.length}`
  const kept = all.filter(({ key }) => recipe.camera_keys?.includes(key)).map(({ label }) => label)
  const out = all.filter(({ key }) => !recipe.camera_keys?.includes(key)).map(({ label }) => label)
  return `${kept.join(' and ')}; ${out.join(', ')} left out`
}

function describeAction(action: ActionStep | null): string {
  if (!action) return 'as recorded'
  const clip =
    action.clip_min === null && action.clip_max === null
      ? 'no clip'
      : `clip ${action.clip_min ?? '−∞'} to ${action.clip_max ?? '∞'}`
  return `${action.smoothing_window && action.smoothing_mode ? `${action.smoothing_mode}, window ${action.smoothing_window}` : 'not smoothed'}; scale ${action.scale ?? 1}; ${clip}`
}
