import { listKept } from '@nmp/formats/frame-ranges'
import type { PixelTransform } from '@nmp/formats/image'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { findStoredName } from '../../datasets/read-model/derivation.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { invalidValue } from '../../errors.ts'
import { describeFeatures } from '../derive/derive-features.ts'
import { deriveFrames } from '../derive/derive-frames.ts'
import { estimateBytes } from '../estimate.ts'
import { countResult } from '../plan/count-result.ts'
import { keepAnnotated } from '../plan/find-annotations.ts'
import { type PlannedCamera, type RecipePlan, selectEpisodes } from '../plan/plan.ts'
import { planSource } from '../plan/plan-source.ts'
import type { StoredAnnotations } from '../recipe/annotations.ts'
import { normalizeRecipe, type RecipeBody } from '../recipe/recipe.ts'
import { openSource, type SourceRequest } from '../source.ts'
import { previewAction } from './preview-action.ts'
import { previewFrame } from './preview-frame.ts'
import { previewStatistics } from './preview-statistics.ts'

export interface PreviewRequest {
  source: SourceRequest
  recipe: RecipeBody
  /** Shown before and after; the first of the result when omitted. */
  episode_index?: number | null
  camera_key?: string | null
}

/** What a recipe would give, without writing anything. */
export async function previewVersion(context: Context, principal: Principal, asked: PreviewRequest) {
  const opened = await openSource(context, principal, asked.source)
  const { seen, root, rootModel } = opened
  const { model, plan, stored, link } = await planSource(context, opened, normalizeRecipe(asked.recipe))
  const { recipe } = link
  const annotations = keepAnnotated(link.annotations, plan)
  const position = chooseEpisode(plan, asked.episode_index)
  const episode = plan.episodes[position] as number
  const camera = chooseCamera(plan, asked.camera_key)
  const place = { revision: root, model: rootModel }
  const derived = deriveFrames(model, recipe, plan)
  const ownChanges = derived.changes.length - (model.derivation?.changes.length ?? 0)
  const [size, features, action, frame] = await Promise.all([
    estimateBytes(context, root, rootModel, stored),
    previewStatistics(context, place, derived, describeFeatures(model, plan)),
    previewAction(context, place, derived, { position, episode, signal: findSignal(model), ownChanges, fps: plan.fps }),
    camera ? previewFrame(context, seen, camera, episode, findMiddle(plan, position)) : null,
  ])
  return {
    ...countResult(model, plan, selectEpisodes(model, link)),
    ...describeLengths(plan),
    tasks: listTasks(model, plan, annotations),
    splits: listSplits(model, plan),
    estimated_bytes: size.bytes,
    estimate: size.estimate,
    cameras: plan.cameras.map((planned, index) => describeCamera(planned, stored, index)),
    statistics: { exact: features.every(({ exact }) => exact), features },
    frame,
    action,
  }
}

/** The action of what the recipe speaks of. */
function findSignal({ manifest, derivation }: ReadModel) {
  if (!manifest.action) return null
  const { key, names } = manifest.action
  return { names, column: findStoredName(derivation, key), dimensions: derivation?.columns.get(key)?.dimensions }
}

/** The middle frame of an episode of the result, as the source numbers it. */
const findMiddle = ({ lengths, frames }: RecipePlan, position: number): number => {
  const middle = Math.floor((lengths[position] ?? 1) / 2)
  const ranges = frames.get(position)
  return ranges ? (listKept(ranges)[middle] ?? 0) : middle
}

/** Its place in the result: the first that is made of the episode asked for. */
function chooseEpisode(plan: RecipePlan, asked: number | null | undefined): number {
  if (asked === null || asked === undefined) return 0
  const found = plan.episodes.indexOf(asked)
  if (found >= 0) return found
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

function describeLengths({ lengths, seconds, fps }: RecipePlan) {
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0]
  for (const length of lengths) {
    if (length < shortest) shortest = length
    if (length > longest) longest = length
  }
  return {
    shortest_episode_sec: shortest / fps,
    longest_episode_sec: longest / fps,
    mean_episode_sec: seconds / lengths.length,
  }
}

const maxTasks = 50

/** Task texts of the result and how many episodes have each, most frequent first. */
function listTasks(model: ReadModel, { episodes, parts }: RecipePlan, annotations: StoredAnnotations | null) {
  const replaced = new Map(
    annotations?.episodes.flatMap(({ episode_index: index, task }) => (task ? [[index, task]] : [])),
  )
  const byText = new Map<string, number>()
  const byId = new Map<number, number>()
  const { taskStarts, taskIds } = model.columns
  const count = (text: string): unknown => byText.set(text, (byText.get(text) ?? 0) + 1)
  for (const [position, episode] of episodes.entries()) {
    const part = parts.get(position)
    const text = part?.task ?? replaced.get(episode)
    if (typeof text === 'string') count(text)
    else if (part?.tasks) part.tasks.forEach(count)
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

/** `stored` is what all recipes in a row do to the stored pixels. */
const describeCamera = (planned: PlannedCamera, stored: RecipePlan, index: number) => ({
  key: planned.camera.key,
  name: planned.name,
  label: planned.camera.label,
  source_width: planned.camera.width,
  source_height: planned.camera.height,
  width: planned.width,
  height: planned.height,
  treatment: stored.cameras[index]?.transform ? ('encode' as const) : ('copy' as const),
  reason: explain(planned, stored.cameras[index]?.transform, stored),
})

function explain(
  { camera, transform }: PlannedCamera,
  whole: PixelTransform | undefined,
  { isCut, fps }: RecipePlan,
): string {
  const isImage = camera.storage === 'image'
  if (!whole && fps !== camera.fps && !isImage)
    return 'Frames are taken at a lower rate: packets are copied where all frames that are taken are keyframes; else the frames are encoded.'
  if (!whole && isCut && !isImage)
    return 'Frames are cut: packets are copied from keyframes on; frames between a cut and the next keyframe are encoded.'
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
