import type { Camera } from '../data/dataset.ts'
import { toPixels } from '../data/recipe/crop-box.ts'
import type { ActionStep, Crop, Resize } from '../data/recipe/recipe-draft.ts'
import type { ActionDimension } from '../data/recipe/smoothed-dimensions.ts'
import { Button, Segmented } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { NumberField } from '../parts/number-field.tsx'
import { SmoothedList } from './values/smoothed-list.tsx'
import './steps.css'

const wholeFrame: Crop = { left_pct: 0, top_pct: 0, width_pct: 100, height_pct: 100 }

interface CropFieldsProps {
  crop: Crop
  camera: Camera | undefined
  error: unknown
  onChange(crop: Crop): void
}

export function CropFields({ crop, camera, error, onChange }: CropFieldsProps) {
  const set = (key: keyof Crop, size: keyof Crop, value: number | null) => {
    if (value === null) return
    const next = { ...crop, [key]: Math.max(0, Math.min(100, value)) }
    // The other side gives way, so that the box stays inside the frame.
    if (key === 'left_pct' || key === 'width_pct') next.width_pct = Math.min(next.width_pct, 100 - next.left_pct)
    else next.height_pct = Math.min(next.height_pct, 100 - next.top_pct)
    if (next[size] > 0) onChange(next)
  }
  const field = (label: string, key: keyof Crop, size: keyof Crop) => (
    <NumberField
      label={label}
      step={0.5}
      min={0}
      max={100}
      unit="%"
      isRequired
      value={Number(crop[key].toFixed(2))}
      fault={findFault(error, 'recipe', 'crop', key)}
      onChange={(value) => set(key, size, value)}
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
      <div className="step-fields">
        {field('Left', 'left_pct', 'width_pct')}
        {field('Top', 'top_pct', 'height_pct')}
        {field('Width', 'width_pct', 'width_pct')}
        {field('Height', 'height_pct', 'height_pct')}
      </div>
      <div className="row above-8 gap-6">
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
      <p className="small dim above-8">
        One crop for all cameras kept. Edges snap to even pixels; arrows move by 2 px, Shift by 16.
      </p>
    </>
  )
}

interface ResizeFieldsProps {
  resize: Resize
  error: unknown
  onChange(resize: Resize): void
}

export function ResizeFields({ resize, error, onChange }: ResizeFieldsProps) {
  const side = (label: string, key: 'width' | 'height') => (
    <NumberField
      label={label}
      min={64}
      max={4096}
      step={2}
      unit="px"
      isRequired
      value={resize[key]}
      fault={checkSide(resize[key]) ?? findFault(error, 'recipe', 'resize', key)}
      onChange={(value) => value !== null && onChange({ ...resize, [key]: value })}
    />
  )
  return (
    <>
      <div className="step-fields">
        {side('Width', 'width')}
        {side('Height', 'height')}
      </div>
      <div className="above-8">
        <Segmented
          label="Mode"
          small
          value={resize.mode}
          onChange={(mode) => onChange({ ...resize, mode })}
          options={[
            { value: 'fit', label: 'fit', title: 'Keeps the aspect ratio, pads with black' },
            { value: 'fill', label: 'fill', title: 'Keeps the aspect ratio, crops' },
            { value: 'stretch', label: 'stretch', title: 'Changes the aspect ratio' },
          ]}
        />
      </div>
      <p className="small dim above-8">
        {
          {
            fit: 'Keeps the aspect ratio and pads with black.',
            fill: 'Keeps the aspect ratio and crops.',
            stretch: 'Changes the aspect ratio.',
          }[resize.mode]
        }
      </p>
    </>
  )
}

/** Known here too, so that a number on its way (4, 48, 480) is not asked about. */
const checkSide = (pixels: number): string | undefined =>
  pixels >= 64 && pixels <= 4096 && pixels % 2 === 0 ? undefined : 'An even number from 64 to 4096.'

export const isSendable = ({ resize }: { resize: Resize | null }): boolean =>
  !resize || (checkSide(resize.width) === undefined && checkSide(resize.height) === undefined)

interface ActionFieldsProps {
  action: ActionStep
  dimensions: readonly ActionDimension[]
  error: unknown
  onChange(action: ActionStep): void
}

export function ActionFields({ action, dimensions, error, onChange }: ActionFieldsProps) {
  const number = (label: string, key: 'clip_min' | 'clip_max' | 'scale', placeholder: string) => (
    <NumberField
      label={label}
      step={key === 'scale' ? 0.1 : 'any'}
      placeholder={placeholder}
      value={action[key]}
      fault={findFault(error, 'recipe', 'action', key)}
      onChange={(value) => onChange({ ...action, [key]: value })}
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
            smoothing_dimensions: window === '1' ? null : action.smoothing_dimensions,
            smoothing_mode: action.smoothing_mode ?? 'gaussian',
          })
        }
        options={['1', '5', '9', '15', '31'].map((value) => ({ value, label: value === '1' ? 'off' : value }))}
      />
      {findFault(error, 'recipe', 'action', 'smoothing_window') && (
        <p className="text-flag small above-4">{findFault(error, 'recipe', 'action', 'smoothing_window')}</p>
      )}
      <div className="above-8">
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
      <SmoothedList {...{ action, dimensions, error, onChange }} />
      <div className="step-fields above-8">
        {number('Scale', 'scale', '1')}
        <span />
        {number('Clip from', 'clip_min', 'no bound')}
        {number('Clip to', 'clip_max', 'no bound')}
      </div>
      <p className="small dim above-8">Smoothed within each episode, then scaled, then clipped.</p>
    </>
  )
}
