import type { Dataset } from '../dataset.ts'
import type { ActionSettings } from './action.ts'
import { type AnnotationSettings, renumberAnnotated } from './annotate.ts'
import type { PixelSettings } from './crop-resize.ts'
import type { CutSettings } from './cut.ts'
import type { FeatureSettings } from './feature-plan.ts'
import { steps } from './index.ts'
import type { RateSettings } from './rate.ts'
import type { CameraSelection } from './select-cameras.ts'
import type { EpisodeSelection } from './select-episodes.ts'
import type { ShiftSettings } from './shift.ts'

/** The settings of every step; a step without settings is left out. */
export interface RecipeSteps {
  readonly 'select-episodes'?: EpisodeSelection
  readonly cut?: CutSettings
  readonly rate?: RateSettings
  readonly shift?: ShiftSettings
  readonly 'select-cameras'?: CameraSelection
  readonly 'crop-resize'?: PixelSettings
  readonly action?: ActionSettings
  readonly features?: FeatureSettings
  readonly annotate?: AnnotationSettings
}

export function applyRecipe(dataset: Dataset, recipe: RecipeSteps): Dataset {
  let result = dataset
  for (const { name, apply } of steps) {
    const settings = recipe[name]
    if (settings) result = (apply as (dataset: Dataset, settings: unknown) => Dataset)(result, settings)
  }
  return result
}

/** One recipe after the other: each speaks of the episodes, cameras, sizes and actions that the one before gives. */
export const applyRecipes = (dataset: Dataset, recipes: readonly RecipeSteps[]): Dataset =>
  recipes.reduce((result, recipe, place) => applyRecipe(place === 0 ? result : beginAnew(result), recipe), dataset)

/** What a dataset would be that was stored and read again, without storing it: its episodes are the source's, numbered from 0. */
function beginAnew(dataset: Dataset): Dataset {
  const { sidecars, isCut: _, ...others } = dataset
  return {
    ...others,
    ...(sidecars && { sidecars: renumberAnnotated(sidecars) }),
    getEpisode: (position) => {
      const { sourceRanges: _ranges, hasOwnTask: _own, ...episode } = dataset.getEpisode(position)
      const { rootIndex = episode.sourceIndex } = episode
      return { ...episode, rootIndex, sourceIndex: position, sourceId: String(position) }
    },
  }
}
