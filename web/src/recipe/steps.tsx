import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toPixels } from '../data/crop-box.ts'
import type { Camera, Manifest } from '../data/dataset.ts'
import { annotationSetsQuery } from '../data/episode-rows.ts'
import { type ActionStep, type Crop, changeRecipe, type Recipe } from '../data/recipe-draft.ts'
import { Check, Switch } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { describeAction, describeCameras, describeEpisodes } from './describe-steps.ts'
import { Step, type StepName } from './step.tsx'
import { ActionFields, CropFields, ResizeFields } from './step-fields.tsx'
import './steps.css'

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
  shift_frames: null,
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
  const of = (name: StepName) => ({
    name,
    fault: faults[name],
    isCurrent: current === name,
    onOpen: () => onCurrent(name),
    pane,
  })
  return (
    <ol className="steps">
      <Step {...of('episodes')} number={1} title="Episodes" said={describeEpisodes(recipe, dataset)} />
      <Step {...of('cameras')} number={2} title="Cameras" said={describeCameras(recipe, dataset)}>
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
        </div>
      </Step>
      <Step
        {...of('crop')}
        number={3}
        title="Crop"
        said={
          recipe.crop && box && camera
            ? `${box.width} x ${box.height} of ${camera.width} x ${camera.height} pixels`
            : 'whole frame'
        }
        isOff={recipe.crop === null}
        toggle={
          <Switch
            label="Crop"
            checked={recipe.crop !== null}
            disabled={!camera}
            onChange={(isOn) => {
              change({ crop: isOn ? firstCrop : null })
              onCurrent('crop')
            }}
          />
        }
      >
        {recipe.crop ? (
          <CropFields crop={recipe.crop} camera={camera} error={error} onChange={(crop) => change({ crop })} />
        ) : (
          <p className="small dim">Switch it on, or drag the frame's edges: one crop for all cameras kept.</p>
        )}
      </Step>
      <Step
        {...of('resize')}
        number={4}
        title="Resize"
        said={recipe.resize ? `${recipe.resize.width} x ${recipe.resize.height}, ${recipe.resize.mode}` : 'as it is'}
        isOff={recipe.resize === null}
        toggle={
          <Switch
            label="Resize"
            checked={recipe.resize !== null}
            disabled={!camera}
            onChange={(isOn) => {
              change({ resize: isOn ? { width: 224, height: 224, mode: 'fit' } : null })
              onCurrent('resize')
            }}
          />
        }
      >
        {recipe.resize && (
          <ResizeFields resize={recipe.resize} error={error} onChange={(resize) => change({ resize })} />
        )}
      </Step>
      <Step
        {...of('action')}
        number={5}
        title="Action"
        said={describeAction(recipe.action)}
        isOff={recipe.action === null}
        toggle={
          <Switch
            label="Action"
            checked={recipe.action !== null}
            disabled={!dataset.action}
            onChange={(isOn) => {
              change({ action: isOn ? firstAction : null })
              onCurrent('action')
            }}
          />
        }
      >
        {recipe.action && (
          <ActionFields action={recipe.action} error={error} onChange={(action) => change({ action })} />
        )}
      </Step>
      <Step
        {...of('annotations')}
        number={6}
        title="Annotations"
        said={sets.data?.find(({ id }) => id === recipe.annotation_set_id)?.name ?? 'none'}
        isOff={recipe.annotation_set_id === null}
        toggle={
          <Switch
            label="Annotations"
            checked={recipe.annotation_set_id !== null}
            disabled={!sets.data?.length}
            onChange={(isOn) =>
              change({ annotation_set_id: isOn ? (sets.data?.[0]?.id ?? null) : null, annotation_set_version: null })
            }
          />
        }
      >
        <p className="small dim">
          {sets.data?.length
            ? 'Task texts of the set replace those of the episodes; segments go into a file beside them.'
            : 'No annotation set yet: name segments in the player, and they can be used here.'}
        </p>
      </Step>
    </ol>
  )
}
