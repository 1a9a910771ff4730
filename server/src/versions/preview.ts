import type { PixelTransform } from '@nmp/formats/image'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { invalidValue } from '../errors.ts'
import type { StoredAnnotations } from './annotations.ts'
import { planChain } from './chain.ts'
import { estimateBytes } from './estimate.ts'
import { findAnnotations } from './find-annotations.ts'
import type { PlannedCamera, RecipePlan } from './plan.ts'
import { previewAction } from './preview-action.ts'
import { previewFrame } from './preview-frame.ts'
import { previewStatistics } from './preview-statistics.ts'
import { normalizeRecipe, type RecipeBody } from './recipe.ts'
import { openSource, type SourceRequest } from './source.ts'

export interface PreviewRequest {
  source: SourceRequest
  recipe: RecipeBody
  /** Shown before and after; the first of the result when omitted. */
  episode_index?: number | null
  camera_key?: string | null
}

/** What a recipe would give, without writing anything. */
export async function previewVersion(context: Context, principal: Principal, asked: PreviewRequest) {
  const { seen, ancestors, root, rootModel } = await openSource(context, principal, asked.source)
  const recipe = normalizeRecipe(asked.recipe)
  const { source: model, plan, stored } = planChain(rootModel, ancestors, recipe)
  const annotations = await findAnnotations(context, seen, recipe, plan)
  const episode = chooseEpisode(plan, asked.episode_index)
  const camera = chooseCamera(plan, asked.camera_key)
  const middle = Math.floor((model.columns.lengthFrames[episode] ?? 1) / 2)
  const place = { revision: root, model: rootModel }
  const earlier = ancestors.map((link) => link.recipe)
  const shown = { episode, stored: stored.episodes[plan.episodes.indexOf(episode)] as number }
  const [estimatedBytes, features, action, frame] = await Promise.all([
    estimateBytes(context, root, rootModel, stored),
    previewStatistics(context, place, [...earlier, recipe], stored),
    previewAction(context, place, earlier, recipe, shown),
    camera ? previewFrame(context, seen, camera, episode, middle) : null,
  ])
  return {
    episode_count: plan.episodes.length,
    frame_count: plan.frameCount,
    duration_sec: plan.seconds,
    source_episode_count: model.episodeCount,
    source_frame_count: model.manifest.total_frames,
    ...describeLengths(model, plan),
    tasks: listTasks(model, plan, annotations),
    splits: listSplits(model, plan),
    estimated_bytes: estimatedBytes,
    cameras: plan.cameras.map((planned, index) => describeCamera(planned, stored.cameras[index]?.transform)),
    statistics: { exact: features.every(({ exact }) => exact), features },
    frame,
    action,
  }
}

function chooseEpisode(plan: RecipePlan, asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return plan.episodes[0] as number
  if (plan.episodes.includes(asked)) return asked
  throw invalidValue(['body', 'episode_index'], `episode ${asked} is not in the result`, asked)
}

/** One that changes, where there is one. */
function chooseCamera({ cameras }: RecipePlan, asked: string | null | undefined): PlannedCamera | undefined {
  if (!asked) return cameras.find(({ transform }) => transform) ?? cameras[0]
  const found = cameras.find(({ camera }) => camera.key === asked)
  if (found) return found
  const kept = cameras.map(({ camera }) => camera.key).join(', ') || 'none'
  throw invalidValue(['body', 'camera_key'], `the result has no camera ${asked}; it has ${kept}`, asked)
}

function describeLengths({ columns, manifest }: ReadModel, { episodes, seconds }: RecipePlan) {
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0]
  for (const episode of episodes) {
    const length = columns.lengthFrames[episode] as number
    if (length < shortest) shortest = length
    if (length > longest) longest = length
  }
  return {
    shortest_episode_sec: shortest / manifest.fps,
    longest_episode_sec: longest / manifest.fps,
    mean_episode_sec: seconds / episodes.length,
  }
}

const maxTasks = 50

/** Task texts of the result and how many episodes have each, most frequent first. */
function listTasks(model: ReadModel, { episodes }: RecipePlan, annotations: StoredAnnotations | null) {
  const replaced = new Map(
    annotations?.episodes.flatMap(({ episode_index: index, task }) => (task ? [[index, task]] : [])),
  )
  const byText = new Map<string, number>()
  const byId = new Map<number, number>()
  const { taskStarts, taskIds } = model.columns
  for (const episode of episodes) {
    const text = replaced.get(episode)
    if (text !== undefined) byText.set(text, (byText.get(text) ?? 0) + 1)
    else
      for (let at = taskStarts[episode] as number; at < (taskStarts[episode + 1] as number); at++)
        byId.set(taskIds[at] as number, (byId.get(taskIds[at] as number) ?? 0) + 1)
  }
  const [first, ...others] = [byText, ...[...byId].map(([id, count]) => new Map([[model.getTask(id), count]]))]
  for (const other of others) for (const [text, count] of other) first?.set(text, (first.get(text) ?? 0) + count)
  first?.delete('')
  const counted = [...(first ?? [])].sort(([, one], [, other]) => other - one)
  return {
    total: counted.length,
    items: counted.slice(0, maxTasks).map(([task, episodeCount]) => ({ task, episode_count: episodeCount })),
  }
}

/** Splits of the result and how many of its episodes are in each; they may overlap. */
function listSplits(model: ReadModel, { episodes }: RecipePlan) {
  const counts = new Map<string, number>()
  for (const episode of episodes)
    for (const name of model.listSplitsOf(episode)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, episode_count: count }))
}

/** `whole` is what all recipes in a row do to the stored pixels. */
const describeCamera = (planned: PlannedCamera, whole: PixelTransform | undefined) => ({
  key: planned.camera.key,
  label: planned.camera.label,
  source_width: planned.camera.width,
  source_height: planned.camera.height,
  width: planned.width,
  height: planned.height,
  treatment: whole ? ('encode' as const) : ('copy' as const),
  reason: explain(planned, whole),
})

function explain({ camera, transform }: PlannedCamera, whole: PixelTransform | undefined): string {
  const isImage = camera.storage === 'image'
  if (!whole)
    return isImage
      ? 'No pixel changes: the pictures are copied.'
      : 'No pixel changes: the packets are copied, nothing is lost.'
  if (!transform)
    return isImage
      ? 'The version it is derived from changes the pictures; this recipe does not: each is stored once more as PNG.'
      : 'The version it is derived from changes the pixels; this recipe does not: every frame is decoded and encoded once.'
  const { crop, resize } = transform
  const parts = [
    ...(crop ? [`cropped to ${crop.width}x${crop.height} at ${crop.left}, ${crop.top}`] : []),
    ...(resize ? [`resized to ${resize.width}x${resize.height} (${resize.mode})`] : []),
  ]
  const how = isImage ? 'each picture is stored again as PNG' : 'every frame is decoded and encoded again'
  const isFurther = whole.next !== undefined
  const together = isFurther ? ', together with the changes of the version it is derived from' : ''
  return `Frames are ${parts.join(' and ')}: ${how}${together}.`
}
