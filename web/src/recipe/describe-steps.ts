import type { Manifest } from '../data/dataset.ts'
import type { MergeDraft } from '../data/recipe/merge-draft.ts'
import type { ActionStep, Recipe } from '../data/recipe/recipe-draft.ts'
import { nameRule } from '../data/rule-names.ts'
import { formatCount, plural, shortName } from '../parts/formats.ts'

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
  for (const [rule, wanted] of Object.entries(recipe.where?.checks ?? {}))
    parts.push(`${nameRule(rule)} ${wanted === 'absent' ? 'not found' : 'found'}`)
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

export const allFrames = 'all frames'

export function describeTime({ trim, split, fps, action }: Recipe): string {
  const named = Object.keys(trim?.ranges ?? {}).length
  const parts = [
    trim?.idle ? `without the still ${stillWords[trim.idle.from ?? 'start']}` : undefined,
    named > 0 ? `${plural(named, 'episode')} cut` : undefined,
    split && Object.keys(split).length > 0 ? `${plural(Object.keys(split).length, 'episode')} split` : undefined,
    fps === null ? undefined : `${fps} frames per second`,
    action?.shift_frames ? `action shifted by ${action.shift_frames}` : undefined,
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(', ') : allFrames
}

const stillWords = { start: 'start', end: 'end', both: 'start and end', anywhere: 'frames' } as const

export function describeFeatures(features: Recipe['features']): string {
  const parts = [
    features?.drop?.length ? `${formatCount(features.drop.length)} left out` : undefined,
    features?.rename ? `${formatCount(Object.keys(features.rename).length)} renamed` : undefined,
    features?.dimensions ? `dimensions of ${Object.keys(features.dimensions).map(shortName).join(', ')}` : undefined,
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(', ') : 'as recorded'
}

export const describeSources = (merge: MergeDraft | null): string =>
  merge ? `merged with ${merge.others.map(({ title }) => title).join(', ')}` : 'this dataset alone'

/** Anything but the shift, which is a step of time. */
export const changesValues = (action: ActionStep | null): boolean =>
  action !== null && Object.entries(action).some(([key, value]) => key !== 'shift_frames' && value !== null)

export function describeAction(action: ActionStep | null): string {
  if (!action || !changesValues(action)) return 'as recorded'
  const clip =
    action.clip_min === null && action.clip_max === null
      ? 'no clip'
      : `clip ${action.clip_min ?? '−∞'} to ${action.clip_max ?? '∞'}`
  const some = action.smoothing_dimensions ? `, ${plural(action.smoothing_dimensions.length, 'dimension')}` : ''
  const smoothed =
    action.smoothing_window && action.smoothing_mode
      ? `${action.smoothing_mode}, window ${action.smoothing_window}${some}`
      : 'not smoothed'
  return `${smoothed}; scale ${action.scale ?? 1}; ${clip}`
}
