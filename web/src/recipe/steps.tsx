import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Camera, Manifest } from '../data/dataset.ts'
import { annotationSetsQuery } from '../data/episodes/episode-rows.ts'
import { toPixels } from '../data/recipe/crop-box.ts'
import { findUnnamedSplit } from '../data/recipe/frame-cuts.ts'
import type { MergeDraft } from '../data/recipe/merge-draft.ts'
import { type ActionStep, type Crop, changeRecipe, noAction, type Recipe } from '../data/recipe/recipe-draft.ts'
import { type ActionDimension, beginAction } from '../data/recipe/smoothed-dimensions.ts'
import { Check, Switch } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { plural } from '../parts/formats.ts'
import {
  allFrames,
  changesValues,
  describeAction,
  describeCameras,
  describeEpisodes,
  describeFeatures,
  describeSources,
  describeTime,
} from './describe-steps.ts'
import { listSourceFaults } from './sources/source-faults.ts'
import { Step, type StepName } from './step.tsx'
import { ActionFields, CropFields, ResizeFields } from './step-fields.tsx'
import { AnnotationFields } from './values/annotation-fields.tsx'
import './steps.css'

interface StepsProps {
  dataset: Manifest
  recipe: Recipe
  merge: MergeDraft | null
  current: StepName
  onCurrent(step: StepName): void
  kept: Camera[]
  /** Undefined until the first preview has told them. */
  dimensions: readonly ActionDimension[] | undefined
  /** What the server said of the recipe, if it refused it. */
  error: unknown
  /** What cannot be read in the lists of episodes. */
  unread: string | undefined
  /** On a phone the preview of a step stands in it. */
  pane: ReactNode
}

const firstCrop: Crop = { left_pct: 5, top_pct: 5, width_pct: 90, height_pct: 90 }

/** The shift belongs to the step of time: switching the other changes on or off leaves it. */
const switchAction = (first: ActionStep | undefined, shift: number | null): ActionStep | null =>
  first || shift ? { ...(first ?? noAction), shift_frames: shift } : null

/** The steps in the order in which they are applied; the order is the contract's. */
export function Steps(props: StepsProps) {
  const { dataset, recipe, merge, current, onCurrent, kept, dimensions, error, unread, pane } = props
  const change = (next: Partial<Recipe>) => changeRecipe(dataset.id, next)
  const camera = kept[0]
  const box = camera ? toPixels(recipe.crop, camera.width, camera.height) : undefined
  const sets = useQuery(annotationSetsQuery(dataset))
  const unnamed = findUnnamedSplit(recipe)
  const sourceFaults = merge ? listSourceFaults(error) : []
  const faults: Partial<Record<StepName, string | undefined>> = {
    episodes:
      unread ??
      findFault(error, 'recipe', 'selected_episode_indices') ??
      findFault(error, 'recipe', 'excluded_episode_indices') ??
      findFault(error, 'recipe', 'where') ??
      findFault(error, 'recipe', 'first_n_episodes'),
    time:
      (unnamed && `Every part of episode ${unnamed} needs a task text, or none has one.`) ??
      findFault(error, 'recipe', 'trim') ??
      findFault(error, 'recipe', 'split') ??
      findFault(error, 'recipe', 'fps') ??
      findFault(error, 'recipe', 'action', 'shift_frames'),
    features: findFault(error, 'recipe', 'features'),
    cameras: findFault(error, 'recipe', 'camera_keys'),
    crop: findFault(error, 'recipe', 'crop'),
    resize: findFault(error, 'recipe', 'resize'),
    action: findFault(error, 'recipe', 'action'),
    annotations:
      findFault(error, 'recipe', 'annotation_set_id') ?? findFault(error, 'recipe', 'annotation_set_version'),
    sources: sourceFaults.length > 0 ? `${plural(sourceFaults.length, 'line')} to look at` : undefined,
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
      <Step
        {...of('time')}
        number={2}
        title="Time"
        said={describeTime(recipe)}
        isOff={describeTime(recipe) === allFrames}
      />
      <Step {...of('cameras')} number={3} title="Cameras" said={describeCameras(recipe, dataset)}>
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
        number={4}
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
        number={5}
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
        number={6}
        title="Action"
        said={describeAction(recipe.action)}
        isOff={!changesValues(recipe.action)}
        toggle={
          <Switch
            label="Action"
            checked={changesValues(recipe.action)}
            disabled={!dataset.action || !dimensions}
            onChange={(isOn) => {
              change({
                action: switchAction(
                  isOn ? beginAction(dimensions ?? []) : undefined,
                  recipe.action?.shift_frames ?? null,
                ),
              })
              onCurrent('action')
            }}
          />
        }
      >
        {recipe.action && changesValues(recipe.action) && (
          <ActionFields
            action={recipe.action}
            dimensions={dimensions ?? []}
            error={error}
            onChange={(action) => change({ action })}
          />
        )}
      </Step>
      <Step
        {...of('features')}
        number={7}
        title="Features"
        said={describeFeatures(recipe.features)}
        isOff={recipe.features === null}
      />
      <Step
        {...of('annotations')}
        number={8}
        title="Annotations"
        said={sets.data?.find(({ id }) => id === recipe.annotation_set_id)?.name ?? recipe.annotation_set_id ?? 'none'}
        isOff={recipe.annotation_set_id === null}
        toggle={
          <Switch
            label="Annotations"
            checked={recipe.annotation_set_id !== null}
            disabled={!sets.data?.length && recipe.annotation_set_id === null}
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
        {recipe.annotation_set_id !== null && (
          <AnnotationFields sets={sets.data ?? []} recipe={recipe} error={error} onChange={change} />
        )}
      </Step>
      <Step {...of('sources')} number={9} title="Sources" said={describeSources(merge)} isOff={merge === null} />
    </ol>
  )
}
