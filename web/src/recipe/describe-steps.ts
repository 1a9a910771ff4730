import type { Manifest } from '../data/dataset.ts'
import type { ActionStep, Recipe } from '../data/recipe-draft.ts'
import { formatCount } from '../parts/formats.ts'

export function describeEpisodes(recipe: Recipe, dataset: Manifest): string {
  const total = dataset.metrics.total_episodes
  const parts = [
    recipe.selected_episode_indices?.length
      ? `${formatCount(recipe.selected_episode_indices.length)} selected`
      : `all ${formatCount(total)}`,
  ]
  if (recipe.excluded_episode_indices?.length)
    parts.push(`without ${formatCount(recipe.excluded_episode_indices.length)}`)
  if (recipe.where?.splits_any?.length) parts.push(`of ${recipe.where.splits_any.join(' or ')}`)
  if (recipe.where?.success !== null && recipe.where?.success !== undefined)
    parts.push(recipe.where.success ? 'successes' : 'failures')
  const labels = [...(recipe.where?.tags_any ?? []), ...(recipe.where?.tasks_any ?? [])]
  if (labels.length > 0) parts.push(`labelled ${labels.join(' or ')}`)
  if (recipe.first_n_episodes) parts.push(`first ${recipe.first_n_episodes}`)
  return parts.join(', ')
}

export function describeCameras(recipe: Recipe, dataset: Manifest): string {
  const all = dataset.observation.cameras
  if (all.length === 0) return 'none in this dataset'
  if (!recipe.camera_keys?.length) return `all ${all.length}`
  const kept = all.filter(({ key }) => recipe.camera_keys?.includes(key)).map(({ label }) => label)
  const out = all.filter(({ key }) => !recipe.camera_keys?.includes(key)).map(({ label }) => label)
  return `${kept.join(' and ')}; ${out.join(', ')} left out`
}

export function describeAction(action: ActionStep | null): string {
  if (!action) return 'as recorded'
  const clip =
    action.clip_min === null && action.clip_max === null
      ? 'no clip'
      : `clip ${action.clip_min ?? '−∞'} to ${action.clip_max ?? '∞'}`
  return `${action.smoothing_window && action.smoothing_mode ? `${action.smoothing_mode}, window ${action.smoothing_window}` : 'not smoothed'}; scale ${action.scale ?? 1}; ${clip}`
}
