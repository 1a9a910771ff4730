import type { PixelTransform } from '@nmp/formats/image'
import { isObject } from '@nmp/formats/json'
import { nameAction } from '@nmp/formats/signal-roles'
import { planAction } from '@nmp/formats/steps/action'
import { planTransform, sizeAfter } from '@nmp/formats/steps/crop-resize'
import { findDimensionFaults, type PlannedFeature } from '@nmp/formats/steps/feature-plan'
import type { RecipeSteps } from '@nmp/formats/steps/recipe'
import type { CameraEntry, FeatureEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { ValidationError, type ValidationIssue } from '../../errors.ts'
import { type StoredAnnotations, toAnnotationSettings } from '../recipe/annotations.ts'
import { type StoredCuts, toCutSettings } from '../recipe/cuts.ts'
import { listWantedSplits, mostFloat32, type Recipe } from '../recipe/recipe.ts'
import { toFeatureSettings } from '../recipe/recipe-features.ts'
import { listLabelKeys, listLabelled } from '../recipe/recipe-where.ts'
import type { StoredChecks } from '../recipe/stored-checks.ts'
import { keepsSignals, listLabels, planModelFeatures } from './plan-features.ts'
import { type PlannedFrames, planFrames } from './plan-frames.ts'

/** What a recipe would give on a revision, known from its read model alone. */
export interface RecipePlan extends PlannedFrames {
  frameCount: number
  seconds: number
  cameras: PlannedCamera[]
  changesAction: boolean
  /** Every feature of the result; undefined where they are those of the source, but for cameras that are left out. */
  features: readonly PlannedFeature[] | undefined
  /** State and action, which motion is read from, are the source's. */
  keepsSignals: boolean
}

export interface PlannedCamera {
  camera: CameraEntry
  /** What the result calls it. */
  name: string
  /** Undefined: no pixel changes, the frames are copied. */
  transform: PixelTransform | undefined
  width: number
  height: number
}

/** One recipe of a chain, with what it pinned. */
export interface PlannedLink {
  recipe: Recipe
  annotations: StoredAnnotations | null
  cuts: StoredCuts | null
  checks: StoredChecks | null
}

const maxIssues = 20
/** The encoder of depth refuses less. */
const smallestDepth = 16

/** Refuses at its place whatever the dataset does not have, and a result that would be empty. */
export function planRecipe(
  model: ReadModel,
  { recipe, cuts, annotations, checks }: PlannedLink,
  bounds: ActionBounds = boundAction(model.manifest),
): RecipePlan {
  const issues: ValidationIssue[] = []
  const refuse = (path: (string | number)[], sentence: string, input: unknown): void => {
    if (issues.length >= maxIssues) return
    const loc = ['body', 'recipe', ...path]
    issues.push({ loc, msg: `Value error, ${sentence}`, type: 'value_error', input: input ?? null, ctx: { error: {} } })
  }
  const { manifest, episodeCount } = model
  for (const key of ['selected_episode_indices', 'excluded_episode_indices'] as const) {
    for (const [place, index] of (recipe[key] ?? []).entries()) {
      if (model.hasEpisode(index)) continue
      refuse([key, place], `there is no episode ${index}: the dataset has ${episodeCount}, numbered from 0`, index)
    }
  }
  const splits = manifest.split_names
  for (const [place, name] of listWantedSplits(recipe).entries()) {
    if (!splits.includes(name))
      refuse(
        ['where', 'splits_any', place],
        `there is no split ${name}: the dataset has ${splits.join(', ') || 'none'}`,
        name,
      )
  }
  const known = manifest.cameras.map(({ key }) => key)
  for (const [place, key] of (recipe.camera_keys ?? []).entries()) {
    if (!known.includes(key))
      refuse(['camera_keys', place], `there is no camera ${key}: the dataset has ${known.join(', ') || 'none'}`, key)
  }
  const changesAction = planAction(toActionSettings(recipe)) !== undefined
  const actionFeature = manifest.features.find(({ name }) => name === nameAction(manifest))
  const actionType = actionFeature?.dtype
  const shiftFrames = recipe.action?.shift_frames ?? 0
  if (
    (changesAction || shiftFrames !== 0) &&
    (actionType === undefined || actionType === 'bool' || actionType === 'string')
  )
    refuse(['action'], `the dataset has no numeric feature called ${nameAction(manifest)}`, recipe.action)
  else if (actionFeature) refuseSmoothing(actionFeature, recipe, refuse)
  const furthest = changesAction && actionType?.startsWith('float') ? findFurthest(changeBounds(bounds, recipe)) : 0
  if (furthest > mostFloat32)
    refuse(
      ['action', 'scale'],
      `an action would become ${furthest}, beyond 3.4e38, the limit of float32, in which policies are trained; use a smaller scale, or clip`,
      recipe.action?.scale,
    )
  if (recipe.fps !== null && recipe.fps > manifest.fps)
    refuse(
      ['fps'],
      `the dataset has ${manifest.fps} frames per second, and a recipe can only lower that: frames in between were not recorded`,
      recipe.fps,
    )
  const features = planModelFeatures(model, recipe, refuse)
  if (issues.length > 0) throw new ValidationError(issues)

  const episodes = selectEpisodes(model, { recipe, annotations, checks })
  if (episodes.length === 0) {
    refuse([], describeEmpty(recipe), null)
    throw new ValidationError(issues)
  }
  const cameras = planCameras(manifest.cameras, recipe, features)
  for (const { camera, transform, width, height } of cameras)
    if (transform && camera.depth_map && camera.storage === 'video' && Math.min(width, height) < smallestDepth)
      refuse(
        ['crop'],
        `the depth camera ${camera.key} would be ${width}x${height}; a depth video has at least ${smallestDepth}x${smallestDepth} pixels`,
        recipe.crop,
      )
  if (issues.length > 0) throw new ValidationError(issues)
  const kept = planFrames(model, episodes, recipe, cuts)
  if (kept.episodes.length === 0) {
    refuse(
      ['action', 'shift_frames'],
      `no frame is left: no episode has more than ${Math.abs(shiftFrames)} frames`,
      shiftFrames,
    )
    throw new ValidationError(issues)
  }
  const frameCount = kept.lengths.reduce((sum, length) => sum + length, 0)
  return {
    ...kept,
    frameCount,
    seconds: frameCount / kept.fps,
    cameras,
    changesAction,
    features,
    keepsSignals: keepsSignals(manifest, features),
  }
}

function refuseSmoothing(
  feature: FeatureEntry,
  { action }: Recipe,
  refuse: (path: (string | number)[], sentence: string, input: unknown) => void,
): void {
  const wanted = action?.smoothing_dimensions
  if (!wanted) return
  const path = ['action', 'smoothing_dimensions']
  const labels = listLabels(feature)
  if (!labels) refuse(path, 'the action is not a vector of numbers, so it has no dimensions to choose from', wanted)
  for (const fault of labels ? findDimensionFaults(feature.name, labels, wanted) : [])
    refuse([...path, fault.path.at(-1) ?? 0], fault.sentence, fault.input)
}

/** The least and the greatest value of any dimension of the action; none where it is not known. */
export type ActionBounds = readonly number[]

/** The source's exact range. */
export function boundAction(manifest: ReadModel['manifest']): ActionBounds {
  const known = manifest.feature_statistics[nameAction(manifest)]
  const ends = isObject(known) ? [known.min, known.max].flatMap((side) => (Array.isArray(side) ? side : [])) : []
  const values = ends.filter((value) => typeof value === 'number')
  return values.length > 0 ? [Math.min(...values), Math.max(...values)] : []
}

/** Smoothing stays within the range, so what scale and clip make of its ends bounds every result. */
export function changeBounds(bounds: ActionBounds, recipe: Recipe): ActionBounds {
  const { scale, clipMin, clipMax } = toActionSettings(recipe)
  return bounds.map((value) => Math.max(clipMin ?? -Infinity, Math.min(clipMax ?? Infinity, value * (scale ?? 1))))
}

const findFurthest = (bounds: ActionBounds): number => Math.max(0, ...bounds.map(Math.abs))

function describeEmpty(recipe: Recipe): string {
  if (Object.keys(recipe.where?.checks ?? {}).length > 0)
    return 'no episode is left: the checks leave out all of the remaining episodes'
  if (listLabelKeys(recipe.where).length > 0)
    return 'no episode is left: none of the remaining episodes has the labels that where asks for'
  return listWantedSplits(recipe).length === 0
    ? 'no episode is left: all selected episodes are excluded'
    : 'no episode is left: none of the remaining episodes is in one of the splits'
}

/** The same rule as the step `select-episodes`, without a dataset. */
export function selectEpisodes(
  model: ReadModel,
  { recipe, annotations, checks }: Omit<PlannedLink, 'cuts'>,
): Uint32Array {
  const isChecked = new Set(checks?.episodes)
  const labelled = listLabelled(recipe.where, annotations)
  const isLabelled = new Set(labelled)
  const splits = listWantedSplits(recipe)
  const isInSplits = splits.length === 0 ? () => true : model.findInSplits(splits)
  const wanted = new Set(recipe.selected_episode_indices ?? [])
  const unwanted = new Set(recipe.excluded_episode_indices ?? [])
  const limit = recipe.first_n_episodes ?? Number.POSITIVE_INFINITY
  const kept: number[] = []
  for (let index = 0; index < model.episodeCount && kept.length < limit; index++)
    if (
      (wanted.size === 0 || wanted.has(index)) &&
      !unwanted.has(index) &&
      isInSplits(index) &&
      (!labelled || isLabelled.has(index)) &&
      (!checks || isChecked.has(index))
    )
      kept.push(index)
  return Uint32Array.from(kept)
}

function planCameras(
  cameras: readonly CameraEntry[],
  recipe: Recipe,
  features: readonly PlannedFeature[] | undefined,
): PlannedCamera[] {
  const kept = new Set(recipe.camera_keys ?? [])
  return cameras.flatMap((camera) => {
    const name = features ? features.find(({ source }) => source === camera.key)?.name : camera.key
    if (name === undefined || (kept.size > 0 && !kept.has(camera.key))) return []
    const transform = planTransform(camera, toPixelSettings(recipe))
    return [{ camera, name, transform, ...sizeAfter(camera, transform) }]
  })
}

export const toActionSettings = ({ action }: Recipe) => ({
  smoothingWindow: action?.smoothing_window ?? null,
  smoothingMode: action?.smoothing_mode ?? null,
  smoothingDimensions: action?.smoothing_dimensions ?? null,
  scale: action?.scale ?? null,
  clipMin: action?.clip_min ?? null,
  clipMax: action?.clip_max ?? null,
})

const toPixelSettings = ({ crop, resize }: Recipe) => ({
  crop: crop && { left: crop.left_pct, top: crop.top_pct, width: crop.width_pct, height: crop.height_pct },
  resize,
})

/** Episodes by number, as the step takes them: what labels and checks mean was found when the version was made. */
function listWanted({ recipe, annotations, checks }: PlannedLink): readonly number[] {
  let wanted = recipe.selected_episode_indices ?? []
  for (const found of [listLabelled(recipe.where, annotations), checks?.episodes]) {
    if (!found) continue
    const isWanted = new Set(wanted)
    wanted = found.filter((index) => isWanted.size === 0 || isWanted.has(index))
  }
  return wanted
}

/** The recipe as the steps of `formats` take it, with what was found for it when the version was made. */
export function toSteps(link: PlannedLink): RecipeSteps {
  const { recipe, annotations, cuts } = link
  return {
    'select-episodes': {
      selected: listWanted(link),
      excluded: recipe.excluded_episode_indices ?? [],
      splits: listWantedSplits(recipe),
      first: recipe.first_n_episodes,
    },
    ...(cuts && { cut: toCutSettings(cuts) }),
    ...(recipe.fps !== null && { rate: { fps: recipe.fps } }),
    shift: { frames: recipe.action?.shift_frames ?? 0 },
    'select-cameras': { keys: recipe.camera_keys ?? [] },
    'crop-resize': toPixelSettings(recipe),
    action: toActionSettings(recipe),
    features: toFeatureSettings(recipe.features),
    ...(annotations && { annotate: toAnnotationSettings(annotations) }),
  }
}
