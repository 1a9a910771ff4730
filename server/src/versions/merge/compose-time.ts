import type { ReadModel } from '../../datasets/read-model/model.ts'
import { invalidValue } from '../../errors.ts'
import type { Recipe, RecipeBody } from '../recipe/recipe.ts'
import type { describeModel } from './describe-model.ts'
import type { StoredSource } from './stored-merge.ts'

/** What was chosen of one source of a merged version. */
export interface Part {
  stored: StoredSource
  root: ReadModel
  derived: ReadModel
  /** Number in the version of the first episode of `derived`. */
  start: number
  features: ReturnType<typeof describeModel>['features']
  /** Positions of the chosen episodes in `derived`. */
  chosen: number[]
  frameCount: number
}

export const remedy = 'copy it into a project as a dataset (nmp versions copy) and continue from there'

/**
 * Which frames a recipe of the version keeps of this source, by the source's numbers of episodes. Frames are those of the source where
 * nothing cut them before and their rate is its own; still frames are found in each source by its own motion.
 */
export function composeTime(
  { stored, root, derived, start }: Part,
  { trim, split }: Recipe,
  at: (...path: (string | number)[]) => (string | number)[],
): Pick<RecipeBody, 'trim' | 'split'> {
  const { recipe: own, source } = stored
  const pick = <T>(byEpisode: Readonly<Record<string, T>> | null | undefined): Record<string, T> | null => {
    const mine = Object.entries(byEpisode ?? {}).flatMap(([episode, value]): [string, T][] => {
      const number = derived.columns.sourceIndex[Number(episode) - start]
      return Number(episode) >= start && number !== undefined ? [[String(number), value]] : []
    })
    return mine.length > 0 ? Object.fromEntries(mine) : null
  }
  const [ranges, parts] = [pick(trim?.ranges), pick(split)]
  if (!ranges && !parts && !trim?.idle) return { trim: own.trim, split: own.split }
  const path = at('recipe', ranges || trim?.idle ? 'trim' : 'split')
  if (own.trim || own.split)
    throw invalidValue(path, `frames of ${source.title} were cut when the version was made: ${remedy}`, trim ?? split)
  if (own.fps !== null && own.fps !== root.manifest.fps)
    throw invalidValue(
      path,
      `${source.title} was brought to ${own.fps} frames per second when the version was made, so that its frames are counted otherwise: ${remedy}`,
      trim ?? split,
    )
  return { trim: trim && (ranges || trim.idle) ? { ...trim, ranges } : null, split: parts }
}
