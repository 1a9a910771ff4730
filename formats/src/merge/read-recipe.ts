import { FormatError } from '../errors.ts'
import { isObject, type JsonValue } from '../json.ts'
import type { Crop, Resize } from '../steps/crop-resize.ts'
import type { RecipeSteps } from '../steps/recipe.ts'

type Check = readonly [is: (value: JsonValue) => boolean, form: string]

const isWhole = (value: JsonValue): boolean => Number.isInteger(value) && (value as number) >= 0
const isCount = (value: JsonValue): boolean => Number.isInteger(value) && (value as number) > 0
const hasNumbers = (value: JsonValue, keys: readonly string[]): boolean =>
  isObject(value) && keys.every((key) => Number.isFinite(value[key]))
const episodes: Check = [(value) => Array.isArray(value) && value.every(isWhole), 'a list of episode numbers']
const cropKeys = ['left_pct', 'top_pct', 'width_pct', 'height_pct']
const modes = ['fit', 'fill', 'stretch']

/** As in a recipe of the service, without what is found in annotations, checks or scores there. */
const keys: Readonly<Record<string, Check>> = {
  selected_episode_indices: episodes,
  excluded_episode_indices: episodes,
  first_n_episodes: [isCount, 'a number of episodes'],
  fps: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  camera_keys: [
    (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
    'a list of camera names',
  ],
  crop: [(value) => hasNumbers(value, cropKeys), `numbers ${cropKeys.join(', ')}`],
  resize: [
    (value) =>
      isObject(value) && isCount(value.width ?? 0) && isCount(value.height ?? 0) && modes.includes(String(value.mode)),
    `width, height and mode (${modes.join(', ')})`,
  ],
}

/** A recipe as somebody wrote it into a file; `name` is what sentences call it. */
export function readRecipe(value: JsonValue, name: string): RecipeSteps {
  const refuse = (sentence: string): never => {
    throw new FormatError('unsupported', `${name}${sentence}.`)
  }
  const recipe = isObject(value) ? value : refuse(' must be an object')
  for (const [key, entry] of Object.entries(recipe)) {
    const [is, form] = keys[key] ?? refuse(` has no key ${key}: a file can say ${Object.keys(keys).join(', ')}`)
    if (entry !== null && !is(entry)) refuse(`.${key} must be ${form}`)
  }
  const take = <T>(key: string): T | null => (recipe[key] ?? null) as T | null
  const [crop, fps] = [take<Record<string, number>>('crop'), take<number>('fps')]
  const [left = 0, top = 0, width = 0, height = 0] = cropKeys.map((key) => crop?.[key])
  return {
    'select-episodes': {
      selected: take<number[]>('selected_episode_indices') ?? [],
      excluded: take<number[]>('excluded_episode_indices') ?? [],
      first: take<number>('first_n_episodes'),
    },
    ...(fps !== null && { rate: { fps } }),
    'select-cameras': { keys: take<string[]>('camera_keys') ?? [] },
    'crop-resize': {
      crop: crop && ({ left, top, width, height } satisfies Crop),
      resize: take<Resize>('resize'),
    },
  }
}
