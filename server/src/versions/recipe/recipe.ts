import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { ValidationError, type ValidationIssue } from '../../errors.ts'
import { nullable, oneOf } from '../../http/schemas.ts'
import { featuresBody, featuresRecord, listFeaturesMeaning, normalizeFeatures } from './recipe-features.ts'
import {
  checkTimeForm,
  fpsBody,
  listTimeMeaning,
  normalizeTime,
  splitBody,
  splitRecord,
  trimBody,
  trimRecord,
} from './recipe-time.ts'
import { listLabelKeys, listWhereMeaning, normalizeWhere, whereBody, whereRecord } from './recipe-where.ts'

const episodeIndex = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const percent = { maximum: 100 }
/** Actions are trained on in float32: no number beyond it has a meaning here. */
export const mostFloat32 = 3.4028234663852886e38
const sidePixels = Type.Integer({ minimum: 64, maximum: 4096, multipleOf: 2 })

const crop = Type.Object(
  {
    left_pct: Type.Number({ minimum: 0, ...percent }),
    top_pct: Type.Number({ minimum: 0, ...percent }),
    width_pct: Type.Number({ exclusiveMinimum: 0, ...percent }),
    height_pct: Type.Number({ exclusiveMinimum: 0, ...percent }),
  },
  { additionalProperties: false, description: 'Percent of the source frame; edges go to the nearest even pixel.' },
)

const resize = Type.Object(
  {
    width: sidePixels,
    height: sidePixels,
    mode: oneOf(['fit', 'fill', 'stretch'], {
      default: 'fit',
      description: '`fit` keeps the aspect ratio and pads with black, `fill` keeps it and crops, `stretch` changes it.',
    }),
  },
  { additionalProperties: false },
)

const maybe = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

const action = Type.Object(
  {
    smoothing_window: maybe(
      Type.Integer({
        minimum: 1,
        maximum: 101,
        description: 'Frames, odd. The window shrinks at the ends of an episode.',
      }),
    ),
    smoothing_mode: maybe(oneOf(['mean', 'median', 'gaussian'])),
    smoothing_dimensions: maybe(
      Type.Array(Type.String({ maxLength: 1000 }), {
        minItems: 1,
        maxItems: 10_000,
        description:
          'Names of the dimensions that are smoothed; all if absent. Where dimensions have no names they are called 0, 1, 2, …',
      }),
    ),
    clip_min: maybe(Type.Number()),
    clip_max: maybe(Type.Number()),
    scale: maybe(Type.Number()),
    shift_frames: maybe(
      Type.Integer({
        minimum: -10,
        maximum: 10,
        description: 'The action of frame t + shift_frames stands at t; frames that would have none are cut.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Shift, then smoothing within each episode, then scale, then clip.' },
)

/** As it is sent. A key that does not exist is refused: a recipe that was mistyped would silently do something else. */
export const recipeBody = Type.Object(
  {
    selected_episode_indices: maybe(
      Type.Array(episodeIndex, { description: 'A set of episode numbers; all episodes if empty.' }),
    ),
    excluded_episode_indices: maybe(Type.Array(episodeIndex)),
    where: maybe(whereBody),
    first_n_episodes: maybe(Type.Integer({ minimum: 1, description: 'The first n of what is left.' })),
    trim: maybe(trimBody),
    split: maybe(splitBody),
    fps: maybe(fpsBody),
    camera_keys: maybe(Type.Array(Type.String({ minLength: 1 }), { description: 'Cameras to keep; all if empty.' })),
    crop: maybe(crop),
    resize: maybe(resize),
    action: maybe(action),
    features: maybe(featuresBody),
    annotation_set_id: maybe(Type.String({ minLength: 1, maxLength: 100 })),
    annotation_set_version: maybe(Type.Integer({ minimum: 1, description: 'The newest when absent.' })),
    notes: maybe(Type.String({ maxLength: 10_000 })),
  },
  { $id: 'RecipeInput', additionalProperties: false },
)
export type RecipeBody = Static<typeof recipeBody>

const number = nullable(Type.Number())
const whole = nullable(Type.Integer())

/** As it is stored and answered: every key, null where nothing was asked for. */
export const recipeRecord = Type.Object(
  {
    selected_episode_indices: nullable(Type.Array(Type.Integer())),
    excluded_episode_indices: nullable(Type.Array(Type.Integer())),
    where: nullable(whereRecord),
    first_n_episodes: whole,
    trim: nullable(trimRecord),
    split: nullable(splitRecord),
    fps: number,
    camera_keys: nullable(Type.Array(Type.String())),
    crop: nullable(
      Type.Object({
        left_pct: Type.Number(),
        top_pct: Type.Number(),
        width_pct: Type.Number(),
        height_pct: Type.Number(),
      }),
    ),
    resize: nullable(
      Type.Object({ width: Type.Integer(), height: Type.Integer(), mode: oneOf(['fit', 'fill', 'stretch']) }),
    ),
    action: nullable(
      Type.Object({
        smoothing_window: whole,
        smoothing_mode: nullable(oneOf(['mean', 'median', 'gaussian'])),
        smoothing_dimensions: nullable(Type.Array(Type.String())),
        clip_min: number,
        clip_max: number,
        scale: number,
        shift_frames: whole,
      }),
    ),
    features: nullable(featuresRecord),
    annotation_set_id: nullable(Type.String()),
    annotation_set_version: whole,
    notes: nullable(Type.String()),
  },
  { $id: 'Recipe' },
)
export type Recipe = Static<typeof recipeRecord>

/** Every key, in one order; lists as they were sent. Recipes that were stored before a key existed get it too. */
export function normalizeRecipe(body: RecipeBody): Recipe {
  const { action: asked } = body
  return {
    selected_episode_indices: body.selected_episode_indices ?? null,
    excluded_episode_indices: body.excluded_episode_indices ?? null,
    where: normalizeWhere(body.where),
    first_n_episodes: body.first_n_episodes ?? null,
    ...normalizeTime(body),
    fps: body.fps ?? null,
    camera_keys: body.camera_keys ?? null,
    crop: body.crop ?? null,
    resize: body.resize ?? null,
    action: asked
      ? {
          smoothing_window: asked.smoothing_window ?? null,
          smoothing_mode: asked.smoothing_mode ?? null,
          smoothing_dimensions: asked.smoothing_dimensions ?? null,
          clip_min: asked.clip_min ?? null,
          clip_max: asked.clip_max ?? null,
          scale: asked.scale ?? null,
          shift_frames: asked.shift_frames ?? null,
        }
      : null,
    features: normalizeFeatures(body.features),
    annotation_set_id: body.annotation_set_id ?? null,
    annotation_set_version: body.annotation_set_version ?? null,
    notes: body.notes ?? null,
  }
}

/**
 * Two recipes with the same digest ask for the same data: lists are sets, and notes are words about it. A key that came later counts
 * only where it asks for something, so that older recipes keep their digest.
 */
export function hashRecipe({ notes: _, where: condition, trim, split, fps, features, ...recipe }: Recipe): string {
  const { shift_frames: shift, smoothing_dimensions: smoothed, ...others } = recipe.action ?? noNewKeys
  const meaning = {
    ...recipe,
    action: recipe.action && {
      ...others,
      ...(shift ? { shift_frames: shift } : {}),
      ...(smoothed ? { smoothing_dimensions: smoothed.toSorted() } : {}),
    },
    ...(fps === null ? {} : { fps }),
    ...listWhereMeaning(condition),
    ...listTimeMeaning({ trim, split }),
    ...listFeaturesMeaning(features),
    selected_episode_indices: sortSet(recipe.selected_episode_indices),
    excluded_episode_indices: sortSet(recipe.excluded_episode_indices),
    camera_keys: [...new Set(recipe.camera_keys ?? [])].sort(),
  }
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex')
}

const noNewKeys = { shift_frames: null, smoothing_dimensions: null }

/** What no schema of one field can say, before anything stored is looked at. */
export function checkRecipeForm(recipe: RecipeBody): void {
  const issues: ValidationIssue[] = []
  const refuse = (path: string[], sentence: string, input: unknown): void => {
    const loc = ['body', 'recipe', ...path]
    issues.push({ loc, msg: `Value error, ${sentence}`, type: 'value_error', input: input ?? null, ctx: { error: {} } })
  }
  const { crop: cut, action: asked } = recipe
  for (const [start, size] of [
    ['left_pct', 'width_pct'],
    ['top_pct', 'height_pct'],
  ] as const) {
    if (cut && cut[start] + cut[size] > 100 + 1e-9)
      refuse(['crop', size], `the crop leaves the frame: ${start} plus ${size} must be at most 100`, cut[size])
  }
  if (asked?.smoothing_window && asked.smoothing_window % 2 === 0)
    refuse(['action', 'smoothing_window'], 'the window must be an odd number of frames', asked.smoothing_window)
  for (const key of ['scale', 'clip_min', 'clip_max'] as const)
    if (Math.abs(asked?.[key] ?? 0) > mostFloat32)
      refuse(['action', key], 'beyond 3.4e38, the limit of float32, in which policies are trained', asked?.[key])
  if (typeof asked?.clip_min === 'number' && typeof asked.clip_max === 'number' && asked.clip_min > asked.clip_max)
    refuse(['action', 'clip_min'], `clip_min is above clip_max, which is ${asked.clip_max}`, asked.clip_min)
  if (recipe.annotation_set_version && !recipe.annotation_set_id)
    refuse(
      ['annotation_set_version'],
      'annotation_set_version needs an annotation_set_id',
      recipe.annotation_set_version,
    )
  if (!recipe.annotation_set_id)
    for (const key of listLabelKeys(recipe.where))
      refuse(
        ['where', key],
        `${key} asks for labels, which are those of an annotation set: name it as annotation_set_id`,
        recipe.where?.[key],
      )
  checkTimeForm(recipe, refuse)
  if (issues.length > 0) throw new ValidationError(issues)
}

/** None: episodes of any split, and of none. */
export const listWantedSplits = ({ where: condition }: Pick<Recipe, 'where'>): readonly string[] =>
  condition?.splits_any ?? []

const sortSet = (indices: readonly number[] | null): number[] => [...new Set(indices ?? [])].sort((a, b) => a - b)
