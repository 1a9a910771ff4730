import type { Recipe } from '@nmp/sdk/generated/records'
import { writeRanges } from '../data/recipe/index-ranges.ts'
import { shortName } from '../parts/formats.ts'
import { describeIdle, describeRanges, describeSplit } from './time-words.ts'
import './recipe-words.css'

/** A recipe as a person would say it; only what it changes. */
export function RecipeWords({ recipe }: { recipe: Recipe }) {
  const steps = describeRecipe(recipe)
  if (steps.length === 0) return <p className="mid">Everything as in the source.</p>
  return (
    <dl className="definitions recipe-words">
      {steps.map(([name, said]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd className="align-left break-anywhere">{said}</dd>
        </div>
      ))}
    </dl>
  )
}

function describeRecipe(recipe: Recipe): [string, string][] {
  const { crop, resize, action } = recipe
  const steps: [string, string | undefined][] = [
    ['Kept', listEpisodes(recipe.selected_episode_indices)],
    ['Left out', listEpisodes(recipe.excluded_episode_indices)],
    ['Of the splits', recipe.where?.splits_any?.length ? recipe.where.splits_any.join(', ') : undefined],
    ['Labelled', describeLabels(recipe.where)],
    ['Checked', describeChecks(recipe.where)],
    ['Only', recipe.first_n_episodes ? `the first ${recipe.first_n_episodes} of what is left` : undefined],
    ['Kept frames', describeRanges(recipe.trim)],
    ['Still frames', describeIdle(recipe.trim)],
    ['Split', describeSplit(recipe.split)],
    ['Frame rate', recipe.fps ? `${recipe.fps} frames per second` : undefined],
    ['Cameras', recipe.camera_keys?.length ? recipe.camera_keys.map(shortName).join(', ') : undefined],
    [
      'Crop',
      crop
        ? `${round(crop.width_pct)} x ${round(crop.height_pct)} % of the frame, from ${round(crop.left_pct)} % left and ${round(crop.top_pct)} % top`
        : undefined,
    ],
    ['Resize', resize ? `${resize.width} x ${resize.height} pixels, ${resize.mode}` : undefined],
    ['Action', action ? describeAction(action) : undefined],
    ['Features', describeFeatures(recipe.features)],
    [
      'Annotations',
      recipe.annotation_set_id
        ? `set ${recipe.annotation_set_id}${recipe.annotation_set_version ? `, version ${recipe.annotation_set_version}` : ''}`
        : undefined,
    ],
  ]
  return steps.flatMap(([name, said]) => (said === undefined ? [] : [[name, said] as [string, string]]))
}

const round = (value: number): string => String(Number(value.toFixed(1)))

function listEpisodes(indices: readonly number[] | null): string | undefined {
  if (!indices?.length) return undefined
  const text = writeRanges(indices)
  return `episode${indices.length === 1 ? '' : 's'} ${text.length > 300 ? `${text.slice(0, 300)} …` : text}`
}

function describeLabels(where: Recipe['where']): string | undefined {
  const parts = [
    typeof where?.success === 'boolean' ? (where.success ? 'success' : 'no success') : undefined,
    where?.tags_any?.length ? `tag ${where.tags_any.join(' or ')}` : undefined,
    where?.tasks_any?.length ? `task ${where.tasks_any.join(' or ')}` : undefined,
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(', ') : undefined
}

function describeChecks(where: Recipe['where']): string | undefined {
  const parts = Object.entries(where?.checks ?? {}).map(([rule, wanted]) => `${rule} ${wanted}`)
  return parts.length > 0 ? parts.join(', ') : undefined
}

function describeFeatures(features: Recipe['features']): string | undefined {
  const parts = [
    features?.drop?.length ? `without ${features.drop.join(', ')}` : undefined,
    ...Object.entries(features?.rename ?? {}).map(([from, to]) => `${from} is called ${to}`),
    ...Object.entries(features?.dimensions ?? {}).map(([name, kept]) => `of ${name}: ${kept.join(', ')}`),
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join('; ') : undefined
}

function describeAction(action: NonNullable<Recipe['action']>): string {
  const parts = [
    action.shift_frames ? `shifted by ${action.shift_frames} frames` : undefined,
    action.smoothing_window && action.smoothing_mode
      ? `smoothed (${action.smoothing_mode}, ${action.smoothing_window} frames${action.smoothing_dimensions ? `: ${action.smoothing_dimensions.join(', ')}` : ''})`
      : undefined,
    action.scale === null ? undefined : `scaled by ${action.scale}`,
    action.clip_min === null && action.clip_max === null
      ? undefined
      : `clipped to ${action.clip_min ?? '−∞'} … ${action.clip_max ?? '∞'}`,
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(', then ') : 'unchanged'
}
