import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Camera, Manifest } from '../dataset/queries.ts'
import { Button, Check, Field, Segmented, Switch } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { annotationSetsQuery } from '../player/queries.ts'
import { toPixels } from './crop-box.ts'
import { type ActionStep, type Crop, changeRecipe, type Recipe, type Resize } from './draft.ts'

export type StepName = 'episodes' | 'cameras' | 'crop' | 'resize' | 'action' | 'annotations'

interface StepsProps {
  dataset: Manifest
  recipe: Recipe
  current: StepName
  onCurrent(step: StepName): void
  kept: Camera[]
}

const wholeFrame: Crop = { left_pct: 0, top_pct: 0, width_pct: 100, height_pct: 100 }
const firstCrop: Crop = { left_pct: 5, top_pct: 5, width_pct: 90, height_pct: 90 }
const firstAction: ActionStep = {
  smoothing_window: 9,
  smoothing_mode: 'gaussian',
  clip_min: null,
  clip_max: null,
  scale: null,
}

/** The steps in the order in which they are applied; the order is the contract's. */
export function Steps({ dataset, recipe, current, onCurrent, kept }: StepsProps) {
  const change = (next: Partial<Recipe>) => changeRecipe(dataset.id, next)
  const camera = kept[0]
  const box = camera ? toPixels(recipe.crop, camera.width, camera.height) : undefined
  const sets = useQuery(annotationSetsQuery(dataset))
  const step = (
    number: number,
    name: StepName,
    title: string,
    said: string,
    toggle: ReactNode,
    body: ReactNode,
    isOff = false,
  ) => (
    <li className="rb-step" data-current={current === name} data-off={isOff}>
      <div className="rb-step-head">
        <button type="button" aria-expanded={current === name} onClick={() => onCurrent(name)}>
          <span className="rb-n">{number}</span>
          <span className="min-w-0">
            <b className="block">{title}</b>
            <span className="sm mid block">{said}</span>
          </span>
        </button>
        {toggle ?? <Icon name="right" small />}
      </div>
      {current === name && body && <div className="rb-step-body">{body}</div>}
    </li>
  )
  return (
    <ol className="rb-steps">
      {step(1, 'episodes', 'Episodes', describeEpisodes(recipe, dataset), undefined, undefined)}
      {step(
        2,
        'cameras',
        'Cameras',
        describeCameras(recipe, dataset),
        undefined,
        <div className="grid gap-1">
          {dataset.observation.cameras.map(({ key, label }) => {
            const isKept = kept.some((one) => one.key === key)
            return (
              <label key={key} className="row" style={{ minHeight: 26 }}>
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
          <CropFields crop={recipe.crop} camera={camera} onChange={(crop) => change({ crop })} />
        ) : (
          <p className="sm dim">Switch it on, or drag the frame's edges: one crop for all cameras kept.</p>
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
        recipe.resize && <ResizeFields resize={recipe.resize} onChange={(resize) => change({ resize })} />,
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
        recipe.action && <ActionFields action={recipe.action} onChange={(action) => change({ action })} />,
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
        <p className="sm dim">
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
    recipe.selected_episode_indices?.length ? `${recipe.selected_episode_indices.length} selected` : `all ${total}`,
  ]
  if (recipe.excluded_episode_indices?.length) parts.push(`without ${recipe.excluded_episode_indices.length}`)
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

interface CropFieldsProps {
  crop: Crop
  camera: Camera | undefined
  onChange(crop: Crop): void
}

function CropFields({ crop, camera, onChange }: CropFieldsProps) {
  const set = (key: keyof Crop, size: keyof Crop, text: string) => {
    const value = Math.max(0, Math.min(100, Number(text)))
    if (!Number.isFinite(value)) return
    const next = { ...crop, [key]: value }
    // The other side gives way, so that the box stays inside the frame.
    if (key === 'left_pct' || key === 'width_pct') next.width_pct = Math.min(next.width_pct, 100 - next.left_pct)
    else next.height_pct = Math.min(next.height_pct, 100 - next.top_pct)
    if (next[size] > 0) onChange(next)
  }
  const field = (label: string, key: keyof Crop, size: keyof Crop) => (
    <Field
      label={label}
      showLabel
      type="number"
      step={0.5}
      min={0}
      max={100}
      unit="%"
      value={Number(crop[key].toFixed(2))}
      onChange={(event) => set(key, size, event.target.value)}
    />
  )
  const square = () => {
    if (!camera) return
    const box = toPixels(crop, camera.width, camera.height)
    const side = Math.min(box.width, box.height)
    onChange({ ...crop, width_pct: (side / camera.width) * 100, height_pct: (side / camera.height) * 100 })
  }
  return (
    <>
      <div className="rb-fields">
        {field('Left', 'left_pct', 'width_pct')}
        {field('Top', 'top_pct', 'height_pct')}
        {field('Width', 'width_pct', 'width_pct')}
        {field('Height', 'height_pct', 'height_pct')}
      </div>
      <div className="row mt-2 gap-1.5">
        <Button
          small
          onClick={() =>
            onChange({ ...crop, left_pct: (100 - crop.width_pct) / 2, top_pct: (100 - crop.height_pct) / 2 })
          }
        >
          Centre
        </Button>
        <Button small onClick={square}>
          Square
        </Button>
        <Button small onClick={() => onChange(wholeFrame)}>
          Reset
        </Button>
      </div>
      <p className="sm dim mt-2">
        One crop for all cameras kept. Edges snap to even pixels; arrows move by 2 px, Shift by 16.
      </p>
    </>
  )
}

function ResizeFields({ resize, onChange }: { resize: Resize; onChange(resize: Resize): void }) {
  const side = (label: string, key: 'width' | 'height') => (
    <Field
      key={`${key}-${resize[key]}`}
      label={label}
      showLabel
      type="number"
      min={64}
      max={4096}
      step={2}
      unit="px"
      defaultValue={resize[key]}
      onBlur={(event) => {
        const value = Math.round(Math.max(64, Math.min(4096, Number(event.target.value) || 64)) / 2) * 2
        if (value !== resize[key]) onChange({ ...resize, [key]: value })
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
  return (
    <>
      <div className="rb-fields">
        {side('Width', 'width')}
        {side('Height', 'height')}
      </div>
      <div className="mt-2">
        <Segmented
          label="Mode"
          small
          value={resize.mode}
          onChange={(mode) => onChange({ ...resize, mode })}
          options={[
            { value: 'fit', label: 'fit', title: 'Keeps the aspect, pads black' },
            { value: 'fill', label: 'fill', title: 'Keeps the aspect, cuts' },
            { value: 'stretch', label: 'stretch', title: 'Changes the aspect' },
          ]}
        />
      </div>
    </>
  )
}

function ActionFields({ action, onChange }: { action: ActionStep; onChange(action: ActionStep): void }) {
  const number = (label: string, key: 'clip_min' | 'clip_max' | 'scale', placeholder: string) => (
    <Field
      label={label}
      showLabel
      type="number"
      step="any"
      placeholder={placeholder}
      value={action[key] ?? ''}
      onChange={(event) =>
        onChange({ ...action, [key]: event.target.value === '' ? null : Number(event.target.value) })
      }
    />
  )
  return (
    <>
      <span className="label">Smoothing window, frames</span>
      <Segmented
        label="Smoothing window"
        small
        value={String(action.smoothing_window ?? 1)}
        onChange={(window) =>
          onChange({
            ...action,
            smoothing_window: window === '1' ? null : Number(window),
            smoothing_mode: action.smoothing_mode ?? 'gaussian',
          })
        }
        options={['1', '5', '9', '15', '31'].map((value) => ({ value, label: value === '1' ? 'off' : value }))}
      />
      <div className="mt-2">
        <Segmented
          label="Smoothing mode"
          small
          value={action.smoothing_mode ?? 'gaussian'}
          onChange={(mode) => onChange({ ...action, smoothing_mode: mode })}
          options={[
            { value: 'mean', label: 'mean' },
            { value: 'median', label: 'median' },
            { value: 'gaussian', label: 'gaussian' },
          ]}
        />
      </div>
      <div className="rb-fields mt-2">
        {number('Scale', 'scale', '1')}
        <span />
        {number('Clip from', 'clip_min', 'no bound')}
        {number('Clip to', 'clip_max', 'no bound')}
      </div>
      {action.clip_min !== null && action.clip_max !== null && action.clip_min > action.clip_max && (
        <p className="c-flag sm mt-1">The lower bound is above the upper one.</p>
      )}
    </>
  )
}
